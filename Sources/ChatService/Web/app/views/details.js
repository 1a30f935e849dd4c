// SPDX-License-Identifier: Apache-2.0
// Who somebody is: beside a chat, or as a page of its own for a contact.
import { block } from "../api/accounts.js";
import * as client from "../api/client.js";
import {
  actionRow, attempt, avatar, clock, copyText, dayName, fact, fill, h, icon, iconButton, isMuted, known, loadStyle, number, router, segments, store, t, toast, toastError, View,
} from "../ui/basics.js";
import { fieldOf, formSheet } from "../ui/forms.js";
import { confirm, showMenu } from "../ui/overlay.js";
import { roomOf } from "../model/rooms.js";
import { pictureOf } from "./chat-list.js";
import { changeConversation, mutedFor } from "./conversation-menu.js";
import { presenceLine } from "./chat.js";

await loadStyle("forms");
await loadStyle("details");

export class Details extends View {
  #profile = null;

  constructor(account, address, place) {
    super();
    Object.assign(this, { account, address, place });
  }

  connectedCallback() {
    for (const topic of ["contacts", "conversations", "rooms"]) this.until(store.on(topic, () => this.#draw()));
    this.until(store.on("contacts", () => this.#ask()));
    this.#ask();
    this.#draw();
  }

  /** Who they are, and which programs their devices run; again for a device that came since, a few times. */
  #ask() {
    const resources = store.contact(this.account, this.address)?.presence.resources ?? [];
    if (this.#asked && (this.#asked.times > 5 || resources.every((one) => this.#asked.resources.has(one)))) return;
    this.#asked = { resources: new Set(resources), times: (this.#asked?.times ?? 0) + 1 };
    client.contactProfile(this.account, this.address).then((profile) => { this.#profile = profile; this.#draw(); }, () => {});
  }

  #asked = null;

  #draw() {
    const { account, address } = this;
    const contact = store.contact(account, address);
    const one = store.conversation(account, address);
    const name = store.name(account, address);
    const room = one.kind === "room";
    const line = presenceLine(contact, address, one, roomOf(account, address));
    const signature = JSON.stringify([contact, name, line, one.picture, one.pinned, one.level, one.muted_until, one.archived, this.#profile]);
    if (signature === this.#signature) return;
    this.#signature = signature;
    const inChat = this.place === "chat";
    fill(this,
      h("header.chat-header",
        inChat ? iconButton("close", t("action.close"), () => this.#close()) : iconButton("back", t("action.back"), () => this.#close(), "only-narrow"),
        h("h2.pane-title", room ? t("details.room") : t("details.contact"))),
      h("div.scroller.details", { tabindex: "0", role: "group", "aria-label": name },
        h("div.portrait", avatar({ address, name, picture: pictureOf(one), room, presence: contact?.presence.availability, size: "huge" }),
          h("h3", { dir: "auto" }, name), h("p.subtitle", { dir: "auto" }, line)),
        h("div.quick",
          inChat ? null : this.#quick("chat", t("action.message"), () => router.go(["chat", account, address])),
          this.#quick(isMuted(one) ? "bell" : "bell-off", isMuted(one) ? t("action.unmute") : t("action.mute"), () => this.#change(isMuted(one) ? { level: "all", muted_until: null } : { level: "none" })),
          this.#quick("pin", one.pinned ? t("action.unpin") : t("action.pin"), () => this.#change({ pinned: !one.pinned })),
          this.#quick("copy", t("details.copy-address"), () => copyText(address)),
          !contact && !room ? this.#quick("user-plus", t("people.add"), () => import("./add-contact.js").then(({ addContact }) => addContact(address))) : null),
        this.#level(one),
        h("dl.facts.card", this.#facts(contact, room)), room ? this.#room() : null,
        this.#end(contact, room)));
  }

  #signature = "";

  #quick(picture, label, action) {
    return h("button", action, icon(picture), h("span", label));
  }

  #facts(contact, room) {
    const profile = this.#profile ?? {};
    return [
      fact(t("details.address"), this.address, "ltr"),
      store.hasSeveralAccounts ? fact(t("details.account"), this.account, "ltr") : null,
      room ? null : contact ? fact(t("details.sharing"), known("subscription", contact.asked ? "asked" : contact.subscription, contact.subscription)) : fact(t("details.sharing"), t("details.stranger")),
      contact?.groups.length ? fact(t("details.groups"), contact.groups.join(", ")) : null,
      contact?.presence.resources.length ? fact(t("details.devices"), this.#devices(contact.presence.resources)) : null,
      fact(t("profile.name"), profile.name), fact(t("profile.nickname"), profile.nickname), fact(t("profile.organization"), profile.organization),
      fact(t("profile.note"), profile.note), (profile.emails ?? []).map((one) => fact(t("profile.email"), one, "ltr")),
      (profile.phones ?? []).map((one) => fact(t("profile.phone"), one, "ltr")),
    ];
  }

  /** By the name of the program where it tells one; what a server or a program made up to tell devices apart says little. */
  #devices(resources) {
    const programs = new Map((this.#profile?.devices ?? []).map((one) => [one.resource, one.program]));
    const names = resources.map((one) => programs.get(one) ?? one);
    return [...new Set(names)].map((name) => { const n = names.filter((one) => one === name).length; return n > 1 ? `${name} (${number(n)})` : name; }).join(", ");
  }

  #level(one) {
    const group = segments(t("details.notify"), [["all", t("notify.all")], ["mentions", t("notify.mentions")], ["none", t("notify.none")]], one.level ?? "all", (level) => this.#change({ level }));
    const until = one.muted_until && new Date(one.muted_until) > new Date() ? new Date(one.muted_until) : null;
    return h("section.card.notify-card", h("h4", t("details.notify")), group, h("h4", t("mute.title")),
      until ? h("p.muted-until", icon("bell-off"), h("span", t("mute.until", { time: `${dayName(until)}, ${clock(until)}` })), h("button.text-button", () => this.#change({ muted_until: null }), t("action.unmute")))
        : segments(t("mute.title"), [[1, t("mute.hour")], [8, t("mute.hours")], [168, t("mute.week")]], 0, (hours) => this.#change(mutedFor(hours))));
  }

  #end(contact, room) {
    const rows = [
      actionRow("image", t("gallery.title"), () => import("./gallery.js").then(({ showGallery }) => showGallery(this.account, this.address))),
      actionRow("download", t("details.export"), (event) => this.#export(event.currentTarget)),
    ];
    if (contact) rows.push(actionRow("edit", t("details.rename"), () => this.#rename(contact)));
    if (contact) rows.push(actionRow("trash", t("details.remove"), () => this.#remove(), true));
    if (!room) {
      rows.push(actionRow("block", t("details.block"), () => this.#block(false), true), actionRow("warning", t("people.block-report"), () => this.#block(true), true));
    }
    return h("div.card.rows", rows);
  }

  #change(change) {
    return changeConversation({ account: this.account, conversation: this.address }, change);
  }

  /** Kept over redraws: it has a field and a place in a list. */
  #room() {
    this.roomPlace ??= h("div.room-place");
    if (!this.roomPlace.firstChild) import("./room-details.js").then(({ RoomDetails }) => this.roomPlace.firstChild || fill(this.roomPlace, new RoomDetails(this.account, this.address)));
    return this.roomPlace;
  }

  #rename(contact) {
    const field = h("input", { value: contact.name ?? "", dir: "auto", maxlength: "200" });
    return formSheet(t("details.rename"), t("action.save"), fieldOf(t("people.name"), field), () =>
      client.changeContact(this.account, this.address, { name: field.value.trim() }));
  }

  async #remove() {
    const name = store.name(this.account, this.address);
    if (!(await confirm({ title: t("details.remove-title", { name }), text: t("details.remove-text"), action: t("action.remove"), danger: true }))) return;
    await attempt(async () => {
      await client.removeContact(this.account, this.address);
      store.contacts.delete(`${this.account} ${this.address}`);
      store.changed("contacts");
      toast(t("details.removed", { name }));
      if (this.place === "contact") router.back(["people"]);
    });
  }

  async #block(report) {
    const name = store.name(this.account, this.address);
    const action = report ? t("people.block-report") : t("details.block");
    if (!(await confirm({ title: t("details.block-title", { name }), text: t("details.block-text"), action, danger: true }))) return;
    await block(this.account, this.address, report ? { report: true, reason: "spam" } : {}).then(() => toast(t("people.blocked", { name })), toastError);
  }

  async #export(anchor) {
    const format = await showMenu({ label: t("details.export"), anchor, items: [
      { label: t("export.html"), icon: "globe", value: "html" }, { label: t("export.text"), icon: "text", value: "text" }, { label: t("export.json"), icon: "file", value: "json" },
    ] });
    if (format) h("a", { href: client.exportURL(this.account, this.address, format), download: "" }).click();
  }

  #close() {
    if (this.place === "contact") return router.back(["people"]);
    if (router.parts[3] === "details") return router.back(["chat", this.account, this.address]);
    localStorage.setItem("apus.details", "hidden");
    router.emit("route", router.parts);
  }
}

customElements.define("apus-details", Details);
