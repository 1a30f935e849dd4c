// SPDX-License-Identifier: Apache-2.0
import { preference, setPreference } from "../model/preferences.js";
import { h, fill } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { icon } from "../ui/icons.js";
import { beep, notify } from "../ui/notifier.js";

/** What this browser does when a message comes; the permission is asked for by a tap only. */
export function notifications() {
  const page = h("div", {});
  const draw = () => {
    const state = "Notification" in globalThis ? Notification.permission : "unsupported";
    fill(page,
      h("section", { class: "card" }, h("h4", {}, t("notify.system")), h("p", { class: "hint" }, state === "granted" ? t("notify.granted") : state === "denied" ? t("notify.denied") : state === "unsupported" ? t("notify.unsupported") : t("notify.ask-hint")),
        state === "default" ? h("button", { type: "button", class: "button", on: { click: () => Notification.requestPermission().then(draw) } }, t("notify.allow")) : null,
        state === "granted" ? h("button", { type: "button", class: "button quiet", on: { click: () => notify({ title: "Apus", body: t("notify.test-text"), tag: "test" }) } }, icon("bell"), t("notify.test")) : null),
      h("section", { class: "card" }, h("h4", {}, t("notify.sound")),
        h("label", { class: "check" }, h("input", { type: "checkbox", checked: preference("sound"), on: { change: (event) => { setPreference("sound", event.target.checked); if (event.target.checked) beep(); } } }), h("span", {}, t("notify.sound-text")))));
  };
  draw();
  return page;
}
