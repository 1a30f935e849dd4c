// SPDX-License-Identifier: Apache-2.0
import * as client from "../api/client.js";
import { store } from "../model/store.js";
import { toastError } from "../ui/announce.js";

/** Pins, mutes and the like: on screen at once, taken back when the service refuses. */
export async function changeConversation({ account, conversation }, change) {
  const before = store.conversation(account, conversation);
  store.change({ ...before, ...change });
  await client.changeConversation(account, conversation, change).catch((error) => {
    store.change(before);
    toastError(error);
  });
}
