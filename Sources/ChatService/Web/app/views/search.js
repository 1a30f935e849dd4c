// SPDX-License-Identifier: Apache-2.0
import * as client from "../api/client.js";
import { avatar, errorText, fill, h, icon, pageHeader, router, shortTime, store, t } from "../ui/basics.js";
import { pictureOf } from "./chat-list.js";
import { senderName } from "./message.js";
import { openMessage } from "./open-message.js";

const WAIT = 200;

/** Full-text search in everything the core has, with a jump to the place. */
export class Search extends HTMLElement {
  #timer = null;
  #running = null;

  connectedCallback() {
    if (this.field) return this.field.focus();
    this.field = h("input", { type: "search", label: t("search.field"), autocomplete: "off",
      input: () => { clearTimeout(this.#timer); this.#timer = setTimeout(() => this.#search(), WAIT); } });
    this.where = h("select", { "aria-label": t("search.where"), change: () => this.#search() }, h("option", { value: "" }, t("search.everywhere")),
      store.ordered.slice(0, 100).map((one) => h("option", { value: `${one.account} ${one.conversation}` }, store.name(one.account, one.conversation))));
    this.since = h("input", { type: "date", "aria-label": t("search.since"), change: () => this.#search() });
    this.files = h("input", { type: "checkbox", change: () => this.#search() });
    this.count = h("p.search-count", { role: "status" });
    this.results = h("ul.plain-list");
    fill(this, pageHeader(t("action.search"), () => router.back(["chats"])),
    h("div.search-field", icon("search"), this.field), h("div.inset.search-filters", this.where, this.since, h("label.check", this.files, h("span", t("search.files")))), this.count, h("div.scroller", this.results));
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
      const { hits, more } = await client.search({
        q, account, conversation, before, limit: 30, since: this.since.value && new Date(`${this.since.value}T00:00`).toISOString(), has: this.files.checked ? "file" : null,
      }, this.#running.signal);
      if (!before) fill(this.results);
      this.results.querySelector(".more")?.remove();
      this.results.append(...hits.map((hit) => this.#row(hit)));
      if (more) this.results.append(h("li.more", h("button.button.quiet.wide", () => this.#search(more), t("search.more"))));
      fill(this.count, t("search.found", { n: this.results.querySelectorAll(".hit").length }));
    } catch (error) {
      if (error.name !== "AbortError") fill(this.count, errorText(error));
    }
  }

  #row({ message, ranges }) {
    const name = store.name(message.account, message.conversation);
    return h("li.hit", h("button.row", () => openMessage(message),
      avatar({ address: message.conversation, name, picture: pictureOf(message) }),
      h("span.row-text", h("span.row-top", h("span.row-name", h("bdi", name)), h("time", shortTime(new Date(message.time)))),
        h("span.preview.two-lines", `${senderName(message)}: `, marked(message.body, ranges)))));
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
    pieces.push(body.slice(at, start), h("mark", body.slice(start, start + length)));
    at = start + length;
  }
  pieces.push(body.slice(at, from + 240));
  return pieces;
}

customElements.define("apus-search", Search);
