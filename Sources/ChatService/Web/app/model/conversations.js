// SPDX-License-Identifier: Apache-2.0

/** The key of a conversation, a contact or a request, or of the conversation that a message is in. */
export const keyOf = (one) => `${one.account} ${one.conversation ?? one.address}`;

const lastTime = (one) => one.last_activity ?? one.last?.time ?? "";

/** Pinned ones first, then the latest; times are written so that they sort as text. */
export function compareConversations(a, b) {
  if (!a.pinned !== !b.pinned) return a.pinned ? -1 : 1;
  const [first, second] = [lastTime(a), lastTime(b)];
  if (first !== second) return first < second ? 1 : -1;
  return a.conversation < b.conversation ? -1 : 1;
}

/** Whether `a` stands before `b`: by the service's order where both have it, else by time. */
export const isBefore = (a, b) =>
  a.position !== undefined && b.position !== undefined ? a.position < b.position : a.time < b.time;

/** Whether a message comes after the last one that is known. */
export const isNewer = (message, last) => !last || (message.id !== last.id && !isBefore(message, last));

/** Without accents and case, for filters. */
export const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase();
