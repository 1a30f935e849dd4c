// SPDX-License-Identifier: Apache-2.0
// What can be done with one message; menus, buttons and keys end here.
import * as client from "../api/client.js";
import { outbox } from "../model/outbox.js";
import { toast, toastError } from "../ui/announce.js";
import { h } from "../ui/dom.js";
import { fullTime } from "../ui/format.js";
import { t } from "../ui/i18n.js";
import { confirm, showSheet } from "../ui/overlay.js";
import { stateName } from "../ui/state-mark.js";
import { senderName } from "./message.js";

/** What came of it is told by an event, which may be here before the answer. */
async function attempt(work) {
  try {
    await work();
    return true;
  } catch (error) {
    toastError(error);
    return false;
  }
}

/** Fetches what is missing before a message. */
export async function fill(message, gap, timeline) {
  if (await attempt(() => client.fillGap(message.account, message.conversation, gap))) await timeline.refresh();
}

export async function copy(message) {
  try {
    await navigator.clipboard.writeText(message.body);
    toast(t("message.copied"));
  } catch {
    toast(t("message.not-copied"), { kind: "error" });
  }
}

/** Our own reactions with this one added or taken away. */
export function toggleReaction(message, emoji) {
  const own = (message.reactions ?? []).filter((one) => one.own).map((one) => one.emoji);
  const next = own.includes(emoji) ? own.filter((one) => one !== emoji) : [...own, emoji];
  return attempt(() => client.react(message.id, next));
}

export async function retract(message) {
  const sure = await confirm({ title: t("retract.title"), text: t("retract.text"), action: t("action.retract"), danger: true });
  if (sure) await attempt(() => client.retract(message.id));
}

export function retry(message) {
  if (message.isLocal) return outbox.retry(message.key);
  return attempt(() => client.decide(message.id, "send"));
}

export function drop(message) {
  if (message.isLocal) return outbox.drop(message.key);
  return attempt(() => client.decide(message.id, "drop"));
}

/** When, how far, and for whom. */
export function showInfo(message, details) {
  return showSheet(t("info.title"), (body) => {
    const line = (name, value) => (value ? h("div", {}, h("dt", {}, name), h("dd", { dir: "auto" }, value)) : null);
    body.append(h("blockquote", { class: "info-text", dir: "auto" }, message.body.slice(0, 400)),
      h("dl", { class: "facts" },
        line(t("info.from"), senderName(message)), line(t("info.address"), message.sender),
        line(t("info.time"), fullTime(new Date(message.time))), line(t("info.state"), stateName(message.state)),
        line(t("info.repeated"), message.may_be_repeated ? t("message.may-be-repeated") : ""),
        (details?.readers ?? []).map((one) => line(one.person, one.time ? `${stateName(one.state)} · ${fullTime(new Date(one.time))}` : stateName(one.state))),
        (details?.revisions ?? []).map((one) => line(t("info.before", { time: fullTime(new Date(one.time)) }), one.body)),
        line(t("info.id"), message.archive_id ?? message.origin_id ?? message.id)));
  });
}
