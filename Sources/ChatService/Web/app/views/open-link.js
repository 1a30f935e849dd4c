// SPDX-License-Identifier: Apache-2.0
import * as client from "../api/client.js";
import { toastError } from "../ui/announce.js";
import { router } from "../ui/router.js";

/** Opens the chat that an `xmpp:` link means; nothing is sent, joined or added by a link alone. */
export async function openLink(link, options) {
  try {
    const found = await client.resolve({ conversation: link });
    router.go(["chat", found.account, found.conversation], options);
  } catch (error) {
    toastError(error);
    router.go(["chats"], options);
  }
}
