// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/web-lists from docs/openapi.yaml: what the service can do. The rest is not shown.

const SERVED = new Set([
  "accountMedia", "accounts", "addAccount", "addContact", "answerRequest", "avatar", "block", "blocked",
  "cancelFile", "cancelUpload", "changeAccount", "changeAvatar", "changeContact", "changeConversation",
  "changeMedia", "changeMember", "changePassword", "changeProfile", "changeRoom", "changeSettings",
  "changeTrust", "connect", "contactProfile", "contacts", "conversations", "correct", "createInvitation",
  "createRoom", "decide", "declineInvitation", "diagnose", "events", "export", "file", "findChannels",
  "hello", "history", "invite", "joinRoom", "leaveRoom", "makePairing", "markRead", "media", "messageInfo",
  "outbox", "pair", "profile", "pushKey", "react", "readLink", "registerAccount", "registrationForm",
  "removeAccount", "removeAvatar", "removeContact", "requests", "resolve", "retract", "retryFile",
  "revokeSession", "room", "scan", "search", "send", "send.attachments", "send.body", "send.original",
  "send.reply_to", "session", "sessions", "setDraft", "setTyping", "settings", "signOut", "status",
  "subscribePush", "testPush", "timeline", "trust", "unblock", "unsubscribePush", "upload", "uploadState",
]);

/** Whether the service has this operation. */
export const serves = (operation) => SERVED.has(operation);
