// SPDX-License-Identifier: Apache-2.0
// What this browser does when a message comes: in the page, as a system notification, and by Web Push when no page is
// open. Permission and subscription are asked for by a tap only.
import * as push from "../api/push.js";
import { preference, setPreference } from "../model/preferences.js";
import { errorText, fill, h, icon, serves, t, toast } from "../ui/basics.js";
import { beep, notify } from "../ui/notifier.js";

export function notifications() {
  const page = h("div");
  const draw = async () => {
    const permission = "Notification" in globalThis ? Notification.permission : "unsupported";
    const subscribed = permission === "granted" && (await push.subscription().catch(() => null));
    fill(page,
      h("section.card", h("h4", t("notify.system")), h("p.hint", permissionText(permission)),
        permission === "default" ? h("button.button", { on: { click: () => Notification.requestPermission().then(draw) } }, t("notify.allow")) : null,
        permission === "granted" ? h("button.button.quiet", { on: { click: () => notify({ title: "Apus", body: t("notify.test-text"), tag: "test" }) } }, icon("bell"), t("notify.test")) : null),
      pushCard(permission, subscribed, draw),
      h("section.card", h("h4", t("notify.sound")),
        h("label.check", h("input", { type: "checkbox", checked: preference("sound"), on: { change: (event) => {
          setPreference("sound", event.target.checked);
          if (event.target.checked) beep();
        } } }), h("span", t("notify.sound-text")))));
  };
  draw();
  const rules = h("div");
  if (serves("settings")) import("./notify-rules.js").then(({ NotifyRules }) => rules.append(new NotifyRules()));
  return h("div", page, rules);
}

function permissionText(permission) {
  switch (permission) {
    case "granted": return t("notify.granted");
    case "denied": return t("notify.denied");
    case "default": return t("notify.ask-hint");
    default: return t("notify.unsupported");
  }
}

function pushCard(permission, subscribed, draw) {
  const state = push.pushState();
  if (state === "unsupported") return null;
  const busy = (work) => async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    button.setAttribute("aria-busy", "true");
    try {
      await work();
    } catch (error) {
      toast(error.message === "timeout" ? t("push.no-answer") : error.name === "NotAllowedError" ? t("notify.denied") : errorText(error), { kind: "error" });
    }
    draw();
  };
  const button = (label, work, kind = "") => h("button", { class: `button ${kind}`, on: { click: busy(work) } }, label);
  const hint = state === "insecure" ? t("push.insecure") : state === "install" ? t("push.install") : subscribed ? t("push.on") : t("push.off");
  return h("section.card", h("h4", t("push.title")), h("p.hint", hint),
    state !== "possible" || permission === "denied" ? null : h("div.buttons.start", subscribed
      ? [button(t("notify.test"), () => push.test().then(() => toast(t("push.test-sent")))), button(t("push.stop"), push.unsubscribe, "quiet")]
      : button(t("push.start"), async () => {
        if ((await Notification.requestPermission()) === "granted") await push.subscribe();
      })));
}
