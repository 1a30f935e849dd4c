// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/web-lists from docs/openapi.yaml: what the service can do. The rest is not shown.

const SERVED = new Set([
  "accounts", "addAccount", "addContact", "answerRequest", "avatar", "block", "blocked", "changeAvatar",
  "changeConversation", "changePassword", "changeProfile", "changeTrust", "connect", "contactProfile",
  "contacts", "conversations", "correct", "decide", "diagnose", "events", "export", "hello", "history",
  "makePairing", "markRead", "messageInfo", "outbox", "pair", "profile", "pushKey", "react",
  "registerAccount", "registrationForm", "removeAccount", "removeAvatar", "removeContact", "requests",
  "resolve", "retract", "revokeSession", "search", "send", "send.body", "send.reply_to", "session",
  "sessions", "setDraft", "setTyping", "signOut", "status", "subscribePush", "testPush", "timeline", "trust",
  "unblock", "unsubscribePush",
]);

/** Whether the service has this operation. */
export const serves = (operation) => SERVED.has(operation);
