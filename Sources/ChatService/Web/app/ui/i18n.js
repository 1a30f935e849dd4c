// SPDX-License-Identifier: Apache-2.0
// One language is loaded, and English below it only when a string is missing there (which a test forbids).

export const LANGUAGES = { en: "English", "zh-Hant": "繁體中文", "zh-Hans": "简体中文" };

let strings = {};
let plurals = new Intl.PluralRules("en");
let tag = "en";
/** Keys that were asked for in vain; the tests look for them. */
const missing = new Set();

/** The tag of the language in use. */
export const language = () => tag;
/** The same with the region that the browser prefers, which decides how dates look: en-GB. */
export const formats = () => navigator.languages?.find((one) => pickLanguage([one]) === tag && one.slice(0, 2).toLowerCase() === tag.slice(0, 2)) ?? tag;

/** The best of our languages for what the browser prefers. */
export function pickLanguage(preferred = navigator.languages ?? [navigator.language]) {
  for (const wanted of preferred) {
    const locale = wanted.toLowerCase();
    if (locale.startsWith("zh")) return /hant|tw|hk|mo/.test(locale) ? "zh-Hant" : "zh-Hans";
    if (locale.startsWith("en")) return "en";
  }
  return "en";
}

export async function loadLanguage(wanted) {
  tag = wanted in LANGUAGES ? wanted : "en";
  const reply = await fetch(`/lang/${tag}.json`);
  if (!reply.ok) throw new Error(`no language ${tag}`);
  strings = await reply.json();
  plurals = new Intl.PluralRules(tag);
  document.documentElement.lang = tag;
}

/** The string of a key; `{name}` is replaced by the value of that name, `n` picks the plural form. */
export function t(key, values = {}) {
  let text = strings[key];
  if (typeof text === "object" && text !== null) text = text[plurals.select(Number(values.n) || 0)] ?? text.other;
  if (typeof text !== "string") {
    missing.add(key);
    document.documentElement.dataset.missing = [...missing].join(" ");
    return key;
  }
  return text.replace(/\{(\w+)\}/g, (whole, name) => {
    if (!(name in values)) return whole;
    return typeof values[name] === "number" ? number(values[name]) : String(values[name]);
  });
}

/** The string of `prefix.code`, or the fallback for a code that we do not know (an open set of the service). */
export const known = (prefix, code, fallback = code) => (`${prefix}.${code}` in strings ? t(`${prefix}.${code}`) : fallback);

export const number = (value) => new Intl.NumberFormat(tag).format(value);
