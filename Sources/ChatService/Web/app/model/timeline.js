// SPDX-License-Identifier: Apache-2.0
import * as client from "../api/client.js";
import * as database from "./database.js";
import { isBefore } from "./conversations.js";
import { Emitter } from "./emitter.js";
import { outbox } from "./outbox.js";

const PAGE = 60;
const KEPT = 50;
/** So many messages are in memory, however far somebody scrolls. */
const LOADED = 1000;

/**
 * The messages of one conversation that this tab has loaded, oldest first, ending with the newest unless
 * `hasNewer`. Topics: `reset` (everything is other), `before` (a count of rows came at the top), `changed` (rows that
 * were there, by id), `after` (rows came at the end or in between).
 */
export class Timeline extends Emitter {
  messages = [];
  isComplete = false;
  isLoading = false;
  failure = null;
  /** The first message that was unread when the conversation was opened. */
  firstUnread = null;
  unreadCount = 0;
  /** What is loaded ends before the newest message, after a jump far back. */
  hasNewer = false;
  /** Resolves when the newest page is there, or is known not to come. */
  ready = Promise.resolve();
  /** Where messages are missing that the server has: the gap's name by the message after it. */
  gaps = new Map();
  /** The gap after all of them, if there is one. */
  endGap = null;
  /** What people did in the room, by line. */
  #activities = new Map();
  #index = new Map();
  #pending = [];
  #stop;
  #saving = null;
  /** When an event last told of a message: what was asked for before that is older. */
  #told = new Map();

  constructor(account, conversation) {
    super();
    this.account = account;
    this.conversation = conversation;
    this.key = `${account} ${conversation}`;
    this.#stop = outbox.on("outbox", () => this.#takePending());
    this.#pending = outbox.pending(account, conversation);
  }

  close() {
    this.#stop();
    clearTimeout(this.#saving);
  }

  /** Stored messages first, then the newest page. `unread` places the divider. */
  open(unread) {
    this.ready = this.#open(unread);
    return this.ready;
  }

  async #open(unread) {
    const stored = await database.get("pages", this.key);
    if (stored?.length) {
      this.#replace(stored);
      this.emit("reset");
    }
    await this.refresh(unread);
  }

  /** The newest page; keeps what joins it, and begins anew when something is missing in between. */
  async refresh(unread = 0) {
    this.isLoading = true;
    this.failure = null;
    try {
      const limit = Math.min(500, Math.max(PAGE, unread + 20));
      const asked = performance.now();
      const read = await this.#read({ limit });
      const page = read.messages.map((message) => (this.#told.get(message.id) > asked ? this.#index.get(message.id) ?? message : message));
      const joins = page.some((message) => this.#index.has(message.id));
      if (joins && !this.hasNewer && unread === 0) for (const message of page) this.#put(message);
      else {
        // What an event told since then may be newer than the page.
        const told = this.messages.filter((message) => this.#told.get(message.id) > asked);
        this.#replace(page);
        for (const message of told) if (!page.length || !isBefore(message, page[0])) this.#put(message);
        this.isComplete = read.has_older === undefined ? page.length < limit : !read.has_older;
        this.gaps.clear();
      }
      this.#note(read, true);
      this.hasNewer = false;
      this.isLoading = false;
      if (unread) this.#divide(unread);
      this.emit("reset");
      this.#saveSoon();
    } catch (error) {
      this.failure = error;
      this.isLoading = false;
      this.emit("reset");
    }
  }

  #read(where) {
    return client.history(this.account, this.conversation, where);
  }

  /** One page further back; tells `before` with how many came. */
  async older() {
    if (this.isLoading || this.isComplete || this.messages.length === 0) return;
    this.isLoading = true;
    try {
      const first = this.messages.find((message) => !message.isLocal);
      if (!first) return;
      const page = await this.#read({ before: first.id, limit: PAGE });
      const fresh = page.messages.filter((message) => !this.#index.has(message.id));
      this.messages.unshift(...fresh);
      for (const message of fresh) this.#index.set(message.id, message);
      if (this.#forget(LOADED)) this.hasNewer = true;
      this.isComplete = page.has_older === undefined ? page.messages.length === 0 : !page.has_older;
      this.#note(page);
      this.emit("before", fresh.length);
    } catch (error) {
      this.failure = error;
    } finally {
      this.isLoading = false;
    }
  }

  /** One page further on, after a jump far back. */
  async newer() {
    if (this.isLoading || !this.hasNewer) return;
    this.isLoading = true;
    try {
      const page = await this.#read({ after: this.messages.at(-1).id, limit: PAGE });
      const fresh = page.messages.filter((message) => !this.#index.has(message.id));
      this.messages.push(...fresh);
      for (const message of fresh) this.#index.set(message.id, message);
      this.hasNewer = !!page.has_newer && page.messages.length > 0;
      this.#note(page, !this.hasNewer);
      const forgets = this.#forget(0, this.messages.length - LOADED);
      if (forgets) this.isComplete = false;
      this.emit(forgets ? "reset" : "after", null);
    } catch {
      // It is asked again at the next step downwards.
    } finally {
      this.isLoading = false;
    }
  }

  /** There may be newer ones, and the reader is somewhere above: they come when they are scrolled to. */
  async lag() {
    if (this.messages.length === 0) return this.refresh();
    this.hasNewer = true;
    // Those that would have to go for them may be the very ones that are read.
    if (this.messages.length <= LOADED - PAGE) await this.newer();
  }

  /** Makes sure that a message is loaded, from a page or two further back or with those around it; false when it is not to be had. */
  async reach(id, pages = 2) {
    await this.ready;
    for (let i = 0; i < pages && !this.#index.has(id) && !this.isComplete; i++) {
      const before = this.messages.length;
      await this.older();
      if (this.messages.length === before) break;
    }
    return this.#index.has(id) || this.#around(id);
  }

  async #around(id) {
    try {
      const page = await this.#read({ around: id, limit: PAGE });
      if (!page.messages.some((message) => message.id === id)) return false;
      this.#replace(page.messages);
      this.isComplete = !page.has_older;
      this.hasNewer = !!page.has_newer;
      this.gaps.clear();
      this.#note(page, !this.hasNewer);
      this.emit("reset");
      return true;
    } catch {
      return false;
    }
  }

  /** Asks once more for what is missing before a message; the service looks for it at the server. */
  async fill(id) {
    const page = await this.#read({ around: id, limit: PAGE });
    this.gaps.delete(id);
    for (const message of page.messages) this.#put(message);
    this.#note(page);
    this.emit("after", null);
  }

  /** The answer to our own send; an event may have told more meanwhile. */
  sent(message) {
    outbox.arrived(message);
    if (!this.#index.has(message.id)) this.apply(message, true);
  }

  /** A message as it is now, from an event. */
  apply(message, isNew) {
    this.#told.set(message.id, performance.now());
    const known = this.#index.has(message.id);
    if (!known && !isNew && this.messages.length && message.time < this.messages[0].time) return;
    outbox.arrived(message);
    // It belongs after what is loaded.
    if (!known && this.hasNewer && this.messages.length && !isBefore(message, this.messages.at(-1))) return;
    this.#put(message);
    if (!known && this.endGap && this.messages.at(-1) === message) {
      this.gaps.set(message.id, this.endGap);
      this.endGap = null;
    }
    this.emit(known ? "changed" : "after", message.id);
    this.#saveSoon();
  }

  /** It was a change of another message, and is no row of its own any more. */
  remove(id) {
    const at = this.#find(id);
    if (at < 0) return;
    this.messages.splice(at, 1);
    this.#index.delete(id);
    this.emit("after", null);
  }

  /** What people did in the room, from an event: a line takes the place of what it was. */
  activity(one) {
    if (one.people.length) this.#activities.set(one.id, one);
    else this.#activities.delete(one.id);
    this.emit("after", null);
  }

  /** What people did between two messages of the service, and after the newest one. */
  activities(previous, message) {
    if (!this.#activities.size || !(previous ?? message)?.position) return [];
    const from = previous?.position ?? (this.isComplete ? -Infinity : message.position);
    return [...this.#activities.values()].filter(({ position }) => position >= from && position < (message?.position ?? Infinity));
  }

  /** What is shown: what the service has, then what it does not have yet. */
  get rows() {
    if (this.#pending.length === 0 || this.hasNewer) return this.messages;
    const keys = new Set(this.messages.slice(-200).map((message) => message.key));
    const waiting = this.#pending.filter((message) => !keys.has(message.key));
    return waiting.length ? [...this.messages, ...waiting] : this.messages;
  }

  #takePending() {
    this.#pending = outbox.pending(this.account, this.conversation);
    this.emit("after", null);
  }

  #note({ gaps = [], activities = [] }, isEnd = false) {
    for (const one of activities) this.#activities.set(one.id, one);
    if (isEnd) this.endGap = null;
    for (const gap of gaps) {
      if (gap.before) this.gaps.set(gap.before, gap.id);
      else if (isEnd) this.endGap = gap.id;
    }
  }

  #replace(page) {
    this.messages = [...page];
    this.#index = new Map(page.map((message) => [message.id, message]));
  }

  #put(message) {
    const known = this.#index.get(message.id);
    this.#index.set(message.id, message);
    if (known) {
      const at = this.#find(message.id);
      if (at < 0) return;
      this.messages[at] = message;
      if (known.position === message.position) return;
      this.messages.splice(at, 1);
    }
    let at = this.messages.length;
    while (at > 0 && isBefore(message, this.messages[at - 1])) at -= 1;
    this.messages.splice(at, 0, message);
  }

  /** Lets go of those from there on; whether there are any. */
  #forget(from, count = this.messages.length - from) {
    if (count <= 0) return false;
    for (const message of this.messages.splice(from, count)) this.#index.delete(message.id);
    return true;
  }

  #find(id) {
    for (let i = this.messages.length - 1; i >= 0; i--) if (this.messages[i].id === id) return i;
    return -1;
  }

  #divide(unread) {
    let left = unread;
    for (let i = this.messages.length - 1; i >= 0; i--) {
      if (this.messages[i].direction !== "incoming") continue;
      left -= 1;
      if (left === 0 || i === 0) {
        this.firstUnread = this.messages[i].id;
        this.unreadCount = unread;
        return;
      }
    }
  }

  #saveSoon() {
    if (this.hasNewer) return;
    clearTimeout(this.#saving);
    this.#saving = setTimeout(() => database.put("pages", this.key, this.messages.slice(-KEPT)), 1000);
  }
}
