// SPDX-License-Identifier: Apache-2.0
import * as client from "../api/client.js";
import { folded, keyOf } from "../model/conversations.js";
import { avatar, fill, fullTime, h, href, icon, isMuted, known, number, router, shortTime, store, t, View } from "../ui/basics.js";
import { onLongPress } from "../ui/long-press.js";
import { stateMark } from "../ui/state-mark.js";
import { VirtualList } from "../ui/virtual-list.js";

export class ChatList extends View {
  #filter = "all";
  #query = "";
  connectedCallback() {
    if (!this.rows) this.#build();
    this.until(
      store.on("conversations", () => this.#draw()), store.on("typing", () => this.#draw()),
      store.on("contacts", () => this.#draw()), store.on("requests", () => this.#drawRequests()),
      router.on("route", () => this.#mark()));
    this.#draw();
  }

  #build() {
    this.field = h("input", {
      type: "search", label: t("list.filter"), autocomplete: "off", spellcheck: "false",
      input: () => { this.#query = folded(this.field.value.trim()); this.#draw(); },
      keydown: (event) => this.#fieldKey(event),
    });
    this.rows = new VirtualList({
      label: t("tab.chats"), key: keyOf, render: (one, old) => this.#row(one, old),
      empty: h("div.empty", icon("chat"), h("p", t("list.empty")),
        h("a.button", { href: href("new") }, t("list.begin"))),
    });
    this.filters = h("div.chips", { role: "group", "aria-label": t("list.filters") },
      ["all", "unread", "groups", "strangers", "archived"].map((name) =>
        h("button.chip", { "aria-pressed": String(name === this.#filter), data: { name }, click: () => this.#pick(name) }, known("filter", name))));
    this.requests = h("a.requests-row", { href: href("people"), hidden: true });
    this.unsent = h("button.unsent-row", { type: "button", hidden: true, click: () => this.#openUnsent() });
    fill(this,
      h("header.list-header", h("h1", t("tab.chats")),
        h("a.icon-button", { href: href("search"), label: t("action.search") }, icon("search")),
        h("a.icon-button", { href: href("new"), label: t("new.title") }, icon("new-chat"))),
      h("div.search-field", icon("search"), this.field),
      this.filters, this.unsent, this.requests, this.rows.element);
  }

  #fieldKey(event) {
    if (event.key === "ArrowDown") this.rows.focus(0);
    else if (event.key === "Enter" && this.rows.items[0]) open(this.rows.items[0]);
    else if (event.key === "Escape" && this.field.value) {
      this.field.value = this.#query = "";
      this.#draw();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #pick(name) {
    this.#filter = name;
    for (const chip of this.filters.children) chip.setAttribute("aria-pressed", String(chip.dataset.name === name));
    this.#draw();
  }

  #draw() {
    const archived = store.ordered.some((one) => one.archived);
    const strangers = store.ordered.some((one) => isApart(one));
    if ((!archived && this.#filter === "archived") || (!strangers && this.#filter === "strangers")) return this.#pick("all");
    this.filters.querySelector("[data-name=archived]").hidden = !archived;
    this.filters.querySelector("[data-name=strangers]").hidden = !strangers;
    this.filters.querySelector("[data-name=groups]").hidden = !store.ordered.some((one) => one.kind === "room");
    let shown = store.ordered.filter((one) => {
      if (this.#filter === "archived") return one.archived;
      if (this.#filter === "strangers") return isApart(one);
      if (this.#filter === "groups" && one.kind !== "room") return false;
      return this.#query || (!one.archived && !isApart(one));
    });
    if (this.#filter === "unread") shown = shown.filter((one) => one.unread > 0 || keyOf(one) === store.openKey);
    if (this.#query) {
      shown = shown.filter((one) =>
        folded(`${store.name(one.account, one.conversation)} ${one.conversation}`).includes(this.#query));
    }
    this.rows.items = shown;
    // Nobody is told that there are no chats before that is known.
    if (!store.isFresh) this.rows.empty.hidden = true;
    this.#drawRequests();
  }

  #drawRequests() {
    const count = store.requests.size;
    this.requests.hidden = count === 0 || this.#query !== "";
    fill(this.requests, icon("user-plus"), h("span", t("people.requests-count", { n: count })), icon("chevron", "flip"));
    const failed = store.ordered.filter(isUnsent).length;
    this.unsent.hidden = failed === 0;
    fill(this.unsent, icon("warning"), h("span", t("list.unsent", { n: failed })));
  }

  #openUnsent() {
    const one = store.ordered.find(isUnsent);
    if (one) open(one);
  }

  #mark() {
    for (const link of this.rows.list.querySelectorAll("a")) {
      const current = link.dataset.key === store.openKey;
      if (current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  #row(one, old) {
    const key = keyOf(one);
    const name = store.name(one.account, one.conversation);
    const contact = store.contact(one.account, one.conversation);
    const draft = store.drafts.get(key)?.body ?? one.draft;
    const typing = store.typing.has(key);
    const muted = isMuted(one);
    const time = one.last ? new Date(one.last.time) : null;
    const signature = JSON.stringify([one, name, contact?.presence.availability, draft, typing, muted, key === store.openKey, time && shortTime(time)]);
    if (old?.signature === signature) return old;
    const link = h("a", {
      href: href("chat", one.account, one.conversation), class: "row", data: { key }, "aria-current": key === store.openKey ? "true" : null,
    },
    avatar({ address: one.conversation, name, picture: pictureOf(one), room: one.kind === "room" || !!one.room, presence: contact?.presence.availability }),
    h("span.row-text",
      h("span.row-top",
        h("span.row-name", h("bdi", name)),
        muted ? labelled("bell-off", t("list.muted")) : null,
        one.pinned ? labelled("pin", t("list.pinned")) : null,
        time ? h("time", { datetime: one.last.time, title: fullTime(time) }, shortTime(time)) : null),
      h("span.row-bottom", preview(one, { draft, typing }),
        one.mentions ? h("span.badge.mention", { "aria-label": t("list.mentions", { n: one.mentions }) }, "@") : null,
        one.unread ? h("span", { class: `badge ${muted ? "muted" : ""}` },
          h("span", { "aria-hidden": "true" }, one.unread > 999 ? "999+" : number(one.unread)),
          h("span.visually-hidden", t("list.unread", { n: one.unread }))) : null)));
    const row = h("li", { class: one.unread ? "unread" : "" }, link);
    row.signature = signature;
    link.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      openMenu(one, { x: event.clientX, y: event.clientY });
    });
    onLongPress(link, () => openMenu(one, link));
    return row;
  }
}

/** What strangers write has a place of its own, until somebody answers or opens it from there. */
const isApart = (one) => one.stranger && !one.pinned && keyOf(one) !== store.openKey;

const isUnsent = ({ last }) => last?.state === "failed" || last?.state === "needs-confirmation";

const labelled = (name, label) => h("span.row-icon", icon(name), h("span.visually-hidden", label));

const open = (one) => router.go(["chat", one.account, one.conversation]);

/** Where somebody's picture is, if there is one; its name changes with it, so that a browser asks once for each. */
export function pictureOf(one) {
  const address = one.conversation ?? one.address;
  const picture = one.picture ?? store.contact(one.account, address)?.picture ?? store.conversation(one.account, address).picture;
  return picture ? `${client.avatarURL(one.account, address)}?name=${encodeURIComponent(picture)}` : null;
}

/** The second line: typing, the draft, or the last message with its state. */
function preview(one, { draft, typing }) {
  if (typing) return h("span.preview.typing", t("chat.typing"));
  if (draft) return h("span.preview", h("b.draft", t("list.draft")), " ", h("bdi", draft.slice(0, 120)));
  const { last } = one;
  if (!last) return h("span.preview");
  const own = last.direction === "outgoing";
  const text = last.retracted ? t("message.retracted") : firstLine(last);
  const who = !own && one.kind === "room" && last.sender_name ? h("bdi", `${last.sender_name}: `) : null;
  return h("span.preview", who, own ? stateMark(last) : null,
    own && last.state !== "failed" ? h("span.visually-hidden", t("list.you"), " ") : null, h("bdi", text));
}

const firstLine = (message) => (message.body || fileLine(message.attachments?.[0])).slice(0, 160).replace(/\s+/gu, " ");

const fileLine = (file) => file ? { image: t("message.picture"), audio: t("message.voice"), video: t("message.video") }[file.type?.split("/")[0]] ?? file.name ?? t("message.file") : "";

async function openMenu(one, anchor) {
  const { conversationMenu } = await import("./conversation-menu.js");
  // A long press may come with a `contextmenu` of its own.
  if (!document.querySelector("dialog[open]")) conversationMenu(one, anchor);
}

customElements.define("chat-list", ChatList);
