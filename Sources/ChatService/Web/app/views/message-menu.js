// SPDX-License-Identifier: Apache-2.0
// The sheet of a message: a strip of reactions, then what can be done with it.
import * as client from "../api/client.js";
import { isModerator, roomOf } from "../model/rooms.js";
import { copyText, h, icon, t } from "../ui/basics.js";
import { showMenu } from "../ui/overlay.js";
import { pickEmoji } from "./emoji.js";
import { isRoom } from "./message.js";
import * as act from "./message-actions.js";

const QUICK = ["👍", "❤️", "😂", "😮", "😢", "🙏"];
const CORRECTABLE = new Set(["written", "acknowledged", "delivered", "displayed"]);

export async function openMessageMenu(message, anchor, actions) {
  if (!message) return;
  const own = message.direction === "outgoing";
  const sent = !message.isLocal && (!own || CORRECTABLE.has(message.state));
  const whole = sent && !message.retracted;
  const failed = message.state === "failed" || message.state === "needs-confirmation";
  const strip = (close) => h("div.reaction-strip", { role: "group", "aria-label": t("action.react") },
    QUICK.map((emoji) => {
      const has = (message.reactions ?? []).some((one) => one.own && one.emoji === emoji);
      return h("button", { "aria-pressed": String(has), click: () => close(`+${emoji}`) }, emoji);
    }),
    h("button", { "aria-label": t("action.more-emoji"), click: () => close("emoji") }, icon("plus")));
  const picked = await showMenu({
    label: t("message.actions"), anchor, header: whole ? strip : null,
    items: [
      failed && { label: t("action.retry"), icon: "refresh", value: "retry" },
      whole && { label: t("action.reply"), icon: "reply", value: "reply" },
      whole && own && { label: t("action.edit"), icon: "edit", value: "edit" },
      message.body && !message.retracted && { label: t("action.copy"), icon: "copy", value: "copy" },
      { label: t("action.info"), icon: "info", value: "info" },
      whole && !own && isRoom(message) && isModerator(roomOf(message.account, message.conversation)) && { label: t("room.moderate"), icon: "trash", value: "moderate", danger: true },
      whole && own && { label: t("action.retract"), icon: "trash", value: "retract", danger: true },
      failed && { label: t("action.discard"), icon: "trash", value: "drop", danger: true },
    ],
  });
  if (picked?.startsWith("+")) return act.toggleReaction(message, picked.slice(1));
  switch (picked) {
    case "emoji": {
      const emoji = await pickEmoji(anchor);
      if (emoji) await act.toggleReaction(message, emoji);
      return;
    }
    case "reply": return actions.reply(message);
    case "edit": return actions.edit(message);
    case "copy": return copyText(message.body);
    case "retry": return act.retry(message);
    case "drop": return act.drop(message);
    case "moderate": return (await import("./moderation.js")).moderate(message);
    case "retract": return act.retract(message);
    case "info": {
      const details = message.isLocal ? null : await client.messageInfo(message.id).catch(() => null);
      return (await import("./message-info.js")).showInfo(message, details);
    }
  }
}
