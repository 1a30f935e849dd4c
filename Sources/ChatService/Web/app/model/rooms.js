// SPDX-License-Identifier: Apache-2.0
// What this page knows of rooms: who is in them and what we may do there. Asked for when a room is opened.
import * as api from "../api/rooms.js";
import { store } from "./store.js";

const known = new Map();
const asking = new Map();

const key = (account, address) => `${account} ${address}`;

/** What is known now; nothing for a chat with one person. */
export const roomOf = (account, address) => known.get(key(account, address)) ?? null;

/** Asks for a room's details; several who ask at once get one answer. The topic `rooms` tells that it came. */
export function loadRoom(account, address) {
  const name = key(account, address);
  if (!asking.has(name)) {
    asking.set(name, api.room(account, address).then((room) => {
      known.set(name, room);
      store.changed("rooms");
      return room;
    }).finally(() => asking.delete(name)));
  }
  return asking.get(name);
}

/** Those who are there, and those who wrote lately, for names that are completed. */
export function nicknames(account, address) {
  const room = roomOf(account, address);
  if (!room) return [];
  const own = room.nick;
  return (room.members ?? []).map((one) => one.nick).filter((nick) => nick && nick !== own).sort((a, b) => a.localeCompare(b));
}

/** We, as the room has us. */
export const ourselves = (room) => room?.members?.find((one) => one.is_self || (room.nick && one.nick === room.nick)) ?? null;

/** Whether we may remove what others wrote, and put people out. */
export const isModerator = (room) => ourselves(room)?.role === "moderator";

const RANK = { owner: 3, admin: 2, member: 1, none: 0, outcast: -1 };

/** Whether we may change what somebody is to the room. */
export function mayChange(room, member) {
  const own = ourselves(room);
  if (!own || own === member) return false;
  return own.affiliation === "owner" || (own.affiliation === "admin" && RANK[member.affiliation] < RANK.admin);
}

/** Whether we may put somebody out for now. */
export const mayKick = (room, member) => isModerator(room) && member !== ourselves(room) && !!member.online && RANK[member.affiliation] <= RANK[ourselves(room).affiliation];

// The row of the open room tells that something about it is new, and so does a message of somebody who was not there;
// who is in it has to be asked.
let soon = null;
function outdated(account, conversation) {
  const name = key(account, conversation);
  if (name !== store.openKey || !known.has(name)) return;
  clearTimeout(soon);
  soon = setTimeout(() => loadRoom(account, conversation).catch(() => {}), 300);
}
store.on("row", ({ account, conversation, room }) => room && outdated(account, conversation));
store.on("message", ({ message, isNew }) => {
  const { account, conversation, sender_name: nick } = message;
  if (isNew && nick && !roomOf(account, conversation)?.members?.some((one) => one.online && one.nick === nick)) outdated(account, conversation);
});
store.on("refreshed", () => {
  for (const name of known.keys()) loadRoom(...name.split(" ")).catch(() => {});
});
