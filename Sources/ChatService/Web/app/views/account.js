// SPDX-License-Identifier: Apache-2.0
import * as client from "../api/accounts.js";
import { actionRow, attempt, fact, fill, h, router, store, t, toast, toastError } from "../ui/basics.js";
import { checkOf, fieldOf, formSheet } from "../ui/forms.js";
import { showSheet } from "../ui/overlay.js";
import { Connection } from "./connection.js";

/** One account: its connection, its password, whom it trusts, and how to part from it. */
export class AccountPage extends HTMLElement {
  constructor(address) {
    super();
    this.address = address;
  }

  async connectedCallback() {
    fill(this, new Connection(this.address), h("div.card.rows",
      actionRow("key", t("account.password"), () => this.#password()),
      this.trust = actionRow("shield", t("account.trust"), () => this.#trust()),
      actionRow("block", t("account.blocked"), () => this.#blocked()),
      actionRow("wifi", this.#isEnabled ? t("account.disable") : t("account.enable"), () => this.#enable()),
      actionRow("trash", t("account.remove"), () => this.#remove(), true)));
    const { ProfileCard } = await import("./profile.js");
    this.prepend(new ProfileCard(this.address));
  }

  get #isEnabled() {
    return store.accounts.get(this.address)?.enabled !== false;
  }

  #enable() {
    return attempt(async () => {
      store.accounts.set(this.address, await client.changeAccount(this.address, { enabled: !this.#isEnabled }));
      store.changed("accounts");
      this.connectedCallback();
    });
  }

  /** Whom this account does not hear, and the way back. */
  #blocked() {
    return showSheet(t("account.blocked"), async (body) => {
      const draw = async () => {
        const addresses = await client.blocked(this.address).catch((error) => { toastError(error); return []; });
        fill(body, addresses.length ? h("ul", addresses.map((one) => h("li.device", h("bdi.row-text", { dir: "ltr" }, one),
          h("button.text-button", { "aria-label": t("account.unblock-label", { name: one }), click: () => client.unblock(this.address, one).then(draw, toastError) }, t("account.unblock"))))) : h("p.hint", t("account.nobody-blocked")));
      };
      await draw();
    });
  }

  #password() {
    const field = h("input", { type: "password", autocomplete: "new-password", required: true, dir: "ltr" });
    const server = h("input", { type: "checkbox", checked: true });
    return formSheet(t("account.password"), t("action.save"), [fieldOf(t("account.new-password"), field), checkOf(server, t("account.password-server"))], async () => {
      await client.changePassword(this.address, field.value, server.checked);
      toast(t("account.password-changed"));
    });
  }

  #trust() {
    return attempt(async () => {
      const trust = await client.trust(this.address);
      await showSheet(t("account.trust"), (body) => {
        const list = (label, values) => h("div", h("dt", label), h("dd.fingerprint", { dir: "ltr" }, values.length ? values.join("\n") : "–"));
        body.append(h("dl.facts", fact(t("trust.roots"), trust.system_roots ? t("connection.yes") : t("connection.no")),
          list(t("trust.authorities"), trust.authority_files), list(t("trust.certificates"), trust.pinned_certificates), list(t("trust.keys"), trust.pinned_keys)));
        if (trust.pinned_certificates.length) {
          body.append(h("button.button.quiet", () => client.changeTrust(this.address, { pinned_certificates: [], pinned_keys: trust.pinned_keys }).then(() => toast(t("trust.forgotten")), toastError), t("trust.forget")));
        }
      });
    });
  }

  async #remove() {
    const server = h("input", { type: "checkbox" });
    const gone = await formSheet(t("account.remove"), t("action.remove"), [h("p", t("account.remove-text", { address: this.address })), checkOf(server, t("account.remove-server"))], async () => {
      await client.removeAccount(this.address, server.checked);
      await store.refresh();
    }, ".danger");
    if (gone) router.go(["settings"], { replace: true });
  }
}

customElements.define("apus-account", AccountPage);
