// SPDX-License-Identifier: Apache-2.0
// The calls of docs/openapi.yaml, named as there.
import { call, path } from "./http.js";

const at = (account, conversation) => `/conversations${path(account, conversation)}`;

// Session
export const hello = () => call("GET", "/hello", { quiet: true });
export const pair = (request) => call("POST", "/pair", { body: request, quiet: true });
export const session = () => call("GET", "/session", { quiet: true });
export const signOut = () => call("DELETE", "/session", { quiet: true });
export const sessions = async () => (await call("GET", "/sessions")).sessions;
export const revokeSession = (id) => call("DELETE", `/sessions${path(id)}`);
export const makePairing = () => call("POST", "/pairings");

// Accounts
export const status = () => call("GET", "/status");

// People
export const contacts = async () => (await call("GET", "/contacts")).contacts;
export const addContact = (request) => call("POST", "/contacts", { body: request });
export const removeContact = (account, address) => call("DELETE", `/contacts${path(account, address)}`);
export const changeContact = (account, address, change) => call("PATCH", `/contacts${path(account, address)}`, { body: change });
export const contactProfile = (account, address) => call("GET", `/contacts${path(account, address)}/profile`);
export const avatarURL = (account, address) => `/api/v1/avatars${path(account, address)}`;
export const requests = async () => (await call("GET", "/requests")).requests;
export const answer = (account, address, accept, addBack = true) =>
  call("POST", `/requests${path(account, address)}`, { body: { accept, add_back: addBack } });

// Conversations
export const conversations = async () => (await call("GET", "/conversations")).conversations;
export const changeConversation = (account, conversation, change) => call("PATCH", at(account, conversation), { body: change });
export const history = (account, conversation, { before, after, around, limit = 50 } = {}) =>
  call("GET", `${at(account, conversation)}/messages`, { query: { before, after, around, limit } });
export const send = (account, conversation, body, key) =>
  call("POST", `${at(account, conversation)}/messages`, { body, key });
export const markRead = (account, conversation) => call("POST", `${at(account, conversation)}/read`, { body: {} });
export const setTyping = (account, conversation, typing) => call("PUT", `${at(account, conversation)}/typing`, { body: { typing } });
export const setDraft = (account, conversation, draft) => call("PUT", `${at(account, conversation)}/draft`, { body: draft });
export const media = async (account, conversation, before) =>
  (await call("GET", `${at(account, conversation)}/media`, { query: { before } })).messages;
export const exportURL = (account, conversation, format) => `/api/v1${at(account, conversation)}/export?format=${format}`;

// Messages
export const react = (message, reactions) => call("PUT", `/messages${path(message)}/reactions`, { body: { reactions } });
export const correct = (message, body, key) => call("POST", `/messages${path(message)}/correction`, { body: { body }, key });
export const retract = (message, reason) => call("POST", `/messages${path(message)}/retraction`, { body: { reason } });
export const messageInfo = (message) => call("GET", `/messages${path(message)}/info`);
export const outbox = async () => (await call("GET", "/outbox")).messages;
export const decide = (message, verdict) => call("POST", `/outbox${path(message)}`, { body: { verdict } });
export const search = (query, signal) => call("GET", "/search", { query, signal });
export const resolve = (request) => call("POST", "/resolve", { body: request });
