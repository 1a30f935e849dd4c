// SPDX-License-Identifier: Apache-2.0
import { h } from "./dom.js";

/** How high a heading is, in rows. */
const HEADING = 0.6;

/**
 * A list whose rows are equally high (headings lower) and of which only those in sight exist. Rows are kept by key, so that focus
 * and pictures survive a change. Arrow keys, Home and End move along all rows, not only those that exist.
 */
export class VirtualList {
  #items = [];
  #rows = new Map();
  #tops = [0];
  #height = 72;
  #scheduled = false;

  /** `key(item)` names a row, `render(item, old)` makes its `li` or returns the old one. */
  constructor({ label, key, render, empty, isHeading = () => false }) {
    this.key = key;
    this.isHeading = isHeading;
    this.render = render;
    this.list = h("ol.virtual", { "aria-label": label });
    this.empty = h("div.empty-list", { hidden: true }, empty);
    this.element = h("div.scroller", { scroll: () => this.#schedule(), keydown: (event) => this.#move(event) },
      this.list, this.empty);
    this.#watcher = new ResizeObserver(() => this.#measure());
    this.#watcher.observe(this.element);
  }

  #watcher;

  set items(items) {
    this.#items = items;
    this.#stack();
    this.empty.hidden = items.length > 0;
    this.list.hidden = items.length === 0;
    this.#draw(true);
  }

  get items() {
    return this.#items;
  }

  #measure() {
    this.#remeasure();
    this.#draw(false);
  }

  /** Whether the rows are of another height than was thought: with the first ones, or another text size. */
  #remeasure() {
    const row = this.list.querySelector("li:not(.section-heading)");
    const height = row?.offsetHeight || this.#height;
    if (height === this.#height) return false;
    this.#height = height;
    this.#stack();
    return true;
  }

  #stack() {
    this.#tops = [0];
    for (const item of this.#items) this.#tops.push(this.#tops.at(-1) + this.#height * (this.isHeading(item) ? HEADING : 1));
  }

  /** The row that is at this height. */
  #at(top) {
    let [low, high] = [0, this.#items.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#tops[middle + 1] <= top) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #schedule() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    requestAnimationFrame(() => {
      this.#scheduled = false;
      this.#draw(false);
    });
  }

  #draw(contentChanged) {
    const { scrollTop } = this.element;
    const from = Math.max(0, this.#at(scrollTop) - 6);
    const until = Math.min(this.#items.length, this.#at(scrollTop + (this.element.clientHeight || 800)) + 7);
    const wanted = new Map();
    for (let i = from; i < until; i++) wanted.set(this.key(this.#items[i]), i);
    for (const [key, row] of this.#rows) {
      // The row with the focus stays, out of sight, until another one gets it.
      const kept = row.contains(document.activeElement) && this.#items.some((item) => this.key(item) === key);
      if (!wanted.has(key) && !kept) {
        row.remove();
        this.#rows.delete(key);
      }
    }
    let before = null;
    for (const [key, i] of wanted) {
      const old = this.#rows.get(key);
      const row = old && !contentChanged ? old : this.render(this.#items[i], old);
      if (old && row !== old) old.replaceWith(row);
      this.#rows.set(key, row);
      row.style.transform = `translateY(${this.#tops[i]}px)`;
      row.setAttribute("aria-setsize", this.#items.length);
      row.setAttribute("aria-posinset", i + 1);
      // In the order of the list, for screen readers and the Tab key.
      const place = before ? before.nextSibling : this.list.firstChild;
      if (row !== place) this.list.insertBefore(row, place);
      before = row;
    }
    this.list.style.height = `${this.#tops.at(-1)}px`;
    if (contentChanged && until > from && this.#remeasure()) this.#draw(false);
  }

  #move(event) {
    const row = event.target.closest("li");
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
    const at = this.#items.findIndex((item) => this.#rows.get(this.key(item)) === row);
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.#height) - 1);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: this.#items.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    this.focus(Math.min(Math.max(0, to), this.#items.length - 1));
  }

  /** Brings a row into sight and gives it the focus. */
  focus(index) {
    const item = this.#items[index];
    if (!item) return;
    this.reveal(index);
    this.#rows.get(this.key(item))?.querySelector("a, button")?.focus({ preventScroll: true });
  }

  reveal(index) {
    const top = this.#tops[index];
    const { scrollTop, clientHeight } = this.element;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + this.#height > scrollTop + clientHeight) this.element.scrollTop = top + this.#height - clientHeight;
    this.#draw(false);
  }
}
