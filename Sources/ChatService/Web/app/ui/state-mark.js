// SPDX-License-Identifier: Apache-2.0
import { h } from "./dom.js";
import { known, t } from "./i18n.js";
import { icon, tick } from "./icons.js";

const TICKS = { acknowledged: "one", delivered: "two", displayed: "two" };
const ICONS = { queued: "clock", written: "clock", "needs-confirmation": "warning", failed: "warning" };

/** What each state is called, for people. */
export const stateName = (state) => known("state", state, t("state.received"));

/** The tick of a message of ours: clock, one, two, two coloured, or the red mark. */
export function stateMark(message) {
  const look = message.state in TICKS ? tick(TICKS[message.state]) : message.state in ICONS ? icon(ICONS[message.state]) : null;
  if (!look) return null;
  const name = stateName(message.state);
  return h("span.state", { data: { state: message.state }, title: name },
    look, h("span.visually-hidden", name));
}
