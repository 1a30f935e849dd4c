// SPDX-License-Identifier: Apache-2.0
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { icon, tick } from "./icons.js";

const LOOKS = {
  queued: () => icon("clock"),
  written: () => icon("clock"),
  acknowledged: () => tick("one"),
  delivered: () => tick("two"),
  displayed: () => tick("two"),
  "needs-confirmation": () => icon("warning"),
  failed: () => icon("warning"),
};

/** What each state is called, for people. */
export function stateName(state) {
  switch (state) {
    case "queued": return t("state.queued");
    case "written": return t("state.written");
    case "acknowledged": return t("state.acknowledged");
    case "delivered": return t("state.delivered");
    case "displayed": return t("state.displayed");
    case "needs-confirmation": return t("state.needs-confirmation");
    case "failed": return t("state.failed");
    default: return t("state.received");
  }
}

/** The tick of a message of ours: clock, one, two, two coloured, or the red mark. */
export function stateMark(message) {
  const look = LOOKS[message.state];
  if (!look) return null;
  const name = stateName(message.state);
  return h("span.state", { data: { state: message.state }, title: name },
    look(), h("span.visually-hidden", name));
}
