// SPDX-License-Identifier: Apache-2.0
import * as client from "../api/client.js";
import { isMuted, store } from "../model/store.js";
import { toastError } from "../ui/announce.js";
import { t } from "../ui/i18n.js";
import { showMenu } from "../ui/overlay.js";
import { router } from "../ui/router.js";

/** Pins, mutes and the like: on screen at once, taken back when the service refuses. */
export async function changeConversation({ account, conversation }, change) {
  const before = store.conversation(account, conversation);
  store.change({ ...before, ...change });
  await client.changeConversation(account, conversation, change).catch((error) => {
    store.change(before);
    toastError(error);
  });
}

/** The same actions for a long press, a right click and the button in the chat. */
export async function conversationMenu(row, anchor) {
  const one = store.conversation(row.account, row.conversation);
  const muted = isMuted(one);
  const picked = await showMenu({
    label: store.name(one.account, one.conversation), anchor,
    items: [
      one.unread ? { label: t("action.mark-read"), icon: "check", value: "read" } : undefined,
      { label: one.pinned ? t("action.unpin") : t("action.pin"), icon: "pin", value: "pin" },
      { label: muted ? t("action.unmute") : t("action.mute"), icon: muted ? "bell" : "bell-off", value: "mute" },
      { label: one.archived ? t("action.unarchive") : t("action.archive"), icon: "archive", value: "archive" },
      { label: t("action.details"), icon: "info", value: "details" },
    ],
  });
  const change = (value) => changeConversation(one, value);
  if (picked === "read") store.read(one.account, one.conversation);
  else if (picked === "pin") await change({ pinned: !one.pinned });
  else if (picked === "archive") await change({ archived: !one.archived });
  else if (picked === "details") router.go(["chat", one.account, one.conversation, "details"]);
  else if (picked === "mute") await (muted ? change({ level: "all", muted_until: null }) : mute(one, anchor, change));
}

export const mutedFor = (hours) => ({ muted_until: new Date(Date.now() + hours * 3_600_000).toISOString() });

async function mute(one, anchor, change) {
  const hours = await showMenu({
    label: t("mute.title"), anchor,
    items: [
      { label: t("mute.hour"), icon: "bell-off", value: 1 }, { label: t("mute.hours"), icon: "bell-off", value: 8 },
      { label: t("mute.week"), icon: "bell-off", value: 168 }, { label: t("mute.ever"), icon: "bell-off", value: 0 },
    ],
  });
  if (hours === undefined) return;
  await change(hours ? mutedFor(hours) : { level: "none" });
}
