// SPDX-License-Identifier: Apache-2.0
import * as client from "../api/client.js";
import { serves } from "../api/operations.js";
import { folded } from "../model/conversations.js";
import { store } from "../model/store.js";
import { errorText, toast } from "../ui/announce.js";
import { avatar } from "../ui/avatar.js";
import { fill, h } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { icon } from "../ui/icons.js";
import { showSheet } from "../ui/overlay.js";
import { href, router } from "../ui/router.js";
import { loadStyle } from "../ui/styles.js";
import { pictureOf } from "./chat-list.js";

await loadStyle("people");
await loadStyle("forms");

/** Picks which account acts, when there are several. */
export function accountField() {
  const accounts = [...store.accounts.keys()];
  const select = h("select", { name: "account" }, accounts.map((one) => h("option", { value: one }, one)));
  return { select, label: accounts.length > 1 ? h("label", { class: "field" }, h("span", {}, t("account.which")), select) : null };
}

export class NewChat extends HTMLElement {
  connectedCallback() {
    this.field = h("input", { type: "search", placeholder: t("new.field"), "aria-label": t("new.field"), autocomplete: "off", autocapitalize: "off", spellcheck: "false",
      on: { input: () => this.#draw(), keydown: (event) => { if (event.key === "Enter") this.#enter(event); } } });
    this.account = accountField();
    this.results = h("ul", { class: "plain-list", role: "list" });
    fill(this, h("header", { class: "list-header" },
      h("button", { type: "button", class: "icon-button", "aria-label": t("action.back"), on: { click: () => router.back(["chats"]) } }, icon("back", "flip")),
      h("h1", {}, t("new.title"))),
    h("div", { class: "search-field" }, icon("search"), this.field), h("div", { class: "inset" }, this.account.label ?? ""),
    h("div", { class: "scroller" }, h("div", { class: "plain-list actions" },
      h("button", { type: "button", class: "action-row", on: { click: () => addContact(this.field.value) } }, icon("user-plus"), h("span", {}, t("people.add"))),
      serves("createRoom") ? h("button", { type: "button", class: "action-row", on: { click: () => makeRoom("group") } }, icon("lock"), h("span", {}, t("new.group"), h("small", {}, t("new.group-hint")))) : null,
      serves("createRoom") ? h("button", { type: "button", class: "action-row", on: { click: () => makeRoom("channel") } }, icon("globe"), h("span", {}, t("new.channel"), h("small", {}, t("new.channel-hint")))) : null,
      serves("findChannels") ? h("button", { type: "button", class: "action-row", on: { click: () => findChannels() } }, icon("search"), h("span", {}, t("new.find-channels"))) : null),
    this.results));
    this.#draw();
    this.field.focus();
  }

  #draw() {
    const query = folded(this.field.value.trim());
    const found = [...store.contacts.values()].filter((one) => folded(`${one.name ?? ""} ${one.address}`).includes(query))
      .sort((a, b) => (a.name || a.address).localeCompare(b.name || b.address)).slice(0, 60);
    const typed = this.field.value.trim();
    const address = /^(xmpp:)?[^\s@]+@[^\s@]+$/u.test(typed) && !found.some((one) => one.address === typed);
    fill(this.results,
      address ? h("li", {}, h("button", { type: "button", class: "row", on: { click: () => this.#start(typed) } }, h("span", { class: "avatar plain" }, icon("chat")),
        h("span", { class: "row-text" }, h("span", { class: "row-name" }, t("new.write-to", { name: typed }))))) : null,
      found.map((one) => h("li", {}, h("a", { class: "row", href: href("chat", one.account, one.address) },
        avatar({ address: one.address, name: one.name, picture: pictureOf(one), presence: one.presence.availability }),
        h("span", { class: "row-text" }, h("span", { class: "row-name" }, h("bdi", {}, one.name || one.address)),
          h("span", { class: "preview" }, h("bdi", { dir: "ltr" }, one.address)))))));
  }

  #enter(event) {
    event.preventDefault();
    this.results.querySelector("button, a")?.click();
  }

  async #start(typed) {
    try {
      const found = await client.resolve({ account: this.account.select.value || undefined, conversation: typed });
      router.go(["chat", found.account ?? this.account.select.value, found.conversation]);
    } catch (error) {
      toast(errorText(error), { kind: "error" });
    }
  }
}

/** Asks for an address and a name, and adds the contact. */
export function addContact(address = "") {
  return showSheet(t("people.add"), (body, close) => {
    const account = accountField();
    const field = h("input", { name: "address", inputmode: "email", autocapitalize: "off", spellcheck: "false", dir: "ltr", required: true, placeholder: "bo@example.org", value: address.replace(/^xmpp:/, "") });
    const name = h("input", { name: "name", autocomplete: "off", dir: "auto" });
    const problem = h("p", { class: "problem", role: "alert", hidden: true });
    const button = h("button", { type: "submit", class: "button wide" }, t("people.add"));
    body.append(h("form", { on: { submit: async (event) => {
      event.preventDefault();
      button.disabled = true;
      problem.hidden = true;
      try {
        const contact = await client.addContact({ account: account.select.value || undefined, address: field.value.trim(), name: name.value.trim() || undefined, subscribe: true });
        store.contacts.set(`${contact.account} ${contact.address}`, contact);
        store.changed("contacts");
        toast(t("people.added", { name: contact.name || contact.address }));
        close(contact);
      } catch (error) {
        problem.hidden = false;
        problem.textContent = errorText(error);
        button.disabled = false;
      }
    } } }, account.label ?? "", h("label", { class: "field" }, h("span", {}, t("first.address")), field),
    h("label", { class: "field" }, h("span", {}, t("people.name")), name), h("p", { class: "hint" }, t("people.add-hint")), problem, button));
    field.focus();
  });
}

const makeRoom = async (kind) => (await import("./rooms.js")).makeRoom(kind);
const findChannels = async () => (await import("./rooms.js")).findChannels();

customElements.define("apus-new-chat", NewChat);
