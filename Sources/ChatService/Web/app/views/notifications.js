// SPDX-License-Identifier: Apache-2.0
// What this browser does when a message comes: in the page, as a system notification, and by Web Push when no page is
// open. Permission and subscription are asked for by a tap only.
import * as push from "../api/push.js";
import { preference, setPreference } from "../model/preferences.js";
import { busy, errorText, fill, h, icon, known, t, toast } from "../ui/basics.js";
import { beep, notify } from "../ui/notifier.js";
import { NotifyRules } from "./notify-rules.js";

export function notifications() {
  const page = h("div");
  const draw = async () => {
    const permission = "Notification" in globalThis ? Notification.permission : "unsupported";
    const subscribed = permission === "granted" && (await push.subscription().catch(() => null));
    fill(page,
      h("section.card", h("h4", t("notify.system")), h("p.hint", known("permission", permission)),
        permission === "default" ? h("button.button", () => Notification.requestPermission().then(draw), t("notify.allow")) : null,
        permission === "granted" ? h("button.button.quiet", () => notify({ title: "Apus", body: t("notify.test-text"), tag: "test" }), icon("bell"), t("notify.test")) : null),
      pushCard(permission, subscribed, draw),
      h("section.card", h("h4", t("notify.sound")),
        h("label.check", h("input", { type: "checkbox", checked: preference("sound"), change: (event) => {
          setPreference("sound", event.target.checked);
          if (event.target.checked) beep();
        } }), h("span", t("notify.sound-text")))));
  };
  draw();
  return h("div", page, new NotifyRules());
}

function pushCard(permission, subscribed, draw) {
  const state = push.pushState();
  if (state === "unsupported") return null;
  const failed = (error) => toast(error.message === "timeout" ? t("push.no-answer") : error.name === "NotAllowedError" ? t("permission.denied") : errorText(error), { kind: "error" });
  const button = (label, work, kind = "") => h("button", { class: `button ${kind}`, click: (event) => busy(event.currentTarget, work, failed).then(draw) }, label);
  const hint = known("push", state, subscribed ? t("push.on") : t("push.off"));
  return h("section.card", h("h4", t("push.title")), h("p.hint", hint),
    state !== "possible" || permission === "denied" ? null : h("div.buttons.start", subscribed
      ? [button(t("notify.test"), () => push.test().then(() => toast(t("push.test-sent")))), button(t("push.stop"), push.unsubscribe, "quiet")]
      : button(t("push.start"), async () => {
        if ((await Notification.requestPermission()) === "granted") await push.subscribe();
      })));
}
