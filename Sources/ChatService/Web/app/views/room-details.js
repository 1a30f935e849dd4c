// SPDX-License-Identifier: Apache-2.0
// What belongs to a room in its details: topic and name, our nickname, members with what may be done, and the way out.
import * as rooms from "../api/rooms.js";
import { folded } from "../model/conversations.js";
import { isModerator, loadRoom, mayChange, mayKick, ourselves, roomOf } from "../model/rooms.js";
import { actionRow, attempt, avatar, fill, h, icon, iconButton, known, router, store, t, toast, toastError, View } from "../ui/basics.js";
import { fieldOf, formSheet } from "../ui/forms.js";
import { confirm, showMenu } from "../ui/overlay.js";
import { expel } from "./moderation.js";
import { pictureField, publish } from "./picture-field.js";
import { contactPicker } from "./rooms.js";

const ORDER = ["owner", "admin", "member", "none", "outcast"];
const MANY = 12;
const SHOWN = 200;

export class RoomDetails extends View {
  #query = "";

  constructor(account, address) {
    super();
    Object.assign(this, { account, address });
  }

  connectedCallback() {
    this.until(store.on("rooms", () => this.#draw()));
    this.until(store.on("conversations", () => this.hasPicture !== this.#hasPicture && this.#draw()));
    this.file = pictureField(this.#changePicture);
    this.search = h("input", { type: "search", label: t("room.find-member"), autocomplete: "off",
      input: () => { this.#query = folded(this.search.value.trim()); this.#drawMembers(); } });
    this.list = h("ul", { class: "members" });
    this.#draw();
    loadRoom(this.account, this.address).catch(() => {});
  }

  get #hasPicture() {
    return !!store.conversation(this.account, this.address).picture;
  }

  #changePicture = (cut) => rooms.changeRoomAvatar(this.account, this.address, cut);

  #draw() {
    this.hasPicture = this.#hasPicture;
    const room = roomOf(this.account, this.address);
    if (!room) return;
    this.room = room;
    const own = ourselves(room);
    const owner = own?.affiliation === "owner";
    fill(this,
      h("section.card.rows",
        h("div.topic", h("h4", t("room.topic")), room.topic ? h("p", { dir: "auto" }, room.topic) : h("p.hint", t("room.no-topic"))),
        own ? [actionRow("edit", t("room.change-topic"), () => this.#change("topic", t("room.topic"), room.topic)),
          owner ? actionRow("text", t("room.rename"), () => this.#change("name", t("people.name"), room.name)) : null,
          owner ? [this.file, actionRow("image", t("profile.picture"), () => this.file.click()),
            this.hasPicture ? actionRow("trash", t("profile.no-picture"), () => publish(this.#changePicture)) : null] : null,
          actionRow("people", `${t("room.nick")}: ${room.nick ?? ""}`, () => this.#change("nick", t("room.nick"), room.nick))] : null,
        actionRow("user-plus", t("room.invite"), () => this.#invite())),
      h("section.card.rows", h("h4.inset", t("room.count", { n: (room.members ?? []).filter((one) => one.affiliation !== "outcast").length })),
        (room.members ?? []).length > MANY ? h("div.search-field", icon("search"), this.search) : null, this.list),
      h("section.card.rows", actionRow("sign-out", t("room.leave"), () => this.#leave(false), true),
        owner ? actionRow("trash", t("room.destroy"), () => this.#leave(true), true) : null));
    this.#drawMembers();
  }

  #drawMembers() {
    const name = (one) => one.nick || one.address || "";
    const members = (this.room.members ?? []).filter((one) => !this.#query || folded(`${name(one)} ${one.address ?? ""}`).includes(this.#query))
      .sort((a, b) => !!b.online - !!a.online || ORDER.indexOf(a.affiliation) - ORDER.indexOf(b.affiliation) || name(a).localeCompare(name(b)));
    fill(this.list, members.slice(0, SHOWN).map((one) => this.#member(one, name(one))));
  }

  #member(one, name) {
    const own = one === ourselves(this.room);
    const role = [one.affiliation === "none" ? "" : known("affiliation", one.affiliation), one.role === "moderator" || one.role === "visitor" ? known("role", one.role) : ""].filter(Boolean).join(", ");
    const items = this.#actions(one);
    return h("li.device", avatar({ address: one.nick ?? one.address, name, size: "small", presence: one.online ? "online" : null }),
      h("span.row-text", h("span.row-name", h("bdi", name), own ? ` (${t("message.you")})` : ""), role ? h("span.preview", role) : null),
      items.length ? iconButton("more", `${t("action.more")}: ${name}`, (event) => this.#act(one, name, items, event.currentTarget)) : null);
  }

  /** What may be done with somebody, for what we are to the room. */
  #actions(one) {
    const { room } = this;
    const items = [];
    if (one === ourselves(room)) return items;
    if (one.address && !store.contact(this.account, one.address)) items.push({ label: t("people.add"), icon: "user-plus", value: "add" });
    if (one.address) items.push({ label: t("action.message"), icon: "chat", value: "message" });
    if (isModerator(room) && one.online && one.role !== "moderator") {
      items.push(one.role === "visitor" ? { label: t("room.give-voice"), icon: "check", value: { role: "participant" } } : { label: t("room.take-voice"), icon: "bell-off", value: { role: "visitor" } });
    }
    if (mayChange(room, one)) {
      for (const [affiliation, label, picture] of [["owner", t("room.make-owner"), "key"], ["admin", t("room.make-admin"), "shield"], ["member", t("room.make-member"), "people"], ["none", t("room.make-none"), "undo"]]) {
        const high = affiliation === "owner" || affiliation === "admin";
        if (one.affiliation !== affiliation && (!high || ourselves(room).affiliation === "owner")) items.push({ label, icon: picture, value: { affiliation } });
      }
    }
    if (mayKick(room, one)) items.push({ label: t("room.kick"), icon: "sign-out", value: "kick", danger: true });
    if (mayChange(room, one) && one.affiliation !== "outcast") items.push({ label: t("room.remove"), icon: "block", value: "ban", danger: true });
    return items;
  }

  async #act(one, name, items, anchor) {
    const picked = await showMenu({ label: name, anchor, items });
    if (!picked) return;
    if (picked === "message") return router.go(["chat", this.account, one.address]);
    if (picked === "add") return (await import("./add-contact.js")).addContact(one.address);
    if (picked === "kick" || picked === "ban") await expel(this.account, this.address, one, picked === "ban");
    else await rooms.changeMember(this.account, this.address, one, picked).catch(toastError);
    await loadRoom(this.account, this.address).catch(() => {});
  }

  #change(what, label, value) {
    const field = what === "topic" ? h("textarea", { rows: "3", dir: "auto", maxlength: "1000", name: what }, value ?? "") : h("input", { value: value ?? "", dir: "auto", maxlength: "200", name: what, required: true });
    return formSheet(label, t("action.save"), fieldOf(label, field), async () => {
      await rooms.changeRoom(this.account, this.address, { [what]: field.value.trim() });
      await loadRoom(this.account, this.address).catch(() => {});
    });
  }

  #invite() {
    const people = contactPicker(this.account);
    return formSheet(t("room.invite"), t("room.invite"), people.element, async () => {
      const chosen = people.chosen();
      if (chosen.length === 0) return false;
      await rooms.invite(this.account, this.address, chosen);
      toast(t("room.invited"));
      return true;
    });
  }

  async #leave(destroy) {
    const action = destroy ? t("room.destroy") : t("room.leave");
    if (!(await confirm({ title: action, text: destroy ? t("room.destroy-text") : t("room.leave-text"), action, danger: true }))) return;
    await attempt(async () => {
      await rooms.leaveRoom(this.account, this.address, destroy);
      router.go(["chats"], { replace: true });
      store.refresh();
    });
  }
}

customElements.define("apus-room-details", RoomDetails);
