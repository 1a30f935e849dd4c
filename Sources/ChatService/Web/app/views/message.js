// SPDX-License-Identifier: Apache-2.0
// One row of the timeline.
import { preference } from "../model/preferences.js";
import { hue } from "../text/consistent-color.js";
import { isOnlyEmoji, styled } from "../text/styling.js";
import { avatar, clock, dayName, daysAgo, errorText, fullTime, h, icon, number, store, t } from "../ui/basics.js";
import { stateMark, stateName } from "../ui/state-mark.js";
import { pictureOf } from "./chat-list.js";
import { activityLine } from "./activity.js";
import { attachments, isPicture } from "./attachments.js";

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
    activities: message.isLocal ? [] : timeline.activities(previous, message),
    following: message.isLocal || (next && !next.isLocal) || timeline.hasNewer ? [] : timeline.activities(message),
    first: unread || !together(previous, message),
    last: nextUnread || !together(message, next),
  };
}

/** What a row depends on: a row with the same signature need not be made anew. */
export function signatureOf(message, context) {
  const { day, unread, gap, activities, following, first, last } = place(message, context);
  const { body, state, time, failure, edited, retracted, reactions, reply, attachments: files, sender, sender_name, changing, mention } = message;
  return JSON.stringify([body, state, time, failure, edited, retracted, reactions, reply, files, sender, sender_name, changing, mention,
    day && dayName(new Date(time)), unread, gap, activities, following, first, last]);
}

export const isRoom = (message) => {
  const one = store.conversation(message.account, message.conversation);
  return one.kind === "room" || !!one.room;
};

/** Bubbles between two, rows in a room, unless the person wants it otherwise. */
export function isCompact(message) {
  const density = preference("density");
  return density === "auto" ? isRoom(message) : density === "compact";
}

/** Who wrote it, as a name: in a room the nick, else what we call the person. */
export function senderName(message) {
  if (message.direction === "outgoing") return t("message.you");
  if (isRoom(message)) return message.sender_name || message.sender.slice(message.sender.indexOf("/") + 1);
  return store.name(message.account, message.conversation);
}

/** The text that is read out for a new message: who, and what. */
export const speak = (message) => `${senderName(message)}: ${message.retracted ? t("message.retracted") : message.body || t("message.file")}`;

/** Messages are missing there; the button looks for them. */
export const gapLine = (button) => h("div.gap", icon("warning"), h("span", t("chat.gap")), h("button.text-button", button, t("chat.gap-load")));

export function messageRow(message, context) {
  const own = message.direction === "outgoing";
  const { day, unread, gap, activities, following, first, last } = place(message, context);
  const time = new Date(message.time);
  const room = isRoom(message);
  const row = h("li", {
    class: ["message", own ? "own" : "other", first ? "first" : "", last ? "last" : "", message.mention && !own ? "mentioned" : ""].join(" ").trim(),
    tabindex: "-1", data: { id: message.id, state: message.state },
    "aria-label": `${speak(message)}, ${clock(time)}${own ? `, ${stateName(message.state)}` : ""}`,
  });
  row.append(...activities.map(activityLine));
  if (day) row.append(h("div.day", h("span", dayName(time))));
  if (gap) row.append(gapLine({ data: { action: "fill" } }));
  if (unread) row.append(h("div.unread-line", h("span", t("chat.unread", { n: context.timeline.unreadCount }))));
  const bubble = h("div.bubble");
  const compact = isCompact(message);
  // Whose colour it has, the name as the picture.
  const writer = room ? message.sender_name ?? message.sender : own ? message.account : message.conversation;
  if (first && (compact || (!own && room))) {
    const who = h("button.sender", { dir: "auto", tabindex: "-1", data: { action: "mention" }, title: t("mention.write") }, senderName(message));
    who.style.setProperty("--hue", hue(writer).toFixed(1));
    bubble.append(who);
  }
  fillBubble(bubble, message, time, own);
  row.append(h("div.line",
    !own || compact ? h("span.avatar-place", (compact ? first : last) ? avatar({
      address: writer, name: senderName(message),
      picture: room || own ? null : pictureOf(message), size: "small",
    }) : null) : null,
    bubble));
  const below = reactions(message) ?? null;
  if (below) row.append(below);
  const trouble = failure(message);
  if (trouble) row.append(trouble);
  row.append(...following.map(activityLine));
  return row;
}

function fillBubble(bubble, message, time, own) {
  const meta = h("span.meta",
    message.changing ? h("span.edited", t("message.changing")) : null,
    message.edited && !message.retracted ? h("span.edited", t("message.edited")) : null,
    message.may_be_repeated ? h("span", { title: t("message.may-be-repeated") }, icon("refresh"), h("span.visually-hidden", t("message.may-be-repeated"))) : null,
    h("time", { datetime: message.time, title: fullTime(time) }, clock(time)), own ? stateMark(message) : null);
  if (message.retracted) {
    bubble.classList.add("retracted");
    bubble.append(h("div.body", h("p", icon("trash"), " ", message.moderation ? t("message.moderated") : t("message.retracted"))), meta);
    return;
  }
  const quoted = message.reply;
  if (quoted) bubble.append(quote(quoted, message));
  if (message.attachments?.length) bubble.append(attachments(message));
  if (!message.body && !quoted && message.attachments?.every(isPicture)) bubble.classList.add("bare");
  if (message.body) {
    const large = !quoted && isOnlyEmoji(message.body);
    if (large) bubble.classList.add("large");
    bubble.append(h("div.body", { dir: "auto" }, styled(message.body, { styling: message.styling !== false })));
  }
  bubble.append(meta);
}

function quote(quoted, message) {
  const who = quoted.own ? t("message.you") : quoted.sender_name || (quoted.sender ? nameOf(quoted.sender, message) : t("message.someone"));
  const box = h("button.quote", { data: { action: "quote", quoted: quoted.message ?? "" }, "aria-label": t("message.jump-to-quote", { name: who }) },
    h("span.quote-name", { dir: "auto" }, who), h("span.quote-text", { dir: "auto" }, firstText(quoted.body) || t("message.gone")));
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

/** One for the whole timeline: it goes to the message under the pointer, or with the focus. */
export const hoverBar = () => h("div.hover-bar",
  h("button", { tabindex: "-1", label: t("action.react"), data: { action: "menu" } }, icon("react")),
  h("button", { tabindex: "-1", label: t("action.reply"), data: { action: "reply" } }, icon("reply")),
  h("button", { tabindex: "-1", label: t("action.more"), data: { action: "menu" } }, icon("more")));

function reactions(message) {
  if (!message.reactions?.length || message.retracted) return null;
  return h("div.reactions", { role: "group", "aria-label": t("message.reactions") }, message.reactions.map((one) => {
    const { count } = one;
    const names = (one.people ?? []).map((sender) => nameOf(sender, message)).join(", ");
    return h("button", { class: one.own ? "reaction own" : "reaction", "aria-pressed": String(!!one.own), title: names || null,
      data: { action: "toggle-reaction", emoji: one.emoji }, "aria-label": t("message.reaction", { emoji: one.emoji, n: count }) },
    h("span", one.emoji), count > 1 ? h("span.count", number(count)) : null);
  }));
}

/** Why it was not sent, and what can be done. */
function failure(message) {
  if (message.state !== "failed" && message.state !== "needs-confirmation") return null;
  const text = message.state === "needs-confirmation" ? t("message.waited") : message.failure ? errorText(message.failure) : t("state.failed");
  return h("div.failure", icon("warning"), h("span", { dir: "auto" }, text),
    h("button.text-button", { data: { action: "retry" } }, message.state === "failed" ? t("action.retry") : t("action.send-now")),
    h("button.text-button", { data: { action: "drop" } }, t("action.discard")));
}
