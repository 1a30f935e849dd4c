// SPDX-License-Identifier: Apache-2.0
import { avatar, fill, h, href, icon, known, loadStyle, router, store, t, View } from "../ui/basics.js";
import { showKeys } from "../ui/key-help.js";
import { pictureOf } from "./chat-list.js";

await loadStyle("forms");

const PAGES = [["appearance", "sun"], ["notifications", "bell"], ["devices", "device"], ["connection", "doctor"], ["about", "info"]];

export class SettingsList extends View {
  connectedCallback() {
    this.until(store.on("accounts", () => this.#draw()), router.on("route", () => this.#draw()));
    this.#draw();
  }

  #draw() {
    const [, page, which] = router.parts;
    const row = (name, picture, label, hint) => h("a.row.setting", { href: href("settings", name), "aria-current": page === name ? "true" : null },
      h("span.avatar.plain", icon(picture)), h("span.row-text", h("span.row-name", label), hint ? h("span.preview", hint) : null), icon("chevron", "flip"));
    const action = (picture, label, click) => h("button.row.setting", click, h("span.avatar.plain", icon(picture)), h("span.row-name", label));
    fill(this, h("header.list-header", h("h1", t("tab.settings"))),
      h("div.scroller",
        h("nav.plain-list", { "aria-label": t("tab.settings") },
          [...store.accounts.values()].map((account) => h("a.row", { href: href("settings", "account", account.address), "aria-current": page === "account" && which === account.address ? "true" : null },
            avatar({ address: account.address, name: account.address, picture: pictureOf({ account: account.address, address: account.address, picture: account.picture }) }),
            h("span.row-text", h("span.row-name", h("bdi", { dir: "ltr" }, account.address)), h("span.preview", known("connection", account.connection.state))), icon("chevron", "flip"))),
          row("add-account", "plus", t("settings.add-account")),
          PAGES.map(([name, picture]) => row(name, picture, titleOf(name)))),
        h("div.plain-list", action("text", t("keys.title"), showKeys), action("sign-out", t("settings.sign-out"), async () => (await import("./devices.js")).signOut()))));
  }
}

export const titleOf = (page) => known("settings", page, t("settings.account"));

customElements.define("apus-settings-list", SettingsList);
