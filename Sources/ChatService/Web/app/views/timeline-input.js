// SPDX-License-Identifier: Apache-2.0
// What fingers, pointers and keys do with the rows of a timeline.
import { onLongPress } from "../ui/long-press.js";
import { onSwipe } from "../ui/swipe.js";
import { picturesOf } from "./attachments.js";
import * as act from "./message-actions.js";
import { openMessageMenu } from "./message-menu.js";
import { hoverBar, senderName } from "./message.js";

export function listenToRows(view) {
  const { list } = view;
  const messageOf = (row) => view.timeline.rows.find((one) => one.id === row.dataset.id);
  const actions = { ...view.actions, show: (id) => view.show(id) };
  const menu = (event) => {
    const row = event.target.closest(".message");
    // A selection and a link keep the browser's own menu.
    if (!row || event.target.closest("a") || String(getSelection()) || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    openMessageMenu(messageOf(row), { x: event.clientX, y: event.clientY }, actions);
  };
  list.addEventListener("contextmenu", menu);
  onLongPress(list, menu);
  onSwipe(list, ".message", (row) => actions.reply(messageOf(row)));
  list.addEventListener("click", (event) => clicked(event, view, messageOf, actions));
  view.scroller.addEventListener("keydown", (event) => pressed(event, view, messageOf, actions));
  hover(list);
  // One sound at a time.
  list.addEventListener("play", (event) => {
    for (const other of list.querySelectorAll("audio, video")) if (other !== event.target) other.pause();
  }, true);
}

/** The bar of a message exists once and goes where the pointer or the focus is; rows are lighter without it. */
function hover(list) {
  const bar = hoverBar();
  const to = (event) => {
    const line = event.target.closest?.(".message")?.querySelector(".line");
    if (line && bar.parentElement !== line) line.append(bar);
  };
  if (matchMedia("(hover: hover)").matches) list.addEventListener("pointerover", to);
  list.addEventListener("focusin", to);
}

function pressed(event, view, messageOf, actions) {
  const row = event.target.closest?.(".message");
  if ((event.target !== view.scroller && !row) || event.altKey || event.ctrlKey || event.metaKey) return;
  if (row && event.target !== row && event.key !== "Escape") return;
  switch (event.key) {
    case "ArrowUp": view.step(row, -1); break;
    case "ArrowDown": view.step(row, 1); break;
    case "End": view.jumpDown(); break;
    case "Enter": case "ContextMenu":
      if (!row) return;
      openMessageMenu(messageOf(row), row, actions);
      break;
    case "r": if (!row) return; actions.reply(messageOf(row)); break;
    default: return;
  }
  event.preventDefault();
  event.stopPropagation();
}

async function clicked(event, view, messageOf, actions) {
  const row = event.target.closest(".message");
  if (!row) return;
  const link = event.target.closest("a[href^='xmpp:']");
  if (link) {
    event.preventDefault();
    return (await import("./open-link.js")).openLink(link.getAttribute("href"));
  }
  const data = (name) => event.target.closest(`[data-${name}]`)?.dataset[name];
  const message = messageOf(row);
  switch (event.target.closest("[data-action]")?.dataset.action) {
    case "menu": return openMessageMenu(message, event.target.closest("button"), actions);
    case "reply": return actions.reply(message);
    case "mention": return actions.mention(senderName(message));
    case "quote": return view.show(data("quoted"));
    case "toggle-reaction": return act.toggleReaction(message, data("emoji"));
    case "retry": return act.retry(message);
    case "drop": return act.drop(message);
    case "fill": return act.fill(message, view.timeline);
    case "picture": return viewPicture(message, data("file"), view, actions);
  }
}

async function viewPicture(message, id, view, actions) {
  const pictures = picturesOf(view.timeline.messages);
  const { viewPictures } = await import("./viewer.js");
  await viewPictures(pictures, pictures.findIndex((one) => one.message.id === message.id && one.file.id === id), {
    reply: actions.reply, show: (one) => view.show(one.id),
  });
}
