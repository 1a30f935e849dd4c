// SPDX-License-Identifier: Apache-2.0
// All tabs share one stream. The tab that holds the lock "apus-stream" reads it and passes everything on; when it is
// closed another one gets the lock and goes on after the last cursor it has seen. Without locks (an insecure origin)
// every tab reads for itself.
import { ROOT } from "./http.js";
import { readStream } from "./event-source.js";

const CHANNEL = "apus-events";

/** Whether a cursor is older than another one; both may be unknown. */
const isBehind = (cursor, other) => !!cursor && !!other && Number(cursor) < Number(other);

export class SharedStream {
  #channel = "BroadcastChannel" in globalThis ? new BroadcastChannel(CHANNEL) : null;
  #stop = new AbortController();
  #cursor = null;
  #state = "connecting";
  #handlers;
  #wake = null;
  /** Whether this tab is the one that reads. */
  isLeader = false;

  /** `handlers`: `event(event)`, `state("connecting" | "open" | "signed-out")`, `resync()`. */
  constructor(handlers) {
    this.#handlers = handlers;
    this.#channel?.addEventListener("message", ({ data }) => this.#heard(data));
    addEventListener("online", () => this.#wake?.());
    document.addEventListener("visibilitychange", () => document.hidden || this.#wake?.());
  }

  start(cursor) {
    if (!isBehind(cursor, this.#cursor)) this.#cursor = cursor;
    if (navigator.locks && this.#channel) {
      this.#channel.postMessage({ kind: "state?" });
      navigator.locks.request("apus-stream", { signal: this.#stop.signal }, () => this.#lead()).catch(() => {});
    } else this.#lead();
  }

  stop() {
    this.#stop.abort();
    this.#channel?.close();
    this.#channel = null;
  }

  /** Tells the other tabs something that is no event of the service. */
  tell(message) {
    this.#channel?.postMessage({ kind: "told", message });
  }

  #heard(data) {
    if (data.kind === "event") {
      if (data.event.cursor) this.#cursor = data.event.cursor;
      this.#handlers.event(data.event);
    } else if (data.kind === "state") this.#joined(data);
    else if (data.kind === "resync") this.#handlers.resync();
    else if (data.kind === "told") this.#handlers.told?.(data.message);
    else if (data.kind === "state?" && this.isLeader) this.#channel.postMessage({ kind: "state", state: this.#state, cursor: this.#cursor });
  }

  /** What the leader passed on between our look at the lists and now was not heard here. */
  #joined({ state, cursor }) {
    const missed = isBehind(this.#cursor, cursor);
    if (missed) this.#cursor = cursor;
    this.#enter(state);
    if (missed) this.#handlers.resync();
  }

  #enter(state) {
    if (state === this.#state) return;
    this.#state = state;
    this.#handlers.state(state);
  }

  #publish(state) {
    this.#enter(state);
    this.#channel?.postMessage({ kind: "state", state });
  }

  async #lead() {
    this.isLeader = true;
    let delay = 500;
    while (!this.#stop.signal.aborted) {
      const url = new URL(`${ROOT}/events`, location.origin);
      if (this.#cursor) url.searchParams.set("cursor", this.#cursor);
      const end = await readStream(url, {
        signal: this.#stop.signal,
        onOpen: () => {
          delay = 500;
          this.#publish("open");
        },
        onEvent: (event) => this.#received(event),
      });
      if (this.#stop.signal.aborted) return;
      if (end.status === 401 || this.#state === "signed-out") {
        this.#publish("signed-out");
        return;
      }
      this.#publish("connecting");
      await this.#pause(delay + Math.random() * delay);
      delay = Math.min(delay * 2, 20_000);
    }
  }

  #received({ type, id, data }) {
    let event;
    try {
      event = JSON.parse(data);
    } catch {
      return;
    }
    event.type ??= type;
    if (id) event.cursor ??= id;
    if (event.cursor) this.#cursor = event.cursor;
    if (event.type === "resync") return;
    if (event.type === "signed-out") return this.#publish("signed-out");
    if (event.type === "gap") return this.#resync();
    this.#channel?.postMessage({ kind: "event", event });
    this.#handlers.event(event);
  }

  #resync() {
    this.#channel?.postMessage({ kind: "resync" });
    this.#handlers.resync();
  }

  #pause(milliseconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
