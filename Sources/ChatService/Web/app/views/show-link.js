// SPDX-License-Identifier: Apache-2.0
import { copyText, h, icon, t } from "../ui/basics.js";
import { showSheet } from "../ui/overlay.js";
import { qrCode } from "../ui/qr-code.js";

/** A link for another device or person: to scan, to copy, and to share where the system can. */
export const showLink = (title, text, link, qr, hint) => showSheet(title, (body) => {
  body.append(h("p", text), qr ? qrCode(qr) : "", h("p.pair-url", h("code", link)),
    h("button.button.quiet.wide", { on: { click: () => copyText(link) } }, icon("copy"), t("devices.copy-link")),
    navigator.share ? h("button.button.quiet.wide", { on: { click: () => navigator.share({ url: link }).catch(() => {}) } }, t("invite.share")) : "", h("p.hint", hint));
});
