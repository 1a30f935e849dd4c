// SPDX-License-Identifier: Apache-2.0
// Before there is a session: the one-time code from the terminal, and what signing in here means.
import * as client from "../api/client.js";
import { useToken } from "../api/http.js";
import { bird, errorText, fill, h, icon, loadStyle, t } from "../ui/basics.js";
import { fieldOf } from "../ui/forms.js";

await loadStyle("forms");

export class Pairing extends HTMLElement {
  constructor({ code, onPaired }) {
    super();
    this.code = code;
    this.onPaired = onPaired;
  }

  async connectedCallback() {
    this.codeField = h("input", { name: "code", autocomplete: "one-time-code", plain: true, required: true, value: this.code ?? "" });
    this.passwordField = h("input", { type: "password", name: "password", autocomplete: "current-password" });
    this.passwordLabel = h("label.field", { hidden: true }, h("span", t("pair.password")), this.passwordField);
    this.problem = h("p.problem", { role: "alert", hidden: true });
    this.button = h("button.button.wide", { type: "submit" }, t("pair.action"));
    const form = h("form.card", { submit: () => this.#pair() },
      fieldOf(t("pair.code"), this.codeField),
      this.passwordLabel, this.problem, this.button,
      h("p.hint", t("pair.where"), " ", h("code", "apus pair")));
    fill(this, h("main.welcome", bird(), h("h1", t("pair.title")), h("p.lead", t("pair.lead")), form,
      h("section.card.notice", h("h2", icon("eye"), t("pair.who-reads")),
        h("ul", h("li", t("pair.reads-owner")), h("li", t("pair.reads-browser")), h("li", t("pair.reads-server"))))));
    try {
      const { needs_password: needed } = await client.hello();
      this.passwordLabel.hidden = !needed;
      this.passwordField.required = needed;
      // A link that was just opened is enough; the person sees this page only when more is needed.
      if (this.code && !needed) return this.#pair();
    } catch (error) {
      this.#fail(error);
    }
    (this.codeField.value ? this.passwordField : this.codeField).focus();
  }

  async #pair() {
    this.button.disabled = true;
    this.problem.hidden = true;
    try {
      const request = { code: codeOf(this.codeField.value), label: browserName() };
      if (!this.passwordLabel.hidden) request.password = this.passwordField.value;
      useToken((await client.pair(request)).token);
      this.onPaired();
    } catch (error) {
      this.#fail(error);
    } finally {
      this.button.disabled = false;
    }
  }

  #fail(error) {
    this.problem.hidden = false;
    this.problem.textContent = error.status === 403 ? t("pair.wrong") : error.status === 429 ? t("pair.too-many") : errorText(error);
  }
}

/** The code, or the code in a whole link that was pasted. */
const codeOf = (text) => /pair=([\w~.-]+)/.exec(text)?.[1] ?? text.trim();

/** How this browser is called in the list of devices: "Firefox on Android". */
function browserName(agent = navigator.userAgent) {
  const find = (pairs) => pairs.find(([pattern]) => pattern.test(agent))?.[1];
  const browser = find([[/Edg\//, "Edge"], [/OPR\//, "Opera"], [/Firefox\//, "Firefox"], [/Chrom(e|ium)\//, "Chrome"], [/Safari\//, "Safari"]]) ?? "Browser";
  const system = find([[/Android/, "Android"], [/iPhone|iPad/, "iOS"], [/Mac OS X/, "macOS"], [/Windows/, "Windows"], [/Linux/, "Linux"]]);
  return system ? `${browser} (${system})` : browser;
}

customElements.define("apus-pairing", Pairing);
