// SPDX-License-Identifier: Apache-2.0
// What moderators do, with the reason that the room is told.
import * as client from "../api/client.js";
import * as rooms from "../api/rooms.js";
import { attempt, h, t, toast, toastError } from "../ui/basics.js";
import { fieldOf, formSheet } from "../ui/forms.js";
import { senderName } from "./message.js";

/** Asks for a reason, which may stay empty; undefined when nothing shall be done. */
function askReason(title, text, action) {
  const field = h("input", { dir: "auto", maxlength: "300", name: "reason" });
  return formSheet(title, action, [h("p.hint", text), fieldOf(t("room.reason"), field)], () => ({ reason: field.value.trim() || undefined }), ".danger");
}

/** Takes away what somebody else wrote, for everybody. */
export async function moderate(message) {
  const asked = await askReason(t("room.moderate-title"), t("room.moderate-text", { name: senderName(message) }), t("action.remove"));
  if (asked) await client.retract(message.id, asked.reason).catch(toastError);
}

/** Puts somebody out, for now or for good. */
export async function expel(account, room, member, forGood) {
  const name = member.nick || member.address;
  const asked = await askReason(forGood ? t("room.ban-title", { name }) : t("room.kick-title", { name }), forGood ? t("room.ban-text") : t("room.kick-text"), forGood ? t("room.remove") : t("room.kick"));
  if (!asked) return;
  const change = { ...(forGood ? { affiliation: "outcast" } : { role: "none" }), ...asked };
  if (await attempt(() => rooms.changeMember(account, room, member, change))) toast(t("room.removed", { name }));
}
