// SPDX-License-Identifier: Apache-2.0
import { preference, setPreference } from "../model/preferences.js";
import { h, known, LANGUAGES, segments } from "../ui/basics.js";

export function appearance() {
  return h("div", choice("theme", ["auto", "light", "dark"]), choice("size", ["small", "normal", "large", "huge"]),
    choice("density", ["auto", "bubbles", "compact"]), choice("enterSends", ["auto", "yes", "no"]),
    choice("language", ["auto", ...Object.keys(LANGUAGES)], () => location.reload()));
}

function choice(name, values, after = () => {}) {
  const options = values.map((value) => [value, LANGUAGES[value] ?? known("appearance", value)]);
  return h("section.card", h("h4", known("appearance", name)), segments(known("appearance", name), options, preference(name), (value) => {
    setPreference(name, value);
    after();
  }));
}
