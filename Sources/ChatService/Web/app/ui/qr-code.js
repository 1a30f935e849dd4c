// SPDX-License-Identifier: Apache-2.0
import { svg } from "./dom.js";
import { t } from "./i18n.js";

/** Dark on light whatever the theme, with the quiet zone that scanners need. */
export function qrCode({ size, path }) {
  const all = size + 8;
  return svg("svg", { class: "qr", viewBox: `-4 -4 ${all} ${all}`, role: "img", "aria-label": t("devices.code") },
    svg("rect", { x: -4, y: -4, width: all, height: all, class: "qr-light" }), svg("path", { d: path, class: "qr-dark" }));
}
