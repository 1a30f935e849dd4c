// SPDX-License-Identifier: Apache-2.0
import * as client from "../api/accounts.js";
import { serves } from "../api/operations.js";
import { store } from "../model/store.js";
import { errorText, toast, toastError } from "../ui/announce.js";
import { fill, h } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { icon } from "../ui/icons.js";
import { showSheet } from "../ui/overlay.js";
import { router } from "../ui/router.js";
import { Connection } from "./connection.js";

/** One account: its connection, its password, whom it trusts, and how to part from it. */
export class AccountPage extends HTMLElement {
  constructor(address) {
    super();
    this.address = address;
  }

  async connectedCallback() {
    fill(this, new Connection(this.address), h("div", { class: "card rows" },
      this.#row("key", t("account.password"), () => this.#password()),
      this.trust = this.#row("shield", t("account.trust"), () => this.#trust()),
      this.#row("trash", t("account.remove"), () => this.#remove(), true)));
    if (serves("profile")) {
      const { ProfileCard } = await import("./profile.js");
      this.prepend(new ProfileCard(this.address));
    }
  }

  #row(picture, label, action, danger = false) {
    return h("button", { type: "button", class: danger ? "action-row danger" : "action-row", on: { click: action } }, icon(picture), h("span", {}, label));
  }

  #password() {
    return showSheet(t("account.password"), (body, close) => {
      const field = h("input", { type: "password", autocomplete: "new-password", required: true, dir: "ltr" });
      const server = h("input", { type: "checkbox", checked: true });
      const problem = h("p", { class: "problem", role: "alert", hidden: true });
      body.append(h("form", { on: { submit: async (event) => {
        event.preventDefault();
        try {
          await client.changePassword(this.address, field.value, server.checked);
          toast(t("account.password-changed"));
          close();
        } catch (error) {
          problem.hidden = false;
          problem.textContent = errorText(error);
        }
      } } }, h("label", { class: "field" }, h("span", {}, t("account.new-password")), field), h("label", { class: "check" }, server, h("span", {}, t("account.password-server"))), problem,
      h("button", { type: "submit", class: "button wide" }, t("action.save"))));
      field.focus();
    });
  }

  async #trust() {
    try {
      const trust = await client.trust(this.address);
      await showSheet(t("account.trust"), (body) => {
        const list = (label, values) => h("div", {}, h("dt", {}, label), h("dd", { class: "fingerprint", dir: "ltr" }, values.length ? values.join("\n") : "–"));
        body.append(h("dl", { class: "facts" }, h("div", {}, h("dt", {}, t("trust.roots")), h("dd", {}, trust.system_roots ? t("connection.yes") : t("connection.no"))),
          list(t("trust.authorities"), trust.authority_files), list(t("trust.certificates"), trust.pinned_certificates), list(t("trust.keys"), trust.pinned_keys)));
        if (trust.pinned_certificates.length) {
          body.append(h("button", { type: "button", class: "button quiet", on: { click: () => client.changeTrust(this.address, { pinned_certificates: [], pinned_keys: trust.pinned_keys }).then(() => toast(t("trust.forgotten")), toastError) } }, t("trust.forget")));
        }
      });
    } catch (error) {
      toastError(error);
    }
  }

  #remove() {
    return showSheet(t("account.remove"), (body, close) => {
      const server = h("input", { type: "checkbox" });
      body.append(h("p", {}, t("account.remove-text", { address: this.address })), h("label", { class: "check" }, server, h("span", {}, t("account.remove-server"))),
        h("div", { class: "buttons" }, h("button", { type: "button", class: "button quiet", on: { click: () => close() } }, t("action.cancel")),
          h("button", { type: "button", class: "button danger", on: { click: async () => {
            try {
              await client.removeAccount(this.address, server.checked);
              await store.refresh();
              await close();
              router.go(["settings"], { replace: true });
            } catch (error) {
              toastError(error);
            }
          } } }, t("action.remove"))));
    });
  }
}

customElements.define("apus-account", AccountPage);
