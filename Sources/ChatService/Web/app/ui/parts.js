// SPDX-License-Identifier: Apache-2.0
// Pieces that many views are made of.
import { toastError } from "./announce.js";
import { h, rove } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";

/** A round button with a picture; its label is read out and shown as a hint. */
export const iconButton = (name, label, click, className = "") => h("button", { class: `icon-button ${className}`.trim(), label, click }, icon(name, "flip"));

/** A line that does something. */
export const actionRow = (name, label, click, danger = false) => h("button", { class: danger ? "action-row danger" : "action-row", click }, icon(name), h("span", label));

/** Does something while its button waits; tells what went wrong, by a notice if no other way is given. */
export async function busy(button, work, failed = toastError) {
  button.disabled = true;
  button.setAttribute("aria-busy", "true");
  try {
    await work();
  } catch (error) {
    failed(error);
  }
  button.disabled = false;
  button.removeAttribute("aria-busy");
}

/** A line of a list of facts, where there is one to tell. */
export const fact = (name, value, dir = "auto") => (value ? h("div", h("dt", name), h("dd", { dir }, dir === "ltr" ? breakable(value) : value)) : null);

/** An address may go on in the next line before its parts, rather than anywhere. */
const breakable = (address) => String(address).split(/(?=[@/])/).flatMap((part, i) => (i ? [h("wbr"), part] : [part]));

/** The heading of a list's page, with the way back. */
export const pageHeader = (title, back) => h("header.list-header", iconButton("back", t("action.back"), back), h("h1", title));

/** One of several, as buttons in a row: `options` are `[value, label]`. Arrow keys move and pick. */
export function segments(label, options, current, pick) {
  const buttons = options.map(([value, text]) => h("button", { role: "radio", "aria-checked": String(value === current), lang: /^zh-/.test(value) ? value : null, click: () => choose(value) }, text));
  const choose = (value) => {
    options.forEach(([other], i) => buttons[i].setAttribute("aria-checked", String(other === value)));
    pick(value);
  };
  return h("div.segments", { role: "radiogroup", "aria-label": label, keydown: (event) => {
    const next = rove(event, buttons, { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 });
    if (next) choose(options[buttons.indexOf(next)][0]);
  } }, buttons);
}
