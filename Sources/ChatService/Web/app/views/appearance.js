// SPDX-License-Identifier: Apache-2.0
import { preference, setPreference } from "../model/preferences.js";
import { h, LANGUAGES, segments, t } from "../ui/basics.js";

export function appearance() {
  const page = h("div");
  page.append(
    choice("theme", t("appearance.theme"), [["auto", t("appearance.auto")], ["light", t("appearance.light")], ["dark", t("appearance.dark")]]),
    choice("size", t("appearance.size"), [["small", t("appearance.small")], ["normal", t("appearance.normal")], ["large", t("appearance.large")], ["huge", t("appearance.huge")]]),
    choice("density", t("appearance.density"), [["auto", t("appearance.auto")], ["bubbles", t("appearance.bubbles")], ["compact", t("appearance.compact")]]),
    choice("enterSends", t("appearance.enter"), [["auto", t("appearance.auto")], ["yes", t("appearance.enter-sends")], ["no", t("appearance.enter-line")]]),
    choice("language", t("appearance.language"), [["auto", t("appearance.auto")], ...Object.entries(LANGUAGES)], () => location.reload()));
  return page;
}

function choice(name, label, options, after = () => {}) {
  return h("section.card", h("h4", label), segments(label, options, preference(name), (value) => {
    setPreference(name, value);
    after();
  }));
}
