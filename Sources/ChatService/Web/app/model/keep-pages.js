// SPDX-License-Identifier: Apache-2.0
// Keeps the last 50 messages of the 30 latest conversations for times without the service. One tab does it for all.
import * as client from "../api/client.js";
import { keyOf } from "./conversations.js";
import * as database from "./database.js";
import { store } from "./store.js";

const CONVERSATIONS = 30;
const MESSAGES = 50;
const idle = (work) => (globalThis.requestIdleCallback ? requestIdleCallback(work, { timeout: 5000 }) : setTimeout(work, 500));
const nextIdle = () => new Promise(idle);

let running = false;

export function keepPages() {
  store.on("refreshed", fetchPages);
  store.on("message", ({ message, isNew }) => keep(message, isNew));
  fetchPages();
}

async function fetchPages() {
  if (running || !store.isLeader) return;
  running = true;
  try {
    for (const conversation of store.ordered.slice(0, CONVERSATIONS)) {
      await nextIdle();
      const key = keyOf(conversation);
      const page = await database.get("pages", key);
      if (page?.at(-1)?.id === conversation.last?.id) continue;
      const { messages } = await client.history(conversation.account, conversation.conversation, { limit: MESSAGES });
      if (messages.length) await database.put("pages", key, messages);
    }
  } catch {
    // Next time, then.
  } finally {
    running = false;
  }
}

async function keep(message, isNew) {
  const key = keyOf(message);
  // An open conversation keeps its own page.
  if (!store.isLeader || key === store.openKey) return;
  const page = await database.get("pages", key);
  if (!page) {
    if (isNew) idle(fetchPages);
    return;
  }
  const at = page.findIndex((one) => one.id === message.id);
  if (at >= 0) page[at] = message;
  else if (isNew) page.push(message);
  else return;
  await database.put("pages", key, page.slice(-MESSAGES));
}
