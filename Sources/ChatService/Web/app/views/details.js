// SPDX-License-Identifier: Apache-2.0
// Who somebody is: beside a chat, or as a page of its own for a contact.
import { block } from "../api/accounts.js";
import * as client from "../api/client.js";
import { serves } from "../api/operations.js";
import { isMuted, store } from "../model/store.js";
import { toast, toastError } from "../ui/announce.js";
import { avatar } from "../ui/avatar.js";
import { fill, h } from "../ui/dom.js";
import { known, t } from "../ui/i18n.js";
import { icon } from "../ui/icons.js";
import { confirm, showSheet } from "../ui/overlay.js";
import { router } from "../ui/router.js";
import { loadStyle } from "../ui/styles.js";
import { pictureOf } from "./chat-list.js";
import { presenceLine } from "./chat.js";

await loadStyle("forms");
await loadStyle("details");

export class Details extends HTMLElement {
  #off = [];
  #profile = null;

  constructor(account, address, place) {
    super();
    Object.assign(this, { account, address, place });
  }

  connectedCallback() {
    this.#off = [store.on("contacts", () => this.#draw()), store.on("conversations", () => this.#draw())];
    this.#draw();
    if (serves("contactProfile")) {
      client.contactProfile(this.account, this.address).then((profile) => { this.#profile = profile; this.#draw(); }, () => {});
    }
  }

  disconnectedCallback() {
    for (const off of this.#off) off();
  }

  #draw() {
    const { account, address } = this;
    const contact = store.contact(account, address);
    const one = store.conversation(account, address);
    const name = store.name(account, address);
    const room = one.kind === "room";
    const signature = JSON.stringify([contact, name, one.pinned, one.level, one.muted_until, one.archived, this.#profile]);
    if (signature === this.#signature) return;
    this.#signature = signature;
    const inChat = this.place === "chat";
    fill(this,
      h("header", { class: "chat-header" },
        h("button", { type: "button", class: inChat ? "icon-button" : "icon-button only-narrow", "aria-label": inChat ? t("action.close") : t("action.back"), on: { click: () => this.#close() } }, icon(inChat ? "close" : "back", "flip")),
        h("h2", { class: "pane-title" }, room ? t("details.room") : t("details.contact"))),
      h("div", { class: "scroller details", tabindex: "0", role: "group", "aria-label": name },
        h("div", { class: "portrait" }, avatar({ address, name, picture: pictureOf(one), room, presence: contact?.presence.availability, size: "huge" }),
          h("h3", { dir: "auto" }, name), h("p", { class: "subtitle", dir: "auto" }, presenceLine(contact, address, one))),
        h("div", { class: "quick" },
          inChat ? null : this.#quick("chat", t("action.message"), () => router.go(["chat", account, address])),
          serves("changeConversation") ? this.#quick(isMuted(one) ? "bell" : "bell-off", isMuted(one) ? t("action.unmute") : t("action.mute"), () => this.#change(isMuted(one) ? { level: "all", muted_until: null } : { level: "none" })) : null,
          serves("changeConversation") ? this.#quick("pin", one.pinned ? t("action.unpin") : t("action.pin"), () => this.#change({ pinned: !one.pinned })) : null,
          this.#quick("copy", t("details.copy-address"), () => this.#copy()),
          !contact && !room ? this.#quick("user-plus", t("people.add"), () => import("./new-chat.js").then(({ addContact }) => addContact(address))) : null),
        serves("changeConversation") ? this.#level(one) : null,
        h("dl", { class: "facts card" }, this.#facts(contact, room)), room && serves("room") ? this.#members() : null,
        this.#end(contact, room)));
  }

  #signature = "";

  #quick(picture, label, action) {
    return h("button", { type: "button", on: { click: action } }, icon(picture), h("span", {}, label));
  }

  #facts(contact, room) {
    const line = (label, value, dir = "auto") => (value ? h("div", {}, h("dt", {}, label), h("dd", { dir }, value)) : null);
    const profile = this.#profile ?? {};
    return [
      line(t("details.address"), this.address, "ltr"),
      store.hasSeveralAccounts ? line(t("details.account"), this.account, "ltr") : null,
      room ? null : contact ? line(t("details.sharing"), known("subscription", contact.asked ? "asked" : contact.subscription, contact.subscription)) : line(t("details.sharing"), t("details.stranger")),
      contact?.groups.length ? line(t("details.groups"), contact.groups.join(", ")) : null,
      contact?.presence.resources.length ? line(t("details.devices"), contact.presence.resources.join(", ")) : null,
      line(t("profile.name"), profile.name), line(t("profile.nickname"), profile.nickname), line(t("profile.organization"), profile.organization),
      line(t("profile.note"), profile.note), (profile.emails ?? []).map((one) => line(t("profile.email"), one, "ltr")),
      (profile.phones ?? []).map((one) => line(t("profile.phone"), one, "ltr")),
    ];
  }

  #level(one) {
    const level = one.level ?? "all";
    const group = h("div", { class: "segments", role: "radiogroup", "aria-label": t("details.notify") }, [["all", t("notify.all")], ["mentions", t("notify.mentions")], ["none", t("notify.none")]].map(([value, label]) =>
      h("button", { type: "button", role: "radio", "aria-checked": String(level === value), on: { click: () => this.#change({ level: value }) } }, label)));
    return h("section", { class: "card" }, h("h4", {}, t("details.notify")), group);
  }

  #end(contact, room) {
    const rows = [];
    if (serves("export")) rows.push(h("a", { class: "action-row", href: client.exportURL(this.account, this.address, "html"), download: "" }, icon("download"), h("span", {}, t("details.export"))));
    if (contact && serves("changeContact")) rows.push(this.#row("edit", t("details.rename"), () => this.#rename(contact)));
    if (contact) rows.push(this.#row("trash", t("details.remove"), () => this.#remove(), true));
    if (!room && serves("block")) rows.push(this.#row("block", t("details.block"), () => this.#block(), true));
    return rows.length ? h("div", { class: "card rows" }, rows) : null;
  }

  #row(picture, label, action, danger = false) {
    return h("button", { type: "button", class: danger ? "action-row danger" : "action-row", on: { click: action } }, icon(picture), h("span", {}, label));
  }

  async #change(change) {
    const before = store.conversation(this.account, this.address);
    store.change({ ...before, ...change });
    try {
      await client.changeConversation(this.account, this.address, change);
    } catch (error) {
      store.change(before);
      toastError(error);
    }
  }

  async #copy() {
    await navigator.clipboard?.writeText(this.address).then(() => toast(t("message.copied")), () => toast(t("message.not-copied"), { kind: "error" }));
  }

  #members() {
    const place = h("div", {});
    import("./rooms.js").then(({ Members }) => fill(place, new Members(this.account, this.address)));
    return place;
  }

  #rename(contact) {
    return showSheet(t("details.rename"), (body, close) => {
      const field = h("input", { value: contact.name ?? "", dir: "auto", maxlength: "200" });
      body.append(h("form", { on: { submit: async (event) => {
        event.preventDefault();
        try {
          await client.changeContact(this.account, this.address, { name: field.value.trim() });
          close();
        } catch (error) {
          toastError(error);
        }
      } } }, h("label", { class: "field" }, h("span", {}, t("people.name")), field), h("button", { type: "submit", class: "button wide" }, t("action.save"))));
      field.focus();
    });
  }

  async #remove() {
    const name = store.name(this.account, this.address);
    if (!(await confirm({ title: t("details.remove-title", { name }), text: t("details.remove-text"), action: t("action.remove"), danger: true }))) return;
    try {
      await client.removeContact(this.account, this.address);
      store.contacts.delete(`${this.account} ${this.address}`);
      store.changed("contacts");
      toast(t("details.removed", { name }));
      if (this.place === "contact") router.back(["people"]);
    } catch (error) {
      toastError(error);
    }
  }

  async #block() {
    const name = store.name(this.account, this.address);
    if (!(await confirm({ title: t("details.block-title", { name }), text: t("details.block-text"), action: t("details.block"), danger: true }))) return;
    await block(this.account, this.address).then(() => toast(t("people.blocked", { name })), toastError);
  }

  #close() {
    if (this.place === "contact") return router.back(["people"]);
    if (router.parts[3] === "details") return router.back(["chat", this.account, this.address]);
    localStorage.setItem("apus.details", "hidden");
    router.emit("route", router.parts);
  }
}

customElements.define("apus-details", Details);
