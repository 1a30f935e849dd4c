// SPDX-License-Identifier: Apache-2.0
// What this tab knows of the profile: a copy that events keep up to date. The service has the truth.
import * as client from "../api/client.js";
import { Emitter } from "./emitter.js";
import * as database from "./database.js";
import { compareConversations, isNewer, keyOf } from "./conversations.js";

const TYPING_ENDS = 30_000;

class Store extends Emitter {
  accounts = new Map();
  conversations = new Map();
  contacts = new Map();
  requests = new Map();
  typing = new Map();
  drafts = new Map();
  /** `connecting`, `open`, or `offline`: whether events arrive here. */
  link = "connecting";
  /** Whether lists come from the service, and not from what this browser stored. */
  isFresh = false;
  version = "";
  /** The conversation on screen, by key. */
  openKey = null;
  #stream = null;
  #held = [];
  #order = null;
  #seen = new Set();
  #saving = null;
  #refreshing = null;

  /** What was stored for times without a connection; false when there is nothing. */
  async restore() {
    const [lists, drafts, draftKeys] = await Promise.all([
      database.get("values", "lists"), database.all("drafts"), database.keys("drafts"),
    ]);
    draftKeys.forEach((key, i) => this.drafts.set(key, drafts[i]));
    if (drafts.length) this.changed("conversations");
    if (!lists) return false;
    if (!this.isFresh) this.#take(lists);
    return true;
  }

  /** Begins to read before it is known whether this browser is signed in; `start` goes on from there. */
  ahead() {
    this.#ahead = this.refresh();
    this.#ahead.catch(() => {});
  }

  #ahead = null;

  /** Reads everything and follows what happens. */
  async start(handlers) {
    const reading = this.#ahead ?? this.refresh();
    this.#ahead = null;
    reading.catch(() => {});
    const { SharedStream } = await import("../api/shared-stream.js");
    this.#stream ??= new SharedStream({
      event: (event) => (this.#refreshing ? this.#held.push(event) : this.#apply(event)),
      state: (state) => {
        if (state === "signed-out") return handlers.signedOut();
        this.link = state;
        this.changed("link");
        if (state !== "open") return;
        this.emit("open");
        // What passes (who is there, what was read elsewhere) is told to those alone who listen.
        if (this.#wasOpen) this.#reread();
        this.#wasOpen = true;
      },
      resync: () => this.#reread(),
      told: (message) => this.emit("told", message),
    });
    this.#stream.start(await reading);
  }

  #wasOpen = false;

  /** Failing that, the stream is about to be cut, and all is read when it is open again. */
  #reread() {
    this.refresh().catch(() => {});
  }

  stop() {
    this.#stream?.stop();
  }

  /** To the other tabs. */
  tell(message) {
    this.#stream?.tell(message);
  }

  get isLeader() {
    return this.#stream?.isLeader ?? false;
  }

  /** Reads all lists anew; events that arrive meanwhile are applied after. */
  refresh() {
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = null;
      for (const event of this.#held.splice(0)) this.#apply(event);
    });
    return this.#refreshing;
  }

  async #read() {
    const status = await client.status();
    const [conversations, contacts, requests] = await Promise.all([
      client.conversations(), client.contacts(), client.requests(),
    ]);
    this.isFresh = true;
    this.#take({ status, conversations, contacts, requests });
    this.emit("refreshed");
    this.#saveSoon();
    return status.cursor;
  }

  #take({ status, conversations, contacts, requests }) {
    this.version = status.version.replace(/^apus /i, "");
    this.accounts = new Map(status.accounts.map((account) => [account.address, account]));
    this.conversations = new Map(conversations.map((one) => [keyOf(one), one]));
    this.contacts = new Map(contacts.map((one) => [keyOf(one), one]));
    this.requests = new Map(requests.map((one) => [keyOf(one), one]));
    this.#order = null;
    for (const topic of ["accounts", "conversations", "contacts", "requests"]) this.changed(topic);
  }

  /** The conversations as the list shows them. */
  get ordered() {
    this.#order ??= [...this.conversations.values()].sort(compareConversations);
    return this.#order;
  }

  get unread() {
    let sum = 0;
    for (const one of this.conversations.values()) if (!isMuted(one) && !one.stranger) sum += one.unread;
    return sum;
  }

  contact(account, address) {
    return this.contacts.get(`${account} ${address}`);
  }

  /** What to call somebody: our name for them, the conversation's, or the address. */
  name(account, address) {
    const key = `${account} ${address}`;
    return this.contacts.get(key)?.name || this.conversations.get(key)?.name || address;
  }

  /** Only when there are several does it matter which account something belongs to. */
  get hasSeveralAccounts() {
    return this.accounts.size > 1;
  }

  conversation(account, conversation) {
    return this.conversations.get(`${account} ${conversation}`) ?? { account, conversation, unread: 0 };
  }

  change(conversation) {
    const key = keyOf(conversation);
    this.conversations.set(key, { ...this.conversations.get(key), ...conversation });
    this.#order = null;
    this.changed("conversations");
    this.#saveSoon();
  }

  /** Everything in it was read, here. */
  read(account, conversation) {
    const key = `${account} ${conversation}`;
    const known = this.conversations.get(key);
    if (!known?.unread) return;
    this.change({ ...known, unread: 0 });
    this.tell({ kind: "read", account, conversation });
    client.markRead(account, conversation).catch(() => {});
  }

  #apply(event) {
    switch (event.type) {
      case "message":
      case "message-changed":
        return this.#message(event.message, event.type === "message");
      case "conversation":
        this.change(event.conversation);
        return this.emit("row", event.conversation);
      case "message-removed":
        return this.emit("message-removed", event);
      case "contact":
      case "request":
        this[`${event.type}s`].set(keyOf(event[event.type]), event[event.type]);
        return this.changed(`${event.type}s`);
      case "conversation-removed":
      case "contact-removed":
      case "request-removed": {
        const topic = `${event.type.split("-")[0]}s`;
        this[topic].delete(keyOf(event));
        this.#order = null;
        return this.changed(topic);
      }
      case "typing":
        return this.#typing(keyOf(event), event.typing);
      case "connection":
        // One that is being added is told about, too; it counts once it was online.
        if (!this.accounts.has(event.account.address)) return void (event.account.connection.state === "online" && this.refresh());
        this.accounts.set(event.account.address, event.account);
        return this.changed("accounts");
      case "account-removed":
        return void this.refresh();
      default:
        this.emit("event", event);
    }
  }

  #message(message, isNew) {
    const key = keyOf(message);
    const known = this.conversations.get(key) ?? { account: message.account, conversation: message.conversation, unread: 0 };
    const changed = { ...known };
    if (isNewer(message, known.last)) {
      changed.last = message;
      changed.last_activity = message.time;
      if (isNew && message.direction === "incoming" && !this.#seen.has(message.id)) changed.unread = known.unread + 1;
    } else if (known.last?.id === message.id) changed.last = message;
    if (isNew && message.direction === "outgoing") changed.unread = 0;
    if (isNew) this.#seen.add(message.id);
    if (this.#seen.size > 5000) this.#seen = new Set([...this.#seen].slice(-1000));
    if (isNew && message.direction === "incoming") this.#typing(key, false);
    this.change(changed);
    this.emit("message", { message, isNew });
  }

  #typing(key, typing) {
    clearTimeout(this.typing.get(key));
    if (typing) {
      this.typing.set(key, setTimeout(() => this.#typing(key, false), TYPING_ENDS));
    } else this.typing.delete(key);
    this.changed("typing");
  }

  setDraft(key, draft) {
    if (draft) this.drafts.set(key, draft);
    else this.drafts.delete(key);
    if (draft) database.put("drafts", key, draft);
    else database.remove("drafts", key);
    this.changed("conversations");
  }

  #saveSoon() {
    this.#saving ??= setTimeout(() => {
      this.#saving = null;
      this.#save();
    }, 2000);
  }

  /** The lists as they are, with the 200 latest conversations only: more than anybody scrolls through without service. */
  async #save() {
    const conversations = this.ordered.slice(0, 200);
    const kept = new Set(conversations.map(keyOf));
    await database.put("values", "lists", {
      status: { version: this.version, accounts: [...this.accounts.values()] },
      conversations, contacts: [...this.contacts.values()].filter((one) => kept.has(keyOf(one))),
      requests: [...this.requests.values()],
    });
    const latest = new Set(this.ordered.slice(0, 30).map(keyOf));
    for (const key of await database.keys("pages")) if (!latest.has(key)) database.remove("pages", key);
  }
}

/** Nothing of it is announced now. */
export const isMuted = (conversation) =>
  conversation.level === "none" || (!!conversation.muted_until && new Date(conversation.muted_until) > new Date());

export const store = new Store();
