// SPDX-License-Identifier: Apache-2.0
// What screen readers are told. Only the text of new messages and what went wrong; times and ticks are not.
import { fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./i18n.js";
import { loadStyle } from "./styles.js";

let polite = null;
let urgent = null;
let toasts = null;

export function makeLiveRegions() {
  polite = h("div.visually-hidden", { role: "log", "aria-live": "polite", "aria-label": t("a11y.news") });
  urgent = h("div.visually-hidden", { role: "alert" });
  toasts = h("div.toasts", { popover: "manual" });
  document.body.append(polite, urgent, toasts);
}

export function announce(text) {
  if (!polite) return;
  polite.append(h("p", text));
  while (polite.childElementCount > 5) polite.firstChild.remove();
}

export function announceUrgently(text) {
  if (urgent) fill(urgent, text);
}

/** A short notice at the bottom, with an action if there is one. */
export async function toast(text, { action, label, kind = "" } = {}) {
  await loadStyle("overlay");
  const note = h("div", { class: `toast ${kind}` }, kind === "error" ? icon("warning") : null, h("span", { dir: "auto" }, text));
  const close = () => {
    note.remove();
    if (!toasts.childElementCount) toasts.hidePopover?.();
  };
  if (action) note.append(h("button.text-button", () => { close(); action(); }, label));
  toasts.append(note);
  // The top layer: a notice is seen above dialogs, too.
  if (toasts.matches(":popover-open")) toasts.hidePopover();
  toasts.showPopover?.();
  announceUrgently(text);
  setTimeout(close, action || kind === "error" ? 8000 : 4000);
}

/** What a failed call says, in words: ours for the code where we have them, else the service's. */
export function toastError(error) {
  toast(errorText(error), { kind: "error" });
}

/** Does something, and tells if it failed; gives whether it was done. */
export const attempt = (work) => work().then(() => true, (error) => {
  toastError(error);
  return false;
});

export async function copyText(text) {
  const done = await navigator.clipboard?.writeText(text).then(() => true, () => false);
  toast(done ? t("message.copied") : t("message.not-copied"), { kind: done ? "" : "error" });
}

export function errorText(error) {
  if (error?.isUnreachable || error?.code === "unreachable") return t("error.unreachable");
  const text = error?.message || error?.code || t("error.fault");
  return error?.hint ? `${text} · ${error.hint}` : text;
}
