// SPDX-License-Identifier: Apache-2.0
// Our own card: name, nickname and the like, and the picture, cut to a square here.
import * as accounts from "../api/accounts.js";
import { serves } from "../api/operations.js";
import { toast, toastError } from "../ui/announce.js";
import { avatar } from "../ui/avatar.js";
import { fill, h } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { icon } from "../ui/icons.js";
import { avatarURL } from "../api/client.js";

const SIDE = 256;
const FIELDS = () => [["name", t("profile.name")], ["nickname", t("profile.nickname")], ["organization", t("profile.organization")], ["note", t("profile.note")]];

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
      toastError(error);
    }
    const inputs = FIELDS().map(([name, label]) => [name, h("input", { value: profile[name] ?? "", dir: "auto", maxlength: "500", name }), label]);
    const file = h("input", { type: "file", accept: "image/*", class: "visually-hidden", tabindex: "-1", "aria-label": t("profile.picture"), on: { change: () => this.#picture(file.files[0]) } });
    fill(this, h("form", { class: "card", on: { submit: (event) => { event.preventDefault(); this.#save(profile, inputs); } } },
      h("div", { class: "portrait" }, avatar({ address: this.account, name: profile.nickname || this.account, picture: serves("avatar") ? `${avatarURL(this.account, this.account)}?at=${Date.now()}` : null, size: "huge" }), file,
        serves("changeAvatar") ? h("button", { type: "button", class: "button quiet small", on: { click: () => file.click() } }, icon("image"), t("profile.picture")) : null),
      inputs.map(([, input, label]) => h("label", { class: "field" }, h("span", {}, label), input)),
      serves("changeProfile") ? h("button", { type: "submit", class: "button" }, t("action.save")) : null));
  }

  async #save(profile, inputs) {
    const changed = { ...profile };
    for (const [name, input] of inputs) changed[name] = input.value.trim() || undefined;
    await accounts.changeProfile(this.account, changed).then(() => toast(t("profile.saved")), toastError);
  }

  async #picture(file) {
    if (!file) return;
    try {
      await accounts.changeAvatar(this.account, await square(file));
      toast(t("profile.saved"));
      this.connectedCallback();
    } catch (error) {
      toastError(error);
    }
  }
}

/** The middle of a picture as a small square, without what the camera wrote into it. */
async function square(file) {
  const picture = await createImageBitmap(file);
  const side = Math.min(picture.width, picture.height);
  const canvas = new OffscreenCanvas(SIDE, SIDE);
  canvas.getContext("2d").drawImage(picture, (picture.width - side) / 2, (picture.height - side) / 2, side, side, 0, 0, SIDE, SIDE);
  return canvas.convertToBlob({ type: "image/jpeg", quality: 0.85 });
}

customElements.define("apus-profile", ProfileCard);
