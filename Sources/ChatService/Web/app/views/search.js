// SPDX-License-Identifier: Apache-2.0
import * as client from "../api/client.js";
import { store } from "../model/store.js";
import { errorText } from "../ui/announce.js";
import { avatar } from "../ui/avatar.js";
import { fill, h } from "../ui/dom.js";
import { shortTime } from "../ui/format.js";
import { t } from "../ui/i18n.js";
import { icon } from "../ui/icons.js";
import { router } from "../ui/router.js";
import { pictureOf } from "./chat-list.js";
import { senderName } from "./message.js";

const WAIT = 200;

/** Full-text search in everything the core has, with a jump to the place. */
export class Search extends HTMLElement {
  #timer = null;
  #running = null;

  connectedCallback() {
    if (this.field) return this.field.focus();
    this.field = h("input", { type: "search", placeholder: t("search.field"), "aria-label": t("search.field"), autocomplete: "off",
      on: { input: () => { clearTimeout(this.#timer); this.#timer = setTimeout(() => this.#search(), WAIT); } } });
    this.where = h("select", { "aria-label": t("search.where"), on: { change: () => this.#search() } }, h("option", { value: "" }, t("search.everywhere")),
      store.ordered.slice(0, 100).map((one) => h("option", { value: `${one.account} ${one.conversation}` }, store.name(one.account, one.conversation))));
    this.count = h("p", { class: "search-count", role: "status" });
    this.results = h("ul", { class: "plain-list", role: "list" });
    fill(this, h("header", { class: "list-header" },
      h("button", { type: "button", class: "icon-button", "aria-label": t("action.back"), on: { click: () => router.back(["chats"]) } }, icon("back", "flip")), h("h1", {}, t("action.search"))),
    h("div", { class: "search-field" }, icon("search"), this.field), h("div", { class: "inset" }, this.where), this.count, h("div", { class: "scroller" }, this.results));
    this.field.focus();
  }

  async #search(before = null) {
    const q = this.field.value.trim();
    this.#running?.abort();
    if (!q) {
      fill(this.results);
      fill(this.count);
      return;
    }
    this.#running = new AbortController();
    const [account, conversation] = this.where.value.split(" ");
    try {
      const { hits, more } = await client.search({ q, account, conversation, before, limit: 30 }, this.#running.signal);
      if (!before) fill(this.results);
      this.results.querySelector(".more")?.remove();
      this.results.append(...hits.map((hit) => this.#row(hit)));
      if (more) this.results.append(h("li", { class: "more" }, h("button", { type: "button", class: "button quiet wide", on: { click: () => this.#search(more) } }, t("search.more"))));
      fill(this.count, t("search.found", { n: this.results.querySelectorAll(".hit").length }));
    } catch (error) {
      if (error.name !== "AbortError") fill(this.count, errorText(error));
    }
  }

  #row({ message, ranges }) {
    const name = store.name(message.account, message.conversation);
    return h("li", { class: "hit" }, h("button", { type: "button", class: "row", on: { click: () => this.#open(message) } },
      avatar({ address: message.conversation, name, picture: pictureOf(message) }),
      h("span", { class: "row-text" }, h("span", { class: "row-top" }, h("span", { class: "row-name" }, h("bdi", {}, name)), h("time", {}, shortTime(new Date(message.time)))),
        h("span", { class: "preview two-lines" }, `${senderName(message)}: `, marked(message.body, ranges)))));
  }

  #open(message) {
    router.go(["chat", message.account, message.conversation]);
    const chat = document.querySelector("apus-chat");
    const show = (view) => view?.view?.show(message.id);
    if (chat?.conversation === message.conversation) show(chat);
    else document.querySelector("apus-shell")?.addEventListener("shown", () => setTimeout(() => show(document.querySelector("apus-chat")), 150), { once: true });
  }
}

/** The text around the first hit, with the hits marked. */
function marked(body, ranges) {
  const first = ranges[0]?.[0] ?? 0;
  const from = Math.max(0, first - 40);
  const pieces = [from > 0 ? "…" : ""];
  let at = from;
  for (const [start, length] of ranges) {
    if (start < at || start > from + 200) continue;
    pieces.push(body.slice(at, start), h("mark", {}, body.slice(start, start + length)));
    at = start + length;
  }
  pieces.push(body.slice(at, from + 240));
  return pieces;
}

customElements.define("apus-search", Search);
