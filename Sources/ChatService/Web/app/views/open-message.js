// SPDX-License-Identifier: Apache-2.0
// From a hit, a picture or a mention to its place in the chat.
import { router } from "../ui/router.js";

/** Opens the chat of a message and lets the message light up; on a phone the chat comes into view. */
export async function openMessage({ account, conversation, id }) {
  const shell = document.querySelector("apus-shell");
  const isThere = () => {
    const chat = shell.querySelector("apus-chat");
    return chat?.account === account && chat.conversation === conversation ? chat : null;
  };
  const shown = new Promise((resolve) => shell.addEventListener("shown", resolve, { once: true }));
  router.go(["chat", account, conversation]);
  if (!isThere() || shell.dataset.shown !== location.hash) await shown;
  return isThere()?.view.show(id);
}
