// SPDX-License-Identifier: Apache-2.0

/** An element that listens while it is on the page. */
export class View extends HTMLElement {
  #off = [];

  /** What `on` of an emitter gave: each is called when the element leaves the page. */
  until(...off) {
    this.#off.push(...off);
  }

  disconnectedCallback() {
    for (const off of this.#off.splice(0)) off();
  }
}
