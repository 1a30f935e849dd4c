// SPDX-License-Identifier: Apache-2.0
import { preference, setPreference } from "../model/preferences.js";
import { h } from "../ui/dom.js";
import { LANGUAGES, t } from "../ui/i18n.js";

export function appearance() {
  const page = h("div", {});
  page.append(
    choice("theme", t("appearance.theme"), [["auto", t("appearance.auto")], ["light", t("appearance.light")], ["dark", t("appearance.dark")]]),
    choice("size", t("appearance.size"), [["small", t("appearance.small")], ["normal", t("appearance.normal")], ["large", t("appearance.large")], ["huge", t("appearance.huge")]]),
    choice("density", t("appearance.density"), [["auto", t("appearance.auto")], ["bubbles", t("appearance.bubbles")], ["compact", t("appearance.compact")]]),
    choice("enterSends", t("appearance.enter"), [["auto", t("appearance.auto")], ["yes", t("appearance.enter-sends")], ["no", t("appearance.enter-line")]]),
    choice("language", t("appearance.language"), [["auto", t("appearance.auto")], ...Object.entries(LANGUAGES)], () => location.reload()));
  return page;
}

function choice(name, label, options, after = () => {}) {
  const buttons = options.map(([value, text]) => h("button", {
    type: "button", role: "radio", "aria-checked": String(preference(name) === value), lang: value in LANGUAGES ? value : null,
    on: { click: () => pick(value) },
  }, text));
  const pick = (value) => {
    setPreference(name, value);
    buttons.forEach((button, i) => button.setAttribute("aria-checked", String(options[i][0] === value)));
    after();
  };
  const group = h("div", { class: "segments", role: "radiogroup", "aria-label": label, on: { keydown: (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = (buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length;
    buttons[next].focus();
    pick(options[next][0]);
  } } }, buttons);
  return h("section", { class: "card" }, h("h4", {}, label), group);
}
