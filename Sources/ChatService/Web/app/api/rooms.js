// SPDX-License-Identifier: Apache-2.0
// The calls of docs/openapi.yaml that are about rooms, named as there.
import { call, path } from "./http.js";

const MINUTE = 60_000;

export const createRoom = (request) => call("POST", "/rooms", { body: request, timeout: MINUTE });
export const room = (account, address) => call("GET", `/rooms${path(account, address)}`);
export const joinRoom = (account, address, request) => call("PUT", `/rooms${path(account, address)}`, { body: request, timeout: MINUTE });
export const changeRoom = (account, address, change) => call("PATCH", `/rooms${path(account, address)}`, { body: change });
export const leaveRoom = (account, address, destroy) => call("DELETE", `/rooms${path(account, address)}`, { query: { destroy: destroy || null } });
export const invite = (account, address, addresses) =>
  call("POST", `/rooms${path(account, address)}/invitations`, { body: { addresses } });
export const changeMember = (account, address, member, change) =>
  call("PATCH", `/rooms${path(account, address)}/members${path(member)}`, { body: change });
/** An invitation that came; joining accepts it. */
export const declineInvitation = (one) => call("DELETE", `/invitations${path(one.account, one.room)}`);
export const findChannels = async (account, q, where) =>
  (await call("GET", `/accounts${path(account)}/channels`, { query: { q, where } })).channels;
