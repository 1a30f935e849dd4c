// SPDX-License-Identifier: Apache-2.0
// Finds links in a text. What follows is only opened when somebody asks; nothing is fetched for a preview.

const LINK = /(?:https?:\/\/|xmpp:|mailto:|geo:)[^\s<>"'`\u0000-\u001f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/giu;
const TRAILING = /[.,;:!?'"»”’…、。，；：！？]+$/u;
const PAIRS = { ")": "(", "]": "[", "}": "{" };

function trimmed(found) {
  let link = found;
  for (;;) {
    const before = link;
    link = link.replace(TRAILING, "");
    const last = link.at(-1);
    // A closing bracket belongs to the text around, unless the link opened it.
    if (last in PAIRS && count(link, last) > count(link, PAIRS[last])) link = link.slice(0, -1);
    if (link === before) return link;
  }
}

const count = (text, character) => text.split(character).length - 1;

/** The pieces of a text in order: `{ text }` or `{ text, href }`. */
export function splitLinks(text) {
  const pieces = [];
  let end = 0;
  for (const match of text.matchAll(LINK)) {
    const link = trimmed(match[0]);
    if (!/^[a-z]+:(\/\/)?./iu.test(link)) continue;
    if (match.index > end) pieces.push({ text: text.slice(end, match.index) });
    pieces.push({ text: link, href: link });
    end = match.index + link.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}
