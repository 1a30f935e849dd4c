// SPDX-License-Identifier: Apache-2.0
// One row of the timeline.
import { serves } from "../api/operations.js";
import { store } from "../model/store.js";
import { hue } from "../text/consistent-color.js";
import { isOnlyEmoji, styled } from "../text/styling.js";
import { errorText } from "../ui/announce.js";
import { avatar } from "../ui/avatar.js";
import { h } from "../ui/dom.js";
import { clock, dayName, daysAgo, fullTime } from "../ui/format.js";
import { number, t } from "../ui/i18n.js";
import { icon } from "../ui/icons.js";
import { stateMark, stateName } from "../ui/state-mark.js";
import { pictureOf } from "./chat-list.js";
import { attachments } from "./attachments.js";

const GROUP = 5 * 60_000;

const sameDay = (a, b) => daysAgo(new Date(a.time)) === daysAgo(new Date(b.time));

const together = (a, b) =>
  a && b && a.direction === b.direction && a.sender === b.sender && !a.event && !b.event &&
  Math.abs(new Date(b.time) - new Date(a.time)) < GROUP && sameDay(a, b);

function place(message, { previous, next, timeline }) {
  const unread = timeline.firstUnread === message.id;
  const nextUnread = next && timeline.firstUnread === next.id;
  return {
    day: !previous || !sameDay(previous, message),
    unread,
    gap: timeline.gaps.get(message.id),
    first: unread || !together(previous, message),
    last: nextUnread || !together(message, next),
  };
}

/** What a row depends on: a row with the same signature need not be made anew. */
export function signatureOf(message, context) {
  const { day, unread, gap, first, last } = place(message, context);
  const { body, state, time, failure, edited, retracted, reactions, reply, attachments: files, sender, sender_name, changing } = message;
  return JSON.stringify([body, state, time, failure, edited, retracted, reactions, reply, files, sender, sender_name, changing,
    day && dayName(new Date(time)), unread, gap, first, last]);
}

const isRoom = (message) => {
  const one = store.conversation(message.account, message.conversation);
  return one.kind === "room" || !!one.room;
};

/** Who wrote it, as a name: in a room the nick, else what we call the person. */
export function senderName(message) {
  if (message.direction === "outgoing") return t("message.you");
  if (isRoom(message)) return message.sender_name || message.sender.slice(message.sender.indexOf("/") + 1);
  return store.name(message.account, message.conversation);
}

/** The text that is read out for a new message: who, and what. */
export const speak = (message) => `${senderName(message)}: ${message.retracted ? t("message.retracted") : message.body || t("message.file")}`;

export function messageRow(message, context) {
  const own = message.direction === "outgoing";
  const { day, unread, gap, first, last } = place(message, context);
  const time = new Date(message.time);
  const room = isRoom(message);
  const row = h("li", {
    class: ["message", own ? "own" : "other", first ? "first" : "", last ? "last" : ""].join(" ").trim(),
    tabindex: "-1", data: { id: message.id, state: message.state },
    "aria-label": `${speak(message)}, ${clock(time)}${own ? `, ${stateName(message.state)}` : ""}`,
  });
  if (day) row.append(h("div", { class: "day" }, h("span", {}, dayName(time))));
  if (gap) {
    row.append(h("div", { class: "gap" }, icon("warning"), h("span", {}, t("chat.gap")),
      serves("fillGap") ? h("button", { type: "button", class: "text-button", data: { action: "fill", gap } }, t("chat.gap-load")) : null));
  }
  if (unread) row.append(h("div", { class: "unread-line" }, h("span", {}, t("chat.unread", { n: context.timeline.unreadCount }))));
  const bubble = h("div", { class: "bubble" });
  if (!own && room && first) {
    const who = h("span", { class: "sender", dir: "auto" }, senderName(message));
    who.style.setProperty("--hue", hue(message.sender_name ?? message.sender).toFixed(1));
    bubble.append(who);
  }
  fillBubble(bubble, message, time, own);
  row.append(h("div", { class: "line" },
    !own ? h("span", { class: "avatar-place" }, last ? avatar({
      address: room ? message.sender_name ?? message.sender : message.conversation, name: senderName(message),
      picture: room ? null : pictureOf(message), size: "small",
    }) : null) : null,
    bubble, hoverBar()));
  const below = reactions(message) ?? null;
  if (below) row.append(below);
  const trouble = failure(message);
  if (trouble) row.append(trouble);
  return row;
}

function fillBubble(bubble, message, time, own) {
  const meta = h("span", { class: "meta" },
    message.changing ? h("span", { class: "edited" }, t("message.changing")) : null,
    message.edited && !message.retracted ? h("span", { class: "edited" }, t("message.edited")) : null,
    message.may_be_repeated ? h("span", { title: t("message.may-be-repeated") }, icon("refresh"), h("span", { class: "visually-hidden" }, t("message.may-be-repeated"))) : null,
    h("time", { datetime: message.time, title: fullTime(time) }, clock(time)), own ? stateMark(message) : null);
  if (message.retracted) {
    bubble.classList.add("retracted");
    bubble.append(h("div", { class: "body" }, h("p", {}, icon("trash"), " ", message.moderation ? t("message.moderated") : t("message.retracted"))), meta);
    return;
  }
  const quoted = message.reply;
  if (quoted) bubble.append(quote(quoted, message));
  if (message.attachments?.length) bubble.append(attachments(message));
  if (message.body) {
    const large = !quoted && isOnlyEmoji(message.body);
    if (large) bubble.classList.add("large");
    bubble.append(h("div", { class: "body", dir: "auto" }, styled(message.body, { styling: message.styling !== false })));
  }
  bubble.append(meta);
}

function quote(quoted, message) {
  const who = quoted.own ? t("message.you") : quoted.sender_name || (quoted.sender ? nameOf(quoted.sender, message) : t("message.someone"));
  const box = h("button", { type: "button", class: "quote", data: { action: "quote", quoted: quoted.message ?? "" }, "aria-label": t("message.jump-to-quote", { name: who }) },
    h("span", { class: "quote-name", dir: "auto" }, who), h("span", { class: "quote-text", dir: "auto" }, firstText(quoted.body) || t("message.gone")));
  box.style.setProperty("--hue", hue(isRoom(message) ? quoted.sender_name ?? who : (quoted.sender ?? who).split("/")[0]).toFixed(1));
  return box;
}

const firstText = (body) => (body ?? "").slice(0, 200);

function nameOf(sender, message) {
  const bare = sender.split("/")[0];
  if (bare === message.account) return t("message.you");
  if (isRoom(message) && sender.includes("/")) return sender.slice(sender.indexOf("/") + 1);
  return store.name(message.account, bare);
}

const hoverBar = () => h("div", { class: "hover-bar" },
  serves("react") ? h("button", { type: "button", tabindex: "-1", "aria-label": t("action.react"), title: t("action.react"), data: { action: "menu" } }, icon("react")) : null,
  h("button", { type: "button", tabindex: "-1", "aria-label": t("action.reply"), title: t("action.reply"), data: { action: "reply" } }, icon("reply")),
  h("button", { type: "button", tabindex: "-1", "aria-label": t("action.more"), title: t("action.more"), data: { action: "menu" } }, icon("more")));

function reactions(message) {
  if (!message.reactions?.length || message.retracted) return null;
  return h("div", { class: "reactions", role: "group", "aria-label": t("message.reactions") }, message.reactions.map((one) => {
    const { count } = one;
    const names = (one.people ?? []).map((sender) => nameOf(sender, message)).join(", ");
    return h("button", { type: "button", class: one.own ? "reaction own" : "reaction", "aria-pressed": String(!!one.own), title: names || null,
      data: { action: "toggle-reaction", emoji: one.emoji }, "aria-label": t("message.reaction", { emoji: one.emoji, n: count }) },
    h("span", {}, one.emoji), count > 1 ? h("span", { class: "count" }, number(count)) : null);
  }));
}

/** Why it was not sent, and what can be done. */
function failure(message) {
  if (message.state !== "failed" && message.state !== "needs-confirmation") return null;
  const text = message.state === "needs-confirmation" ? t("message.waited") : message.failure ? errorText(message.failure) : t("state.failed");
  return h("div", { class: "failure" }, icon("warning"), h("span", { dir: "auto" }, text),
    h("button", { type: "button", class: "text-button", data: { action: "retry" } }, message.state === "failed" ? t("action.retry") : t("action.send-now")),
    h("button", { type: "button", class: "text-button", data: { action: "drop" } }, t("action.discard")));
}
