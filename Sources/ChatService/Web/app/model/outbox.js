// SPDX-License-Identifier: Apache-2.0
// Sends that the service has not answered yet. They are stored before they are tried, each with the key that makes a
// repetition harmless, and go in order when the service answers again. Tabs take turns by the lock "apus-outbox".
import * as client from "../api/client.js";
import { newKey } from "../api/http.js";
import { Emitter } from "./emitter.js";
import * as database from "./database.js";

const RETRY = 5000;

class Outbox extends Emitter {
  #waiting = new Map();
  #running = false;

  /** Everything that waits has been read from the database. */
  ready = this.reload();
  #again = null;

  /** What waits in one conversation, the oldest first, as messages that the timeline can show. */
  pending(account, conversation) {
    return [...this.#waiting.values()]
      .filter((entry) => entry.account === account && entry.conversation === conversation)
      .sort((a, b) => a.order - b.order)
      .map((entry) => ({
        id: `key:${entry.key}`, key: entry.key, account, conversation, direction: "outgoing", sender: account,
        body: entry.request.body, time: entry.time, state: entry.failure ? "failed" : "queued", failure: entry.failure,
        reply: entry.reply, attachments: entry.files, isLocal: true, position: Number.MAX_SAFE_INTEGER,
      }));
  }

  /** Stores one send and tries it; returns its key at once. */
  add(account, conversation, request, reply, files) {
    const now = new Date();
    const entry = {
      key: newKey(), account, conversation, request, reply, files, time: now.toISOString(), order: now.getTime() + performance.now() / 1e6,
    };
    // Until it is stored, a look into the database must not lose it.
    this.#waiting.set(entry.key, { ...entry, fresh: true });
    this.changed("outbox");
    database.put("outbox", entry.key, entry).then(() => {
      if (this.#waiting.has(entry.key)) this.#waiting.set(entry.key, entry);
      this.flush();
    });
    return entry.key;
  }

  async retry(key) {
    const entry = this.#waiting.get(key);
    if (!entry) return;
    delete entry.failure;
    await database.put("outbox", key, entry);
    this.changed("outbox");
    await this.flush();
  }

  drop(key) {
    this.#waiting.delete(key);
    database.remove("outbox", key);
    this.changed("outbox");
  }

  /** A message of ours came by the stream: what was sent with its key has arrived. */
  arrived(message) {
    if (message.key && this.#waiting.has(message.key)) this.drop(message.key);
  }

  /** Another tab stored something, or sent it. */
  async reload() {
    const entries = await database.all("outbox");
    this.#waiting = new Map([...this.#waiting].filter(([, entry]) => entry.fresh));
    for (const entry of entries) this.#waiting.set(entry.key, entry);
    this.changed("outbox");
  }

  async flush() {
    if (this.#running) return;
    this.#running = true;
    clearTimeout(this.#again);
    try {
      await this.ready;
      if (navigator.locks) await navigator.locks.request("apus-outbox", () => this.#sendAll());
      else await this.#sendAll();
    } finally {
      this.#running = false;
    }
    // Whatever the browser says about being online: it is tried again.
    if ([...this.#waiting.values()].some((entry) => !entry.failure)) this.#again = setTimeout(() => this.flush(), RETRY);
  }

  async #sendAll() {
    for (;;) {
      const entry = [...this.#waiting.values()].filter((one) => !one.failure).sort((a, b) => a.order - b.order)[0];
      if (!entry) return;
      try {
        const reply = await client.send(entry.account, entry.conversation, entry.request, entry.key);
        this.emit("sent", { message: reply.message, key: entry.key });
        this.drop(entry.key);
      } catch (error) {
        if (error.isUnreachable || error.retryable || error.isSignedOut) return;
        entry.failure = { code: error.code, message: error.message, hint: error.hint };
        await database.put("outbox", entry.key, entry);
        this.changed("outbox");
      }
    }
  }
}

export const outbox = new Outbox();
