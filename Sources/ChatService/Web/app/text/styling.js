// SPDX-License-Identifier: Apache-2.0
// XEP-0393 Message Styling as DOM. Directives stay visible (§4), so nothing a sender wrote is hidden.
import { h } from "../ui/dom.js";
import { splitLinks } from "./links.js";

const SPANS = { "*": "strong", _: "em", "~": "s", "`": "code" };
const DEPTH = 8;

/** The elements for a message's text. */
export function styled(text, { styling = true } = {}) {
  const lines = text.replace(/\r\n?/g, "\n");
  const fragment = document.createDocumentFragment();
  if (styling) fragment.append(...blocks(lines, 0));
  else fragment.append(h("p", ...linked(lines)));
  return fragment;
}

/** §5.1: preformatted blocks, quotes, and plain blocks, which are lines. */
function blocks(text, depth) {
  const result = [];
  const lines = text.split("\n");
  let plain = [];
  const flush = () => {
    if (plain.length === 0) return;
    result.push(h("p", ...plain.flatMap((line, i) => (i ? ["\n", ...spans(line, 0)] : spans(line, 0)))));
    plain = [];
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i];
    if (line.startsWith("```")) {
      flush();
      const end = lines.findIndex((other, at) => at > i && other === "```");
      const inside = lines.slice(i + 1, end < 0 ? undefined : end);
      result.push(h("pre", h("code", inside.join("\n"))));
      i = end < 0 ? lines.length : end;
    } else if (line.startsWith(">") && depth < DEPTH) {
      flush();
      const quoted = [];
      while (i < lines.length && lines[i].startsWith(">")) quoted.push(lines[i++].slice(1).replace(/^[ \t]/, ""));
      i -= 1;
      result.push(h("blockquote", ...blocks(quoted.join("\n"), depth + 1)));
    } else plain.push(line);
  }
  flush();
  return result;
}

/** §5.2: a span opens at the start or after white space or another directive, and closes before no white space. */
function spans(text, depth) {
  const result = [];
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const tag = SPANS[text[i]];
    if (!tag || depth > DEPTH) continue;
    const before = text[i - 1];
    if (i > 0 && !/\s/.test(before) && !(before in SPANS)) continue;
    if (i + 1 >= text.length || /\s/.test(text[i + 1])) continue;
    const end = closing(text, i);
    if (end < 0) continue;
    if (i > from) result.push(...linked(text.slice(from, i)));
    const inside = text.slice(i + 1, end);
    const children = tag === "code" ? [inside] : spans(inside, depth + 1);
    result.push(h(tag, {}, mark(text[i]), ...children, mark(text[i])));
    i = end;
    from = end + 1;
  }
  if (from < text.length) result.push(...linked(text.slice(from)));
  return result;
}

function closing(text, start) {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] !== text[start]) continue;
    if (i === start + 1) return -1;
    if (!/\s/.test(text[i - 1])) return i;
  }
  return -1;
}

const mark = (character) => h("span.directive", character);

function linked(text) {
  return splitLinks(text).map((piece) =>
    piece.href
      ? h("a", { href: piece.href, target: "_blank", rel: "noopener noreferrer nofollow", dir: "ltr" }, piece.text)
      : piece.text);
}

let emoji = null;
try {
  emoji = new RegExp("^(?:\\p{RGI_Emoji}|\\s)+$", "v");
} catch {
  // An older browser shows them in the size of text.
}

/** Whether a text is nothing but a few emoji, which are shown large. */
export function isOnlyEmoji(text) {
  const short = text.trim();
  if (short.length === 0 || short.length > 40) return false;
  if (!emoji?.test(short) || !("Segmenter" in Intl)) return false;
  return [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(short)]
    .filter((part) => part.segment.trim()).length <= 3;
}
