// SPDX-License-Identifier: Apache-2.0
// Keys that work everywhere. A browser's own keys (Ctrl+T, Ctrl+F and the like) are left alone.
import { keyOf } from "../model/conversations.js";
import { store } from "../model/store.js";
import { isTextField } from "./dom.js";
import { router } from "./router.js";

export function listenToKeys(shell) {
  document.addEventListener("keydown", (event) => pressed(event, shell));
}

function pressed(event, shell) {
  if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
  const command = event.ctrlKey || event.metaKey;
  const { key } = event;
  const chat = shell.querySelector("apus-chat");
  if (command && !event.altKey && !event.shiftKey && key.toLowerCase() === "k") switcher(shell);
  else if (command && !event.altKey && key === "/") showHelp();
  else if (key === "?" && !isTextField(document.activeElement)) showHelp();
  else if (event.altKey && !command && (key === "ArrowDown" || key === "ArrowUp")) step(key === "ArrowDown" ? 1 : -1, event.shiftKey);
  else if (event.altKey && !command && !event.shiftKey && key.toLowerCase() === "a") step(1, true, true);
  else if (event.shiftKey && !command && key === "Escape") {
    for (const one of store.conversations.values()) store.read(one.account, one.conversation);
  } else if (key === "Escape" && !command && !event.altKey) escape(shell, chat);
  else if ((key === "PageUp" || key === "PageDown") && chat && isTextField(document.activeElement)) {
    const view = chat.querySelector(".timeline");
    view.scrollBy({ top: (key === "PageUp" ? -0.85 : 0.85) * view.clientHeight });
  } else if (chat && key.length === 1 && !command && !event.altKey && typesNothing(document.activeElement)) {
    chat.focusComposer();
    return;
  } else return;
  event.preventDefault();
}

/** Typing anywhere in a chat lands in its field; on buttons the space bar presses. */
const typesNothing = (element) => !isTextField(element) && !element?.closest?.("button, a, select, input, [role=menuitem]");

async function switcher(shell) {
  if (router.parts[0] !== "chats" && router.parts[0] !== "chat") router.go(["chats"]);
  await new Promise((resolve) => requestAnimationFrame(resolve));
  shell.querySelector("chat-list input")?.select();
  shell.querySelector("chat-list input")?.focus();
}

function escape(shell, chat) {
  if (router.parts[3] === "details") router.back(["chat", router.parts[1], router.parts[2]]);
  else if (chat && !chat.contains(document.activeElement)) chat.focusComposer();
  else if (chat) store.read(chat.account, chat.conversation);
}

/** The chat after or before the open one; only unread ones if asked, from the top if asked. */
function step(by, unread, fromTop = false) {
  const list = store.ordered.filter((one) => !one.archived && (!unread || one.unread > 0 || keyOf(one) === store.openKey));
  if (list.length === 0) return;
  const at = fromTop ? -1 : list.findIndex((one) => keyOf(one) === store.openKey);
  let next = list[at < 0 ? (by > 0 ? 0 : list.length - 1) : (at + by + list.length) % list.length];
  if (fromTop) next = list.find((one) => one.unread > 0) ?? next;
  router.go(["chat", next.account, next.conversation], { replace: router.parts[0] === "chat" });
}

const showHelp = async () => (await import("./key-help.js")).showKeys();
