// SPDX-License-Identifier: Apache-2.0
// Our own card: the fields of a vCard, and the picture, cut to a square here.
import * as accounts from "../api/accounts.js";
import { avatarURL } from "../api/client.js";
import { avatar, fill, h, icon, t, toast, toastError } from "../ui/basics.js";
import { fieldOf } from "../ui/forms.js";
import { pictureField, publish } from "./picture-field.js";

const FIELDS = () => [
  ["name", t("profile.name")], ["nickname", t("profile.nickname")], ["title", t("profile.title")], ["organization", t("profile.organization")],
  ["birthday", t("profile.birthday"), "date"], ["emails", t("profile.email"), "email"], ["phones", t("profile.phone"), "tel"], ["links", t("profile.link"), "url"],
  ["address", t("profile.address")], ["note", t("profile.note")],
];

/** What the service keeps as a list is one line here, with commas. */
const LISTS = new Set(["emails", "phones", "links"]);

export class ProfileCard extends HTMLElement {
  constructor(account) {
    super();
    this.account = account;
  }

  async connectedCallback() {
    let profile = {};
    try {
      profile = await accounts.profile(this.account);
    } catch (error) {
      if (!error.isSignedOut) toastError(error);
    }
    const value = (name) => (LISTS.has(name) ? (profile[name] ?? []).join(", ") : profile[name] ?? "");
    const inputs = FIELDS().map(([name, label, kind]) => [name, h("input", { type: kind === "date" ? "date" : "text", inputmode: kind && kind !== "date" ? kind : null, value: value(name), dir: "auto", maxlength: "500", name }), label]);
    const change = async (cut) => {
      await accounts.changeAvatar(this.account, cut);
      this.connectedCallback();
    };
    const file = pictureField(change);
    const rest = inputs.slice(2);
    const row = ([, input, label]) => fieldOf(label, input);
    fill(this, h("form.card", { submit: () => this.#save(profile, inputs) },
      h("div.portrait", avatar({ address: this.account, name: profile.nickname || this.account, picture: `${avatarURL(this.account, this.account)}?at=${Date.now()}`, size: "huge" }), file,
        h("div.buttons.start", h("button.button.quiet.small", () => file.click(), icon("image"), t("profile.picture")),
          h("button.text-button.danger", () => publish(change), t("profile.no-picture")))),
      inputs.slice(0, 2).map(row), h("details.advanced", { open: rest.some(([, input]) => input.value) }, h("summary", t("profile.more")), rest.map(row)),
      h("p.hint", t("profile.hint")),
      h("button.button", { type: "submit" }, t("action.save"))));
  }

  /** Only what was changed is sent; an empty text takes a field away. */
  async #save(profile, inputs) {
    const changed = {};
    for (const [name, input] of inputs) {
      const text = input.value.trim();
      if (LISTS.has(name)) {
        const list = text.split(/[,;\s]+/).filter(Boolean);
        if (list.join() !== (profile[name] ?? []).join()) changed[name] = list;
      } else if (text !== (profile[name] ?? "")) changed[name] = text;
    }
    await accounts.changeProfile(this.account, changed).then(() => toast(t("profile.saved")), toastError);
  }
}

customElements.define("apus-profile", ProfileCard);
