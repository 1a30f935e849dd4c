// SPDX-License-Identifier: Apache-2.0
// The calls of docs/openapi.yaml that are about rooms, named as there.
import { call, path } from "./http.js";

const MINUTE = 60_000;

export const createRoom = (request) => call("POST", "/rooms", { body: request, timeout: MINUTE });
export const room = (account, address) => call("GET", `/rooms${path(account, address)}`);
export const joinRoom = (account, address, request) => call("PUT", `/rooms${path(account, address)}`, { body: request, timeout: MINUTE });
export const changeRoom = (account, address, change) => call("PATCH", `/rooms${path(account, address)}`, { body: change });
/** Without a picture it is `removeRoomAvatar`. */
export const changeRoomAvatar = (account, address, blob) => call(blob ? "PUT" : "DELETE", `/rooms${path(account, address)}/avatar`, { body: blob });
export const leaveRoom = (account, address, destroy) => call("DELETE", `/rooms${path(account, address)}`, { query: { destroy: destroy || null } });
export const invite = (account, address, addresses) =>
  call("POST", `/rooms${path(account, address)}/invitations`, { body: { addresses } });
/** `member` has an address or a nickname; what somebody may do now goes by nickname, what they are for good by address. */
export const changeMember = (account, address, member, change) => {
  const nick = member.nick && (change.role || !member.address);
  return call("PATCH", `/rooms${path(account, address)}/members${path(nick ? member.nick : member.address)}`, { body: change, query: { nick: nick || null } });
};
export const findChannels = async (account, q, where) =>
  (await call("GET", `/accounts${path(account)}/channels`, { query: { q, where } })).channels;
