// SPDX-License-Identifier: Apache-2.0
// The calls of docs/openapi.yaml, named as there.
import { call, path } from "./http.js";

const MINUTES = 60_000;
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
export const addAccount = (request, key) => call("POST", "/accounts", { body: request, key, timeout: 2 * MINUTES });
export const registrationForm = (request) => call("POST", "/accounts/form", { body: request, timeout: 2 * MINUTES });
export const registerAccount = (request, key) => call("POST", "/accounts/register", { body: request, key, timeout: 2 * MINUTES });
export const removeAccount = (account, onServer) =>
  call("DELETE", `/accounts${path(account)}`, { query: { on_server: onServer || null }, timeout: 2 * MINUTES });
export const changePassword = (account, password, onServer) =>
  call("PUT", `/accounts${path(account)}/password`, { body: { password, on_server: onServer }, timeout: 2 * MINUTES });
export const connect = (account, timeout = 0) =>
  call("POST", `/accounts${path(account)}/connect`, { body: { timeout }, timeout: 2 * MINUTES });
export const timeline = (account) => call("GET", `/accounts${path(account)}/timeline`);
export const trust = (account) => call("GET", `/accounts${path(account)}/trust`);
export const changeTrust = (account, change) => call("PUT", `/accounts${path(account)}/trust`, { body: change });
export const diagnose = (request) => call("POST", "/doctor", { body: request, timeout: 3 * MINUTES });
export const profile = (account) => call("GET", `/accounts${path(account)}/profile`);
export const changeProfile = (account, fields) => call("PUT", `/accounts${path(account)}/profile`, { body: fields });
export const changeAvatar = (account, blob) => call("PUT", `/accounts${path(account)}/avatar`, { body: blob });
export const findChannels = async (account, q, where) =>
  (await call("GET", `/accounts${path(account)}/channels`, { query: { q, where } })).channels;
export const blocked = async (account) => (await call("GET", `/accounts${path(account)}/blocked`)).addresses;
export const block = (account, address, change = {}) => call("PUT", `/accounts${path(account)}/blocked${path(address)}`, { body: change });
export const unblock = (account, address) => call("DELETE", `/accounts${path(account)}/blocked${path(address)}`);

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
export const history = async (account, conversation, { before, limit = 50 } = {}) =>
  (await call("GET", `${at(account, conversation)}/messages`, { query: { before, limit } })).messages;
export const around = async (account, conversation, message) =>
  (await call("GET", `${at(account, conversation)}/around${path(message)}`)).messages;
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

// Rooms
export const createRoom = (request) => call("POST", "/rooms", { body: request, timeout: MINUTES });
export const room = (account, address) => call("GET", `/rooms${path(account, address)}`);
export const joinRoom = (account, address, request) => call("PUT", `/rooms${path(account, address)}`, { body: request, timeout: MINUTES });
export const changeRoom = (account, address, change) => call("PATCH", `/rooms${path(account, address)}`, { body: change });
export const leaveRoom = (account, address) => call("DELETE", `/rooms${path(account, address)}`);
export const invite = (account, address, addresses) =>
  call("POST", `/rooms${path(account, address)}/invitations`, { body: { addresses } });
export const changeMember = (account, address, member, change) =>
  call("PATCH", `/rooms${path(account, address)}/members${path(member)}`, { body: change });
