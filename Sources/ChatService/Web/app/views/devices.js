// SPDX-License-Identifier: Apache-2.0
// Every browser that is signed in, and a code for another one.
import * as client from "../api/client.js";
import { store } from "../model/store.js";
import { toast, toastError } from "../ui/announce.js";
import { fill, h, svg } from "../ui/dom.js";
import { clock, relative } from "../ui/format.js";
import { t } from "../ui/i18n.js";
import { icon } from "../ui/icons.js";
import { confirm, showSheet } from "../ui/overlay.js";

export class Devices extends HTMLElement {
  connectedCallback() {
    this.list = h("div", { class: "card rows" });
    fill(this, this.list, h("div", { class: "buttons start" },
      h("button", { type: "button", class: "button", on: { click: () => this.#pair() } }, icon("qr"), t("devices.add")),
      h("button", { type: "button", class: "button quiet danger-text", on: { click: () => signOut() } }, icon("sign-out"), t("settings.sign-out"))),
    h("p", { class: "hint" }, t("devices.hint")));
    this.#load();
  }

  async #load() {
    try {
      const sessions = await client.sessions();
      fill(this.list, sessions.map((one) => h("div", { class: "device" }, h("span", { class: "avatar plain" }, icon("device")),
        h("span", { class: "row-text" }, h("span", { class: "row-name", dir: "auto" }, one.label || t("devices.unnamed")),
          h("span", { class: "preview" }, one.current ? t("devices.this") : t("devices.used", { time: relative(new Date(one.used_at)) }))),
        one.current ? null : h("button", { type: "button", class: "text-button danger", "aria-label": t("devices.revoke-label", { name: one.label }), on: { click: () => this.#revoke(one) } }, t("devices.revoke")))));
    } catch (error) {
      toastError(error);
    }
  }

  async #revoke(one) {
    if (!(await confirm({ title: t("devices.revoke-title", { name: one.label }), text: t("devices.revoke-text"), action: t("devices.revoke"), danger: true }))) return;
    await client.revokeSession(one.id).then(() => toast(t("devices.revoked")), toastError);
    this.#load();
  }

  async #pair() {
    try {
      const pairing = await client.makePairing();
      await showSheet(t("devices.add"), (body) => {
        body.append(h("p", {}, t("devices.scan")), pairing.qr ? code(pairing.qr) : "",
          h("p", { class: "pair-url" }, h("code", {}, pairing.url)),
          h("button", { type: "button", class: "button quiet wide", on: { click: () => navigator.clipboard.writeText(pairing.url).then(() => toast(t("message.copied")), () => {}) } }, icon("copy"), t("devices.copy-link")),
          h("p", { class: "hint" }, t("devices.expires", { time: clock(new Date(pairing.expires_at)) })));
      });
      this.#load();
    } catch (error) {
      toastError(error);
    }
  }
}

/** Dark on light whatever the theme, with the quiet zone that scanners need. */
function code({ size, path }) {
  const all = size + 8;
  return svg("svg", { class: "qr", viewBox: `-4 -4 ${all} ${all}`, role: "img", "aria-label": t("devices.code") },
    svg("rect", { x: -4, y: -4, width: all, height: all, class: "qr-light" }), svg("path", { d: path, class: "qr-dark" }));
}

/** Ends this browser's session and erases what it stored, here and in the other tabs. */
export async function signOut() {
  if (!(await confirm({ title: t("sign-out.title"), text: t("sign-out.text"), action: t("settings.sign-out"), danger: true }))) return;
  try {
    await client.signOut();
  } catch (error) {
    // The service may be away; what is stored here goes all the same.
    if (!error.isUnreachable && !error.isSignedOut) return toastError(error);
  }
  store.emit("left");
}

customElements.define("apus-devices", Devices);
