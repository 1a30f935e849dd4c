// SPDX-License-Identifier: Apache-2.0

/** Tells listeners of a topic that something changed; several changes before the next frame are told once. */
export class Emitter {
  #listeners = new Map();
  #due = new Map();
  #scheduled = false;

  /** Calls `listener` whenever the topic changes, until the returned function is called. */
  on(topic, listener) {
    if (!this.#listeners.has(topic)) this.#listeners.set(topic, new Set());
    this.#listeners.get(topic).add(listener);
    return () => this.#listeners.get(topic)?.delete(listener);
  }

  /** At once, with a value. */
  emit(topic, value) {
    for (const listener of [...(this.#listeners.get(topic) ?? [])]) listener(value);
  }

  /** Soon, once for many calls; hidden pages do not wait for a frame that never comes. */
  changed(topic) {
    this.#due.set(topic, true);
    if (this.#scheduled) return;
    this.#scheduled = true;
    if (document.hidden) setTimeout(() => this.#flush(), 0);
    else requestAnimationFrame(() => this.#flush());
  }

  #flush() {
    this.#scheduled = false;
    const topics = [...this.#due.keys()];
    this.#due.clear();
    for (const topic of topics) this.emit(topic);
  }
}
