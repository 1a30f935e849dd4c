// SPDX-License-Identifier: Apache-2.0
// How this browser shows things. Nothing private is in here.
import { pickLanguage } from "../ui/i18n.js";

const KEY = "apus.preferences";
const DEFAULTS = { theme: "auto", size: "normal", language: "auto", density: "auto", enterSends: "auto", sound: false };

let values = { ...DEFAULTS };
try {
  values = { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
} catch {
  // Broken or forbidden: the defaults are fine.
}

export const preference = (name) => values[name];

export function setPreference(name, value) {
  values[name] = value;
  try {
    localStorage.setItem(KEY, JSON.stringify(values));
  } catch {
    // It holds until the page is left.
  }
  applyAppearance();
}

export const chosenLanguage = () => (values.language === "auto" ? pickLanguage() : values.language);

/** Whether Enter sends: by default where there is a keyboard. */
export const enterSends = () =>
  values.enterSends === "auto" ? matchMedia("(hover: hover) and (pointer: fine)").matches : values.enterSends === "yes";

export function applyAppearance() {
  const root = document.documentElement;
  const dark = values.theme === "dark" || (values.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.theme = dark ? "dark" : "light";
  root.dataset.size = values.size;
  document.querySelector("meta[name=theme-color]")?.setAttribute("content", dark ? "#12141c" : "#f6f7fb");
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", applyAppearance);
