// SPDX-License-Identifier: Apache-2.0
import { Timeline } from "../model/timeline.js";
import { outbox } from "../model/outbox.js";
import { loadRoom, roomOf } from "../model/rooms.js";
import { announce, avatar, fill, h, href, iconButton, known, loadStyle, router, store, t, View } from "../ui/basics.js";
import { pictureOf } from "./chat-list.js";
import { conversationMenu } from "./conversation-menu.js";
import { Composer } from "./composer.js";
import { isCompact, speak } from "./message.js";
import { TimelineView } from "./timeline.js";

await loadStyle("chat");

/** One conversation: heading, timeline, composer. */
export class Chat extends View {
  constructor(account, conversation) {
    super();
    this.account = account;
    this.conversation = conversation;
  }

  connectedCallback() {
    const { account, conversation } = this;
    this.timeline = new Timeline(account, conversation);
    this.heading = h("header.chat-header");
    this.view = new TimelineView(this.timeline, {
      reply: (message) => this.composer.reply(message), edit: (message) => this.composer.edit(message),
      mention: (name) => this.composer.insertName(name),
    });
    this.composer = new Composer(account, conversation, {
      sent: () => this.view.toBottom(), lastOwn: () => this.timeline.messages.findLast((one) => one.direction === "outgoing" && !one.retracted),
    });
    fill(this, this.heading, this.view, this.composer);
    this.until(
      store.on("message", ({ message, isNew }) => this.#message(message, isNew)),
      store.on("contacts", () => this.#drawHeading()), store.on("typing", () => this.#drawHeading()),
      store.on("conversations", () => this.#drawHeading()), store.on("accounts", () => this.#drawHeading()),
      store.on("message-removed", ({ account, address, id }) => account === this.account && address === this.conversation && this.timeline.remove(id)),
      store.on("event", ({ type, activity }) => type === "room-activity" && activity.account === account && activity.room === conversation && this.timeline.activity(activity)),
      store.on("refreshed", () => this.#refresh()),
      outbox.on("sent", ({ message }) => message.conversation === conversation && message.account === account && this.timeline.sent(message)));
    this.dataset.density = isCompact({ account, conversation }) ? "compact" : "bubbles";
    if (store.conversation(account, conversation).kind === "room") this.#enterRoom();
    this.#takeDrops();
    this.#drawHeading();
    document.addEventListener("visibilitychange", this.#seen);
    addEventListener("focus", this.#seen);
    this.view.addEventListener("at-bottom", this.#seen);
    this.#isFirst = !store.isFresh;
    this.timeline.open(this.#isFirst ? 0 : store.conversation(account, conversation).unread).then(() => this.#seen());
  }

  /** Who is there, for names that are completed and for what may be done; and whether we are there ourselves. */
  async #enterRoom() {
    this.standing = h("div.standing", { role: "status", hidden: true });
    this.composer.before(this.standing);
    const draw = () => import("./room-standing.js").then(({ drawStanding }) => drawStanding(this, roomOf(this.account, this.conversation)));
    this.until(store.on("rooms", () => { this.#drawHeading(); draw(); }), store.on("conversations", draw));
    draw();
    await loadRoom(this.account, this.conversation).catch(() => {});
  }

  /** The lists came before this chat was opened, or did not: then only now it is known what is unread. */
  #isFirst = false;

  async #refresh() {
    // Whoever reads back stays where they are.
    if (!this.#isFirst && !this.view.isAtBottom) return this.timeline.lag();
    const unread = this.#isFirst ? store.conversation(this.account, this.conversation).unread : 0;
    this.#isFirst = false;
    await this.timeline.refresh(unread);
    this.#seen();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    document.removeEventListener("visibilitychange", this.#seen);
    removeEventListener("focus", this.#seen);
    this.timeline.close();
  }

  #message(message, isNew) {
    if (message.account !== this.account || message.conversation !== this.conversation) return;
    this.timeline.apply(message, isNew);
    if (!isNew || message.direction !== "incoming") return;
    if (document.hidden || !this.view.isAtBottom) this.view.countNew();
    announce(speak(message));
    this.#seen();
  }

  /** What is at the bottom and in front of the user counts as read. */
  #seen = () => {
    if (!store.isFresh || this.#isFirst || document.hidden || !document.hasFocus() || !this.view.isAtBottom) return;
    store.read(this.account, this.conversation);
  };

  #drawHeading() {
    const { account, conversation } = this;
    const one = store.conversation(account, conversation);
    const contact = store.contact(account, conversation);
    const name = store.name(account, conversation);
    const typing = store.typing.has(`${account} ${conversation}`);
    const line = typing ? t("chat.typing") : presenceLine(contact, conversation, one, roomOf(account, conversation));
    const signature = JSON.stringify([one.muted, name, contact?.presence, typing, line]);
    if (signature === this.#signature) return;
    this.#signature = signature;
    fill(this.heading,
      iconButton("back", t("action.back"), () => router.back(["chats"]), "only-narrow"),
      h("a.chat-title", { href: href("chat", account, conversation, "details"), click: (event) => this.#toggleDetails(event) },
        avatar({ address: conversation, name, picture: pictureOf(one), room: one.kind === "room", presence: contact?.presence.availability, size: "medium" }),
        h("span.chat-title-text", h("h1", h("bdi", name)),
          h("span", { class: typing ? "subtitle typing" : "subtitle" }, h("bdi", line)))),
      iconButton("more", t("action.more"), (event) => conversationMenu(store.conversation(account, conversation), event.currentTarget)));
  }

  #signature = "";

  /** Where the details have a column of their own, the heading opens and closes it. */
  #toggleDetails(event) {
    if (!matchMedia("(min-width: 1200px)").matches) return;
    event.preventDefault();
    const hidden = localStorage.getItem("apus.details") === "hidden";
    localStorage.setItem("apus.details", hidden ? "shown" : "hidden");
    router.emit("route", router.parts);
  }

  /** The whole chat is where files can be dropped. */
  #takeDrops() {
    const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    this.addEventListener("dragover", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      this.classList.add("dropping");
    });
    for (const name of ["dragleave", "drop"]) this.addEventListener(name, () => this.classList.remove("dropping"));
    this.addEventListener("drop", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      this.composer.attach(event.dataTransfer.files);
    });
  }

  focusComposer() {
    this.composer.focus();
  }
}

/** online · text, or the address of somebody whose presence we do not see. */
export function presenceLine(contact, address, conversation = {}, room = null) {
  const topic = room?.topic ?? conversation.room?.topic;
  const there = room?.members?.filter((one) => one.online).length;
  if (there) return topic ? `${t("room.count", { n: there })} · ${topic}` : t("room.count", { n: there });
  if (topic) return topic;
  const presence = contact?.presence;
  if (!presence || presence.availability === "unknown") return contact ? "" : address;
  const state = known("presence", presence.availability);
  return presence.status ? `${state} · ${presence.status}` : state;
}

customElements.define("apus-chat", Chat);
