// SPDX-License-Identifier: Apache-2.0
import { hue } from "../text/consistent-color.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";

const segments = "Segmenter" in Intl ? new Intl.Segmenter(undefined, { granularity: "grapheme" }) : null;
const first = (word) => (segments ? [...segments.segment(word.slice(0, 16))][0]?.segment ?? "" : [...word][0] ?? "");

/** One or two letters for a name; one for Chinese, Japanese and Korean names. */
function initials(name) {
  const words = name.trim().split(/[\s._@-]+/u).filter((word) => /\p{L}|\p{N}/u.test(word));
  if (words.length === 0) return first(name.trim()) || "?";
  if (/[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(words[0])) return first(words[0]);
  const letters = words.length > 1 && !name.includes("@") ? first(words[0]) + first(words[1]) : first(words[0]);
  return letters.toLocaleUpperCase();
}

/** Pictures that are not there, so that they are asked for once. */
const absent = new Set();

/** A round picture of a person or room: the picture if there is one, else letters on the address's own colour. */
export function avatar({ address, name, picture, room = false, presence = null, size = "" }) {
  const box = h("span", { class: `avatar ${size}`, "aria-hidden": "true", data: room ? { room: "" } : {} });
  box.style.setProperty("--hue", hue(address).toFixed(1));
  if (picture && !absent.has(picture)) {
    const image = h("img", { src: picture, alt: "", loading: "lazy", decoding: "async" });
    image.addEventListener("error", () => {
      absent.add(picture);
      image.replaceWith(room ? icon("group") : initials(name || address));
    }, { once: true });
    box.append(image);
  } else if (room) box.append(icon("group"));
  else box.append(initials(name || address));
  if (presence) box.append(h("span.presence", { data: { presence } }));
  return box;
}
