// SPDX-License-Identifier: Apache-2.0
// What can be done with one message; menus, buttons and keys end here.
import * as client from "../api/client.js";
import { outbox } from "../model/outbox.js";
import { attempt, t } from "../ui/basics.js";
import { confirm } from "../ui/overlay.js";

/** Fetches what is missing before a message. */
export const fill = (message, timeline) => attempt(() => timeline.fill(message.id));

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
