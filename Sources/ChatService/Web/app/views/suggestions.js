// SPDX-License-Identifier: Apache-2.0
// Nicknames for a word that begins with @, or by the Tab key for any beginning; they are written without the @.
import { announce, avatar, fill, h, t } from "../ui/basics.js";
import { folded } from "../model/conversations.js";
import { nicknames } from "../model/rooms.js";

const MOST = 6;

export class Suggestions {
  #found = [];
  #at = 0;
  #from = 0;

  /** `composer` has `account`, `conversation` and `insertName`. */
  constructor(composer, field) {
    Object.assign(this, { composer, field });
    this.list = h("ul.suggestions", { role: "listbox", id: "suggestions", "aria-label": t("mention.title"), hidden: true,
      pointerdown: (event) => event.preventDefault() });
    composer.form.prepend(this.list);
    field.setAttribute("aria-autocomplete", "list");
    field.addEventListener("blur", () => this.#close());
  }

  /** The word before the caret and where it begins. */
  #word() {
    const before = this.field.value.slice(0, this.field.selectionStart);
    const start = before.search(/\S*$/);
    return [before.slice(start), start];
  }

  update() {
    const [word, from] = this.#word();
    if (word.startsWith("@")) this.#search(word.slice(1), from);
    else this.#close();
  }

  #search(beginning, from) {
    const wanted = folded(beginning);
    this.#found = nicknames(this.composer.account, this.composer.conversation).filter((name) => folded(name).startsWith(wanted)).slice(0, MOST);
    this.#from = from;
    this.#at = 0;
    this.#draw();
  }

  #draw() {
    const open = this.#found.length > 0;
    if (open && this.list.hidden) announce(t("mention.found", { n: this.#found.length }));
    this.list.hidden = !open;
    fill(this.list, this.#found.map((name, i) => h("li", { role: "option", id: `${this.list.id}-${i}`, "aria-selected": String(i === this.#at), click: () => this.#take(i) },
      avatar({ address: name, name, size: "small" }), h("bdi", name))));
    if (open) {
      this.field.setAttribute("aria-controls", this.list.id);
      this.field.setAttribute("aria-activedescendant", `${this.list.id}-${this.#at}`);
    } else this.field.removeAttribute("aria-activedescendant");
  }

  #close() {
    if (this.list.hidden) return;
    this.#found = [];
    this.#draw();
  }

  #take(i) {
    const name = this.#found[i];
    const end = this.field.selectionStart;
    this.#found = [];
    this.field.setRangeText(`${name}${this.#from === 0 ? ", " : " "}`, this.#from, end, "end");
    this.field.dispatchEvent(new Event("input"));
    this.#draw();
  }

  /** True when the key was for the list. */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (this.list.hidden) {
      if (event.key !== "Tab" || event.shiftKey) return false;
      const [word, from] = this.#word();
      if (!word) return false;
      this.#search(word, from);
      if (this.#found.length === 0) return false;
      if (this.#found.length === 1) this.#take(0);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      this.#at = (this.#at + (event.key === "ArrowDown" ? 1 : -1) + this.#found.length) % this.#found.length;
      this.#draw();
    } else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey) this.#take(this.#at);
    else if (event.key === "Escape") this.#close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }
}
