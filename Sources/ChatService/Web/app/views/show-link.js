// SPDX-License-Identifier: Apache-2.0
import { copyText, h, icon, t } from "../ui/basics.js";
import { svg } from "../ui/dom.js";
import { showSheet } from "../ui/overlay.js";

/** A link for another device or person: to scan, to copy, and to share where the system can. */
export const showLink = (title, text, link, qr, hint) => showSheet(title, (body) => {
  body.append(h("p", text), qr ? qrCode(qr) : "", h("p.pair-url", h("code", link)),
    h("button.button.quiet.wide", () => copyText(link), icon("copy"), t("devices.copy-link")),
    navigator.share ? h("button.button.quiet.wide", () => navigator.share({ url: link }).catch(() => {}), t("invite.share")) : "", h("p.hint", hint));
});

/** Dark on light whatever the theme, with the quiet zone that scanners need. */
function qrCode({ size, path }) {
  const all = size + 8;
  return svg("svg", { class: "qr", viewBox: `-4 -4 ${all} ${all}`, role: "img", "aria-label": t("devices.code") },
    svg("rect", { x: -4, y: -4, width: all, height: all, class: "qr-light" }), svg("path", { d: path, class: "qr-dark" }));
}
