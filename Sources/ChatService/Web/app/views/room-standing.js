// SPDX-License-Identifier: Apache-2.0
// A room that we are not in says so, why, and what can be done.
import * as rooms from "../api/rooms.js";
import { loadRoom } from "../model/rooms.js";
import { attempt, fill, h, icon, known, store, t } from "../ui/basics.js";
import { fieldOf, formSheet } from "../ui/forms.js";

/** Draws it above the composer, which makes room for it. */
export function drawStanding(chat, room) {
  const { state = room?.joined === false ? "out" : "joined", reason, text } = store.conversation(chat.account, chat.conversation).room ?? {};
  const isOut = state === "out" || state === "outside";
  chat.standing.hidden = !isOut && state !== "joining" && state !== "interrupted";
  chat.composer.hidden = isOut;
  if (chat.standing.hidden) return;
  const words = isOut ? known("standing", reason ?? "outside", t("standing.outside")) : known("standing", state, "");
  fill(chat.standing, icon(isOut ? "warning" : "clock"), h("span", words, text ? h("bdi", ` \u201c${text}\u201d`) : ""),
    isOut && reason !== "banned" && reason !== "destroyed" ? h("button.button.small", () => enter(chat, reason), t("room.join-again")) : null);
}

async function enter(chat, reason) {
  const extra = reason === "password" ? await ask(t("first.password"), "password") : reason === "nickname" ? await ask(t("room.nick"), "nick") : {};
  if (!extra) return;
  await attempt(async () => {
    store.change(await rooms.joinRoom(chat.account, chat.conversation, extra));
    await loadRoom(chat.account, chat.conversation);
  });
}

function ask(label, name) {
  const field = h("input", { type: name === "password" ? "password" : "text", name, required: true });
  return formSheet(t("room.join"), t("room.join"), fieldOf(label, field), () => ({ [name]: field.value }));
}
