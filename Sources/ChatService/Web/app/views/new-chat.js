// SPDX-License-Identifier: Apache-2.0
import * as client from "../api/client.js";
import { folded } from "../model/conversations.js";
import { actionRow, avatar, errorText, fill, h, href, icon, loadStyle, pageHeader, router, store, t, toast } from "../ui/basics.js";
import { accountField, addContact } from "./add-contact.js";
import { pictureOf } from "./chat-list.js";

await loadStyle("people");
await loadStyle("forms");

export class NewChat extends HTMLElement {
  connectedCallback() {
    this.field = h("input", { type: "search", label: t("new.field"), autocomplete: "off", plain: true,
      input: () => this.#draw(), keydown: (event) => { if (event.key === "Enter") this.#enter(event); } });
    this.account = accountField();
    this.results = h("ul.plain-list");
    fill(this, pageHeader(t("new.title"), () => router.back(["chats"])),
    h("div.search-field", icon("search"), this.field), h("div.inset", this.account.label ?? ""),
    h("div.scroller", h("div.plain-list.actions",
      actionRow("user-plus", t("people.add"), () => addContact(this.field.value)),
      h("button.action-row", () => makeRoom("group"), icon("lock"), h("span", t("new.group"), h("small", t("new.group-hint")))),
      h("button.action-row", () => makeRoom("channel"), icon("globe"), h("span", t("new.channel"), h("small", t("new.channel-hint")))),
      actionRow("qr", t("first.invite"), scanned),
      actionRow("link", t("invite.make"), () => invited(this.account.select.value)),
      actionRow("search", t("new.find-channels"), findChannels)),
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
      address ? h("li", h("button.row", () => this.#start(typed), h("span.avatar.plain", icon("chat")),
        h("span.row-text", h("span.row-name", t("new.write-to", { name: typed }))))) : null,
      found.map((one) => h("li", h("a.row", { href: href("chat", one.account, one.address) },
        avatar({ address: one.address, name: one.name, picture: pictureOf(one), presence: one.presence.availability }),
        h("span.row-text", h("span.row-name", h("bdi", one.name || one.address)),
          h("span.preview", h("bdi", { dir: "ltr" }, one.address)))))));
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

/** An invitation of somebody else, pasted or scanned. */
async function scanned() {
  const { readInvitation, takeUp } = await import("./invitation.js");
  const found = await readInvitation();
  if (found) await takeUp(found.link);
}

const invited = async (account) => (await import("./invite-friend.js")).inviteFriend(account);
const makeRoom = async (kind) => (await import("./rooms.js")).makeRoom(kind);
const findChannels = async () => (await import("./rooms.js")).findChannels();

customElements.define("apus-new-chat", NewChat);
