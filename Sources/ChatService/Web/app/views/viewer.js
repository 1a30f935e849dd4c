// SPDX-License-Identifier: Apache-2.0
// Pictures on the whole screen: two fingers, the wheel or a double click make them larger, a swipe or the arrow keys
// go to the next one, a pull downwards closes.
import { fill, fullTime, h, icon, iconButton, loadStyle, number, t } from "../ui/basics.js";
import { showOverlay } from "../ui/overlay.js";
import { source } from "./attachments.js";
import { senderName } from "./message.js";

await loadStyle("media");

const LARGEST = 8;
const FAR = 70;

/** Shows `pictures[at]`; `actions` may have `reply(message)` and `show(id)`, which close the viewer. */
export async function viewPictures(pictures, at, actions = {}) {
  if (!pictures[at]) return;
  const picked = await showOverlay("viewer", t("viewer.title"), (dialog, close) => new Viewer(dialog, close, pictures, at, actions));
  picked?.();
}

class Viewer {
  #scale = 1;
  #x = 0;
  #y = 0;
  #fingers = new Map();
  #pull = null;

  constructor(dialog, close, pictures, at, actions) {
    Object.assign(this, { dialog, close, pictures, actions });
    this.image = h("img", { draggable: "false", error: () => this.#failed(), load: () => this.area.classList.remove("waiting") });
    this.area = h("div.viewer-area", {
      pointerdown: (event) => this.#down(event), pointermove: (event) => this.#moved(event), pointerup: (event) => this.#up(event), pointercancel: (event) => this.#up(event),
      dblclick: (event) => this.#zoom(this.#scale > 1 ? 1 : 2.5, event), wheel: (event) => this.#wheel(event),
    }, this.image);
    this.heading = h("div.viewer-heading");
    this.caption = h("p.viewer-caption", { dir: "auto" });
    this.save = h("a.icon-button", { label: t("action.save") }, icon("download"));
    this.previous = iconButton("back", t("viewer.previous"), () => this.#step(-1), "viewer-step previous");
    this.next = iconButton("chevron", t("viewer.next"), () => this.#step(1), "viewer-step next");
    dialog.append(h("header", this.heading,
      actions.reply ? iconButton("reply", t("action.reply"), () => close(() => actions.reply(this.#one.message))) : "",
      actions.show ? iconButton("chat", t("viewer.in-chat"), () => close(() => actions.show(this.#one.message))) : "",
      this.save, iconButton("close", t("action.close"), () => close())), this.area, this.previous, this.next, this.caption);
    dialog.addEventListener("keydown", (event) => this.#key(event));
    this.#show(at);
  }

  get #one() {
    return this.pictures[this.at];
  }

  #show(at) {
    this.at = at;
    const { message, file } = this.#one;
    const name = file.name || t("message.picture");
    this.area.classList.add("waiting");
    this.area.querySelector(".note")?.remove();
    this.image.hidden = false;
    this.image.alt = name;
    this.image.src = source(file, "full");
    this.save.href = source(file);
    this.save.download = file.name ?? "";
    fill(this.heading, h("strong", { dir: "auto" }, senderName(message)), h("span", { role: "status" },
      this.pictures.length > 1 ? `${t("viewer.of", { n: at + 1, all: number(this.pictures.length) })} · ` : "", fullTime(message.time)));
    fill(this.caption, message.body ?? "");
    this.caption.hidden = !message.body;
    this.previous.hidden = at === 0;
    this.next.hidden = at === this.pictures.length - 1;
    this.#zoom(1);
  }

  #step(by) {
    const to = this.at + by;
    if (to >= 0 && to < this.pictures.length) this.#show(to);
  }

  #failed() {
    this.area.classList.remove("waiting");
    this.image.hidden = true;
    this.area.append(h("p.note", icon("warning"), t("viewer.failed")));
  }

  #key(event) {
    const forward = document.dir === "rtl" ? -1 : 1;
    const action = { ArrowRight: () => this.#step(forward), ArrowLeft: () => this.#step(-forward),
      "+": () => this.#zoom(this.#scale * 1.5), "-": () => this.#zoom(this.#scale / 1.5), 0: () => this.#zoom(1) }[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }

  #wheel(event) {
    event.preventDefault();
    this.#zoom(this.#scale * Math.exp(-event.deltaY / 300), event);
  }

  /** The point under the finger stays where it is. */
  #zoom(scale, at = null) {
    const next = Math.min(LARGEST, Math.max(1, scale));
    const box = this.area.getBoundingClientRect();
    const [x, y] = at ? [at.clientX - box.left - box.width / 2, at.clientY - box.top - box.height / 2] : [0, 0];
    this.#x = next === 1 ? 0 : x - ((x - this.#x) * next) / this.#scale;
    this.#y = next === 1 ? 0 : y - ((y - this.#y) * next) / this.#scale;
    this.#scale = next;
    this.#place();
  }

  #place(pull = 0) {
    this.image.style.transform = `translate(${this.#x}px, ${this.#y + pull}px) scale(${this.#scale})`;
    this.area.classList.toggle("zoomed", this.#scale > 1);
  }

  #down(event) {
    this.area.setPointerCapture?.(event.pointerId);
    this.#fingers.set(event.pointerId, event);
    this.#pull = this.#fingers.size === 1 && this.#scale === 1 ? event : null;
  }

  #moved(event) {
    const before = this.#fingers.get(event.pointerId);
    if (!before) return;
    const other = [...this.#fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const gap = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
      this.#zoom((this.#scale * gap(event)) / gap(before), { clientX: (event.clientX + other.clientX) / 2, clientY: (event.clientY + other.clientY) / 2 });
    } else if (this.#scale > 1) {
      this.#x += event.clientX - before.clientX;
      this.#y += event.clientY - before.clientY;
      this.#place();
    } else if (this.#pull) this.#place(Math.max(0, event.clientY - this.#pull.clientY));
    this.#fingers.set(event.pointerId, event);
  }

  #up(event) {
    const from = this.#pull;
    this.#fingers.delete(event.pointerId);
    this.#pull = null;
    if (!from || this.#scale > 1) return;
    this.#place();
    const [x, y] = [event.clientX - from.clientX, event.clientY - from.clientY];
    if (y > FAR && y > Math.abs(x)) this.close();
    else if (Math.abs(x) > FAR && Math.abs(x) > Math.abs(y)) this.#step((x < 0 ? 1 : -1) * (document.dir === "rtl" ? -1 : 1));
  }
}
