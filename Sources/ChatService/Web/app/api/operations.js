// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/web-lists from docs/openapi.yaml: what the service can do. The rest is not shown.

const SERVED = new Set([
  "accounts", "addAccount", "addContact", "answerRequest", "changeConversation", "changePassword",
  "changeTrust", "connect", "contacts", "conversations", "correct", "decide", "diagnose", "events", "hello",
  "history", "makePairing", "markRead", "messageInfo", "outbox", "pair", "pushKey", "react",
  "registerAccount", "registrationForm", "removeAccount", "removeContact", "requests", "resolve", "retract",
  "revokeSession", "send", "send.body", "send.reply_to", "session", "sessions", "setDraft", "setTyping",
  "signOut", "status", "subscribePush", "testPush", "timeline", "trust", "unsubscribePush",
]);

/** Whether the service has this operation. */
export const serves = (operation) => SERVED.has(operation);
