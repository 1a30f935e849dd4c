// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/web-lists from docs/openapi.yaml: what the service can do. The rest is not shown.

const SERVED = new Set([
  "accounts", "addAccount", "addContact", "answerRequest", "changePassword", "changeTrust", "connect",
  "contacts", "conversations", "decide", "diagnose", "events", "hello", "history", "makePairing", "markRead",
  "outbox", "pair", "registerAccount", "registrationForm", "removeAccount", "removeContact", "requests",
  "resolve", "revokeSession", "send", "send.body", "session", "sessions", "setTyping", "signOut", "status",
  "timeline", "trust",
]);

/** Whether the service has this operation. */
export const serves = (operation) => SERVED.has(operation);
