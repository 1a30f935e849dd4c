// SPDX-License-Identifier: Apache-2.0
import { busy, errorText, fill, h, icon, number, t } from "../ui/basics.js";
import { gapLine, messageRow, signatureOf } from "./message.js";
import { listenToRows } from "./timeline-input.js";

const OVERSCAN = 700;
const GUESS = 58;

/**
 * The messages on screen. Rows are as high as they are, and only those near the view exist: above and below are two
 * spaces with the height of the rest, measured or guessed. Whatever changes, the line under the reader's eye stays: the
 * first row in view is measured before and after, and the difference is scrolled away. At the bottom it stays there.
 */
export class TimelineView extends HTMLElement {
  #rows = [];
  #heights = new Map();
  #shown = new Map();
  #start = 0;
  #end = 0;
  #above = 0;
  #guess = GUESS;
  #scheduled = false;
  #stuck = true;
  #fresh = 0;
  #opened = false;
  /** Rows may not be what their messages are now; while only the view moves, they are. */
  #stale = true;
  #width = 0;
  #viewHeight = 0;
  #lastTop = 0;

  constructor(timeline, actions) {
    super();
    this.timeline = timeline;
    this.actions = actions;
  }

  connectedCallback() {
    this.tail = h("div.timeline-tail");
    this.before = h("div.space");
    this.after = h("div.space");
    this.head = h("div.timeline-head");
    this.list = h("ol.messages", { "aria-label": t("chat.messages") });
    this.scroller = h("div.timeline", { tabindex: "0", role: "group", "aria-label": t("chat.messages"),
      scroll: () => this.#scrolled() },
    this.head, this.before, this.list, this.after, this.tail);
    this.jump = h("button.jump", { hidden: true, click: () => this.jumpDown() });
    fill(this, this.scroller, this.jump);
    this.timeline.on("reset", () => this.#reset());
    this.timeline.on("before", (count) => this.#prepended(count));
    this.timeline.on("changed", () => this.#changed());
    this.timeline.on("after", () => this.#changed());
    this.#watcher = new ResizeObserver(() => this.#resized());
    this.#watcher.observe(this.scroller);
    this.#watcher.observe(this.list);
    listenToRows(this);
    this.#drawHead();
  }

  #watcher;

  disconnectedCallback() {
    this.#watcher.disconnect();
  }

  get isAtBottom() {
    return this.#stuck;
  }

  /** A message came that is not in view. */
  countNew() {
    this.#fresh += 1;
    this.#drawJump();
  }

  toBottom() {
    if (this.timeline.hasNewer) this.timeline.refresh();
    this.#stuck = true;
    this.#fresh = 0;
    this.#start = Math.max(0, this.#rows.length - 40);
    this.#above = this.#sum(0, this.#start);
    this.#draw();
    this.#drawJump();
  }

  /** First to the first unread message, if that is below; then to the end. */
  jumpDown() {
    this.toBottom();
    this.scroller.focus({ preventScroll: true });
    this.dispatchEvent(new CustomEvent("at-bottom"));
  }

  // --- What the model tells

  #reset() {
    this.#stale = true;
    const anchor = this.#anchor();
    this.#rows = this.timeline.rows;
    this.#drawHead();
    this.#drawTail();
    if (!this.#opened || !anchor) {
      this.#start = Math.max(0, this.#rows.length - 40);
      this.#above = this.#sum(0, this.#start);
      this.#draw();
      if (this.timeline.firstUnread && !this.#opened) this.#toUnread();
      if (!this.timeline.isLoading || this.timeline.failure) this.#opened = this.#rows.length > 0;
    } else {
      const at = this.#rows.findIndex((row) => row.id === anchor.id);
      this.#start = Math.max(0, at < 0 ? this.#rows.length - 40 : at - 10);
      this.#above = this.#sum(0, this.#start);
      this.#draw(at < 0 ? null : anchor);
      if (this.timeline.firstUnread && this.#stuck && !this.#wentToUnread) this.#toUnread();
    }
  }

  #wentToUnread = false;

  #toUnread() {
    this.#wentToUnread = true;
    const at = this.#rows.findIndex((row) => row.id === this.timeline.firstUnread);
    if (at >= 0) this.#reveal(at, "start");
  }

  #prepended(count) {
    this.#stale = true;
    const anchor = this.#anchor();
    const room = count * this.#guess;
    this.#rows = this.timeline.rows;
    // As many may have gone at the end as came here, and the view with them.
    this.#start = Math.min(this.#start + count, Math.max(0, this.#rows.length - 1));
    this.#above += room;
    // What came has its room above, and the view goes down with what it shows.
    this.before.style.height = `${this.#above}px`;
    this.scroller.scrollTop += room;
    this.#drawHead();
    this.#draw(anchor);
  }

  #changed() {
    this.#stale = true;
    const anchor = this.#stuck ? null : this.#anchor();
    this.#rows = this.timeline.rows;
    if (anchor) {
      const at = this.#rows.findIndex((row) => row.id === anchor.id);
      if (at >= 0 && this.#start > at) this.#start = at;
    }
    this.#start = Math.min(this.#start, Math.max(0, this.#rows.length - 1));
    this.#drawHead();
    this.#drawTail();
    this.#draw(anchor);
  }

  #resized() {
    const { clientWidth, clientHeight } = this.scroller;
    const turned = clientWidth !== this.#width;
    if (turned) this.#heights.clear();
    const changed = this.#measure(this.#shown.values()) || turned || clientHeight !== this.#viewHeight;
    [this.#width, this.#viewHeight] = [clientWidth, clientHeight];
    if (this.#stuck) this.scroller.scrollTop = this.scroller.scrollHeight;
    // Mostly it is our own work that is told: rows that came or went, as high as they were measured.
    if (changed) this.#schedule();
  }

  // --- Scrolling

  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    const near = scrollHeight - scrollTop - clientHeight < 48 && !this.timeline.hasNewer;
    // Only somebody who scrolls up leaves the bottom; a view that shrinks or a row that grows does not.
    const stuck = near || (this.#stuck && scrollTop >= this.#lastTop - 1);
    this.#lastTop = scrollTop;
    if (stuck !== this.#stuck) {
      this.#stuck = stuck;
      if (stuck) {
        this.#fresh = 0;
        this.dispatchEvent(new CustomEvent("at-bottom"));
      }
      this.#drawJump();
    }
    this.#schedule();
    if (scrollTop < clientHeight * 2) this.timeline.older();
    if (this.timeline.hasNewer && scrollHeight - scrollTop < clientHeight * 3) this.timeline.newer();
  }

  #schedule() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    requestAnimationFrame(() => {
      this.#scheduled = false;
      if (this.isConnected) this.#draw(this.#stuck ? null : this.#anchor());
    });
  }

  #height(i) {
    return this.#heights.get(this.#rows[i].id) ?? this.#guess;
  }

  #sum(from, until) {
    let sum = 0;
    for (let i = from; i < until; i++) sum += this.#height(i);
    return sum;
  }

  /** Where a row begins, in the heights that are known or guessed; nothing when it is none of the rows any more. */
  #offset(id) {
    let at = this.#start;
    while (at < this.#rows.length && this.#rows[at].id !== id) at += 1;
    if (at < this.#rows.length) return this.#above + this.#sum(this.#start, at);
    at = this.#rows.findIndex((row) => row.id === id);
    return at < 0 ? null : this.#above - this.#sum(at, this.#start);
  }

  /** The first row whose end is in view, with where it stands. */
  #anchor() {
    const top = this.scroller.getBoundingClientRect().top;
    for (const row of this.list.children) {
      const place = row.getBoundingClientRect();
      if (place.bottom > top + 1) return { id: row.dataset.id, top: place.top };
    }
    return null;
  }

  /** Brings the rows near the view into being and removes the others. */
  #draw(anchor = null) {
    const count = this.#rows.length;
    const { scroller } = this;
    const bottom = this.#stuck && !anchor && !this.timeline.hasNewer;
    const headHeight = this.head.offsetHeight;
    const view = scroller.clientHeight || 800;
    this.#start = Math.min(this.#start, count);
    const place = anchor ? this.#offset(anchor.id) : null;
    const { scrollTop } = scroller;
    let top = scrollTop - headHeight;
    if (bottom) top = this.#above + this.#sum(this.#start, count) - view;
    else if (place !== null) top = place - anchor.top + scroller.getBoundingClientRect().top;
    const from = top - OVERSCAN;
    const until = top + view + OVERSCAN;
    while (this.#start > 0 && this.#above > from) {
      this.#start -= 1;
      this.#above -= this.#height(this.#start);
    }
    while (this.#start < count - 1 && this.#above + this.#height(this.#start) < from) {
      this.#above += this.#height(this.#start);
      this.#start += 1;
    }
    if (this.#start === 0) this.#above = 0;
    let end = this.#start;
    let height = this.#above;
    while (end < count && height < until) {
      height += this.#height(end);
      end += 1;
    }
    if (bottom) end = count;
    this.#end = end;
    const fresh = this.#place();
    // Rows that are higher than was guessed have no room: the view makes it, and what is counted is what there is.
    this.#above = Math.max(0, this.#above);
    this.before.style.height = `${this.#above}px`;
    this.after.style.height = `${this.#sum(end, count)}px`;
    this.#measure(fresh);
    if (bottom) scroller.scrollTop = scroller.scrollHeight;
    else if (anchor) {
      const row = this.#shown.get(anchor.id);
      if (row) this.#putBack(row.getBoundingClientRect().top - anchor.top);
    }
    // Asking for the place once more would lay everything out once more; only at the bottom it has changed.
    if ((bottom ? scroller.scrollTop : scrollTop) < view * 2 && count > 0 && this.#opened) this.timeline.older();
  }

  /**
   * The rows in view have moved because those above are not as high as was guessed. The space above takes that up, so
   * that nothing in view has to be painted again; only where there is none left the view is scrolled.
   */
  #putBack(moved) {
    if (Math.abs(moved) < 0.5) return;
    if (this.#start > 0 && this.#above - moved >= 0) {
      this.#above -= moved;
      this.before.style.height = `${this.#above}px`;
    } else this.scroller.scrollTop += moved;
  }

  /** Makes the rows that are to exist, in order; returns those that are new. */
  #place() {
    const fresh = [];
    const wanted = new Set(this.#rows.slice(this.#start, this.#end).map((message) => message.id));
    // Those that leave go first: a row that stays where it is keeps the focus.
    for (const [id, row] of [...this.#shown]) {
      if (wanted.has(id)) continue;
      if (row.contains(document.activeElement)) this.scroller.focus({ preventScroll: true });
      row.remove();
      this.#shown.delete(id);
    }
    let next = this.list.firstChild;
    for (let i = this.#start; i < this.#end; i++) {
      const message = this.#rows[i];
      let row = this.#shown.get(message.id);
      if (!row || this.#stale) {
        const context = { previous: this.#rows[i - 1], next: this.#rows[i + 1], timeline: this.timeline };
        const signature = signatureOf(message, context);
        if (row?.signature === signature) {
          if (row === next) next = next.nextSibling;
          else this.list.insertBefore(row, next);
          continue;
        }
        const made = messageRow(message, context);
        made.signature = signature;
        if (row) {
          if (next === row) next = row.nextSibling;
          const focused = row.contains(document.activeElement);
          row.remove();
          if (focused) queueMicrotask(() => made.focus({ preventScroll: true }));
        }
        row = made;
        fresh.push(row);
        this.#shown.set(message.id, row);
      }
      if (row === next) next = next.nextSibling;
      else this.list.insertBefore(row, next);
    }
    this.#stale = false;
    return fresh;
  }

  /** Whether one is not as high as was known. */
  #measure(rows) {
    if (this.#heights.size > 20_000) this.#heights.clear();
    let changed = false;
    for (const row of rows) {
      const height = row.offsetHeight;
      const { id } = row.dataset;
      if (this.#heights.get(id) === height) continue;
      changed = true;
      this.#heights.set(id, height);
      this.#guess += (height - this.#guess) / 64;
    }
    return changed;
  }

  #reveal(at, block) {
    this.#stuck = false;
    this.#start = Math.max(0, at - 5);
    this.#above = this.#sum(0, this.#start);
    // The row itself must come into being, however high those before it are.
    this.scroller.scrollTop = this.head.offsetHeight + this.#sum(0, at);
    this.#draw();
    const row = this.#shown.get(this.#rows[at]?.id);
    row?.scrollIntoView({ block });
    if (block === "start") this.scroller.scrollTop -= 12;
    this.#scrolled();
    if (this.#stuck) this.scroller.scrollTop = this.scroller.scrollHeight;
    this.#drawJump();
    return row;
  }

  /** Shows a message that may not be loaded yet, and lets it light up. */
  async show(id) {
    if (!(await this.timeline.reach(id))) return false;
    this.#rows = this.timeline.rows;
    const row = this.#reveal(this.#rows.findIndex((one) => one.id === id), "center");
    row?.classList.add("flash");
    row?.focus({ preventScroll: true });
    setTimeout(() => row?.classList.remove("flash"), 1600);
    return true;
  }

  /** The focus goes to the next or the previous row; from outside to the last one. */
  step(row, by) {
    const from = row ? this.#rows.findIndex((one) => one.id === row.dataset.id) : this.#end;
    const to = Math.min(Math.max(0, from + by), this.#rows.length - 1);
    let target = this.#shown.get(this.#rows[to]?.id);
    target ??= this.#reveal(to, "nearest");
    target?.focus({ preventScroll: true });
    target?.scrollIntoView({ block: "nearest" });
  }

  // --- What is around

  #drawHead() {
    const { timeline } = this;
    if (timeline.failure && timeline.messages.length === 0) {
      fill(this.head, h("div.note", icon("warning"), h("p", errorText(timeline.failure)),
        h("button.button.quiet", () => timeline.refresh(), t("action.retry"))));
    } else if (timeline.isComplete) {
      const empty = timeline.rows.length === 0;
      fill(this.head, h("div.note", icon(empty ? "chat" : "lock"), h("p", empty ? t("chat.empty") : t("chat.beginning"))));
    } else if (timeline.messages.length) fill(this.head, h("div.note.loading", { role: "status" }, t("chat.loading")));
    else fill(this.head);
  }

  /** The server has more behind what is shown, as far as anybody knows. */
  #drawTail() {
    const { timeline } = this;
    const gap = timeline.hasNewer || timeline.isLoading ? null : timeline.endGap;
    if (gap === this.#tailGap) return;
    this.#tailGap = gap;
    fill(this.tail, gap ? gapLine({ click: (event) => busy(event.currentTarget, () => timeline.refresh()) }) : null);
  }

  #tailGap = null;

  #drawJump() {
    this.jump.hidden = this.#stuck;
    if (this.#stuck) return;
    const label = this.#fresh ? t("chat.jump-new", { n: this.#fresh }) : t("chat.jump");
    this.jump.setAttribute("aria-label", label);
    this.jump.title = label;
    fill(this.jump, this.#fresh ? h("span.badge", number(this.#fresh)) : null, icon("down"));
  }
}

customElements.define("apus-timeline", TimelineView);
