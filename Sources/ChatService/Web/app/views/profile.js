// SPDX-License-Identifier: Apache-2.0
// Our own card: the fields of a vCard, and the picture, cut to a square here.
import * as accounts from "../api/accounts.js";
import { avatarURL } from "../api/client.js";
import { attempt, avatar, fill, h, icon, t, toast, toastError } from "../ui/basics.js";
import { fieldOf } from "../ui/forms.js";

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
    const file = h("input", { type: "file", accept: "image/*", class: "visually-hidden", tabindex: "-1", "aria-label": t("profile.picture"), on: { change: () => this.#picture(file) } });
    const rest = inputs.slice(2);
    const row = ([, input, label]) => fieldOf(label, input);
    fill(this, h("form.card", { on: { submit: (event) => { event.preventDefault(); this.#save(profile, inputs); } } },
      h("div.portrait", avatar({ address: this.account, name: profile.nickname || this.account, picture: `${avatarURL(this.account, this.account)}?at=${Date.now()}`, size: "huge" }), file,
        h("div.buttons.start", h("button.button.quiet.small", { on: { click: () => file.click() } }, icon("image"), t("profile.picture")),
          h("button.text-button.danger", { on: { click: () => this.#without() } }, t("profile.no-picture")))),
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

  async #picture(field) {
    const [file] = field.files;
    field.value = "";
    if (!file) return;
    await attempt(async () => {
      const { cutSquare } = await import("./picture-cutter.js");
      const cut = await cutSquare(file);
      if (!cut) return;
      await accounts.changeAvatar(this.account, cut);
      toast(t("profile.saved"));
      this.connectedCallback();
    });
  }

  async #without() {
    await accounts.removeAvatar(this.account).then(() => toast(t("profile.saved")), toastError);
    this.connectedCallback();
  }
}

customElements.define("apus-profile", ProfileCard);
