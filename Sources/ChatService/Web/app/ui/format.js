// SPDX-License-Identifier: Apache-2.0
import { formats, t } from "./i18n.js";

const cache = new Map();
/** Formats are dear to make, and the language stays as it is while the page lives. */
function format(name, options) {
  if (!cache.has(name)) cache.set(name, new Intl.DateTimeFormat(formats(), options));
  return cache.get(name);
}

const day = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

/** Whole days between the day of a moment and today. */
export const daysAgo = (date, now = new Date()) => Math.round((day(now) - day(date)) / 86_400_000);

/** 09:41 */
export const clock = (date) => format("clock", { hour: "2-digit", minute: "2-digit" }).format(new Date(date));

/** Everything about a moment, for details and titles. */
export const fullTime = (date) => format("full", { dateStyle: "long", timeStyle: "medium" }).format(new Date(date));

/** 3 March 2026 */
export const fullDate = (date) => format("date", { dateStyle: "long" }).format(new Date(date));

/** March 2026, for the months of a gallery. */
export const monthName = (date) => format("month-year", { month: "long", year: "numeric" }).format(date);

/** 1:05, how long something lasts. */
export const duration = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

/** For a row of the list: the time today, the weekday this week, else the date. */
export function shortTime(date) {
  const days = daysAgo(date);
  if (days <= 0) return clock(date);
  if (days < 7) return format("weekday-short", { weekday: "short" }).format(date);
  if (date.getFullYear() === new Date().getFullYear()) return format("month", { day: "numeric", month: "short" }).format(date);
  return format("year", { dateStyle: "short" }).format(date);
}

/** For the line between two days. */
export function dayName(date) {
  const days = daysAgo(date);
  if (days === 0) return t("day.today");
  if (days === 1) return t("day.yesterday");
  if (days > 1 && days < 7) return format("weekday", { weekday: "long" }).format(date);
  if (date.getFullYear() === new Date().getFullYear()) {
    return format("day", { weekday: "long", day: "numeric", month: "long" }).format(date);
  }
  return format("day-year", { weekday: "long", day: "numeric", month: "long", year: "numeric" }).format(date);
}

const UNITS = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]];

/** "5 minutes ago", "in 3 hours" */
export function relative(date, now = Date.now()) {
  const seconds = Math.round((new Date(date) - now) / 1000);
  if (!cache.has("relative")) cache.set("relative", new Intl.RelativeTimeFormat(formats(), { numeric: "auto" }));
  const [unit, length] = UNITS.find(([, one]) => Math.abs(seconds) >= one) ?? UNITS[3];
  return cache.get("relative").format(Math.round(seconds / length), unit);
}

/** 412 kB */
export function bytes(count) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
  let value = count;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = value < 10 && unit > 0 ? 1 : 0;
  return new Intl.NumberFormat(formats(), { style: "unit", unit: units[unit], maximumFractionDigits: digits }).format(value);
}
