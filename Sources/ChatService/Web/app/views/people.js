// SPDX-License-Identifier: Apache-2.0
// The request inbox, then everybody by how reachable they are.
import { block } from "../api/accounts.js";
import * as client from "../api/client.js";
import { folded, keyOf } from "../model/conversations.js";
import { attempt, avatar, fill, h, href, icon, iconButton, known, loadStyle, relative, router, store, t, toast, View } from "../ui/basics.js";
import { showMenu } from "../ui/overlay.js";
import { VirtualList } from "../ui/virtual-list.js";
import { addContact } from "./add-contact.js";
import { pictureOf } from "./chat-list.js";

await loadStyle("people");

const REACHABLE = new Set(["chat", "online"]);
const AWAY = new Set(["away", "xa", "dnd"]);
const group = (contact) => (REACHABLE.has(contact.presence.availability) ? 0 : AWAY.has(contact.presence.availability) ? 1 : 2);

export class People extends View {
  #query = "";

  connectedCallback() {
    if (!this.rows) this.#build();
    this.until(store.on("contacts", () => this.#draw()), store.on("requests", () => this.#drawRequests()));
    this.#draw();
    this.#drawRequests();
  }

  #build() {
    const field = h("input", { type: "search", label: t("people.filter"), autocomplete: "off", spellcheck: "false",
      input: () => { this.#query = folded(field.value.trim()); this.#draw(); } });
    this.requests = h("section.requests", { "aria-label": t("people.requests"), hidden: true });
    this.rows = new VirtualList({
      label: t("tab.people"), key: (one) => one.heading ?? `${one.account} ${one.address}`, render: (one, old) => this.#row(one, old), isHeading: (one) => one.heading !== undefined,
      empty: h("div.empty", icon("people"), h("p", t("people.empty")),
        h("button.button", () => addContact(), t("people.add"))),
    });
    this.rows.element.classList.add("people-scroller");
    fill(this, h("header.list-header", h("h1", t("tab.people")),
      iconButton("user-plus", t("people.add"), () => addContact())),
    h("div.search-field", icon("search"), field), this.requests, this.rows.element);
  }

  #draw() {
    const collator = new Intl.Collator(document.documentElement.lang, { sensitivity: "base" });
    const name = (one) => one.name || one.address;
    const all = [...store.contacts.values()]
      .filter((one) => !this.#query || folded(`${name(one)} ${one.address}`).includes(this.#query))
      .sort((a, b) => group(a) - group(b) || collator.compare(name(a), name(b)));
    const items = [];
    [t("people.online"), t("people.away"), t("people.offline")].forEach((heading, i) => {
      const part = all.filter((one) => group(one) === i);
      if (part.length) items.push({ heading: `${i}`, label: heading, n: part.length }, ...part);
    });
    this.rows.items = items;
  }

  #row(one, old) {
    const signature = JSON.stringify(one);
    if (old?.signature === signature) return old;
    const row = one.heading !== undefined
      ? h("li.section-heading", h("h2", `${one.label} `, h("span.count", String(one.n))))
      : h("li", h("a", { href: href("contact", one.account, one.address), class: "row" },
        avatar({ address: one.address, name: one.name, picture: pictureOf(one), presence: one.presence.availability }),
        h("span.row-text", h("span.row-top", h("span.row-name", h("bdi", one.name || one.address))),
          h("span.row-bottom", h("span.preview", h("bdi", subtitle(one)))))));
    row.signature = signature;
    return row;
  }

  #drawRequests() {
    const all = [...store.requests.values()];
    this.requests.hidden = all.length === 0;
    fill(this.requests, h("h2.section-title", t("people.requests-count", { n: all.length })), h("ul", all.map((one) => this.#request(one))));
  }

  #request(one) {
    const act = async (work, done) => {
      const able = (is) => card.querySelectorAll("button").forEach((button) => { button.disabled = !is; });
      able(false);
      if (!(await attempt(work))) return able(true);
      store.requests.delete(keyOf(one));
      store.changed("requests");
      if (done) toast(done);
    };
    const more = async (anchor) => {
      const picked = await showMenu({ label: t("action.more"), anchor, items: [
        { label: t("people.block"), icon: "block", value: "block", danger: true },
        { label: t("people.block-report"), icon: "warning", value: "report", danger: true },
        { label: t("people.block-domain", { domain: inviter.split("@").at(-1) }), icon: "globe", value: "domain", danger: true },
      ] });
      const target = picked === "domain" ? inviter.split("@").at(-1) : inviter.split("/")[0];
      if (picked) await act(() => block(one.account, target, { report: picked === "report", reason: "spam" }), t("people.blocked", { name: target }));
    };
    const room = one.kind === "room";
    const inviter = room ? one.inviter ?? "" : one.address;
    const card = h("li.request", avatar({ address: one.address, name: one.address, room }),
      h("div.request-text", h("bdi.request-name", one.address),
        room && inviter ? h("p", t("people.invites", { name: store.name(one.account, inviter.split("/")[0]) || inviter })) : null, one.text ? h("p", { dir: "auto" }, one.text) : null,
        one.received_at ? h("time", { datetime: one.received_at }, relative(one.received_at)) : null,
        h("div.request-buttons",
          h("button.button.small", () => act(() => accept(one), room ? null : t("people.accepted", { name: store.name(one.account, one.address) })), room ? t("room.join") : t("people.accept")),
          h("button.button.small.quiet", () => act(() => client.answer(one.account, one.address, false), t("people.declined", { name: one.address })), t("people.decline")),
          iconButton("more", t("action.more"), (event) => more(event.currentTarget)))));
    return card;
  }
}

/** Who accepts an invitation into a room goes there. */
async function accept(one) {
  await client.answer(one.account, one.address, true);
  if (one.kind !== "room") return;
  store.change({ account: one.account, conversation: one.address, kind: "room", unread: 0 });
  router.go(["chat", one.account, one.address]);
}

function subtitle(one) {
  if (one.asked && one.subscription !== "to" && one.subscription !== "both") return t("people.asked");
  const state = known("presence", one.presence.availability, "");
  return one.presence.status ? `${state} · ${one.presence.status}` : state || one.address;
}

customElements.define("apus-people", People);
