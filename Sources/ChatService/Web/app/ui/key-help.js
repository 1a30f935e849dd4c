// SPDX-License-Identifier: Apache-2.0
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { showSheet } from "./overlay.js";

/** Everything the help shows, and nothing that does not work. */
const HELP = () => [
  [["Ctrl", "K"], t("keys.switch")],
  [["Alt", "↓"], t("keys.next")], [["Alt", "↑"], t("keys.previous")],
  [["Alt", "Shift", "↓"], t("keys.next-unread")], [["Alt", "Shift", "↑"], t("keys.previous-unread")],
  [["Alt", "A"], t("keys.first-unread")],
  [["Shift", "Esc"], t("keys.all-read")],
  [["↑"], t("keys.edit-last")], [["Enter"], t("keys.send")], [["Shift", "Enter"], t("keys.newline")],
  [["Ctrl", "B"], t("keys.bold")], [["Ctrl", "I"], t("keys.italic")], [["Ctrl", "E"], t("keys.code")],
  [["Esc"], t("keys.escape")], [["PgUp"], t("keys.page")],
  [["Ctrl", "/"], t("keys.help")],
];

export function showKeys() {
  return showSheet(t("keys.title"), (body) => {
    body.append(h("dl.keys-list", HELP().map(([keys, text]) =>
      h("div", h("dt", keys.map((one) => h("kbd", one))), h("dd", text)))));
  });
}
