// SPDX-License-Identifier: Apache-2.0
// Every browser that is signed in, and a code for another one.
import * as client from "../api/client.js";
import { attempt, clock, fill, h, icon, relative, store, t, toast, toastError } from "../ui/basics.js";
import { confirm } from "../ui/overlay.js";
import { showLink } from "./show-link.js";

export class Devices extends HTMLElement {
  connectedCallback() {
    this.list = h("div.card.rows");
    fill(this, this.list, h("div.buttons.start",
      h("button.button", () => this.#pair(), icon("qr"), t("devices.add")),
      h("button.button.quiet.danger-text", () => signOut(), icon("sign-out"), t("settings.sign-out"))),
    h("p.hint", t("devices.hint")));
    this.#load();
  }

  #load() {
    return attempt(async () => {
      const sessions = await client.sessions();
      fill(this.list, sessions.map((one) => h("div.device", h("span.avatar.plain", icon("device")),
        h("span.row-text", h("span.row-name", { dir: "auto" }, one.label || t("devices.unnamed")),
          h("span.preview", one.current ? t("devices.this") : t("devices.used", { time: relative(one.used_at) }))),
        one.current ? null : h("button.text-button.danger", { "aria-label": t("devices.revoke-label", { name: one.label }), click: () => this.#revoke(one) }, t("devices.revoke")))));
    });
  }

  async #revoke(one) {
    if (!(await confirm({ title: t("devices.revoke-title", { name: one.label }), text: t("devices.revoke-text"), action: t("devices.revoke"), danger: true }))) return;
    await client.revokeSession(one.id).then(() => toast(t("devices.revoked")), toastError);
    this.#load();
  }

  #pair() {
    return attempt(async () => {
      const pairing = await client.makePairing();
      await showLink(t("devices.add"), t("devices.scan"), pairing.url, pairing.qr, t("devices.expires", { time: clock(pairing.expires_at) }));
      this.#load();
    });
  }
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
