// SPDX-License-Identifier: Apache-2.0
// The first account: sign in, or have one made with the server's own form. Also used to add a further account.
import * as client from "../api/accounts.js";
import { newKey } from "../api/http.js";
import { bird, busy, errorText, fact, fill, h, icon, known, loadStyle, router, store, t } from "../ui/basics.js";
import { checkOf, fieldOf } from "../ui/forms.js";
import { certificateFacts } from "./connection.js";

await loadStyle("forms");

export class FirstRun extends HTMLElement {
  #mode = "sign-in";
  #form = null;
  #pinned = null;

  connectedCallback() {
    this.#draw();
  }

  #draw() {
    const make = this.#mode === "register";
    const address = this.address?.value ?? "";
    const password = this.password?.value ?? "";
    this.address = h("input", {
      type: "text", inputmode: "email", name: "username", autocomplete: "username", plain: true, dir: "ltr",
      placeholder: "ana@example.org", required: true, value: address,
    });
    this.password = h("input", { type: "password", name: "password", autocomplete: make ? "new-password" : "current-password", required: true, value: password, dir: "ltr" });
    const show = h("button.icon-button", { "aria-label": t("first.show-password"), "aria-pressed": "false", click: () => {
      const visible = this.password.type === "text";
      this.password.type = visible ? "password" : "text";
      show.setAttribute("aria-pressed", String(!visible));
    } }, icon("eye"));
    this.host = h("input", { name: "host", plain: true, dir: "ltr", value: this.host?.value ?? "" });
    this.port = h("input", { name: "port", inputmode: "numeric", pattern: "[0-9]*", dir: "ltr", value: this.port?.value ?? "" });
    this.direct = h("input", { type: "checkbox", checked: this.direct?.checked ?? false });
    this.advanced = h("details.advanced", { open: this.advanced?.open ?? false }, h("summary", t("first.advanced")),
      h("div.two", fieldOf(t("first.host"), this.host),
        h("label.field.narrow", h("span", t("first.port")), this.port)),
      checkOf(this.direct, t("first.direct-tls")));
    this.fields = h("div.server-form");
    this.problem = h("div.problem", { role: "alert", hidden: true });
    this.submit = h("button.button.wide", { type: "submit" }, make ? t("first.register") : t("first.sign-in"));
    const form = h("form.card", { submit: () => make ? this.#register() : this.#signIn() },
      fieldOf(t("first.address"), this.address),
      fieldOf(t("first.password"), h("span.with-button", this.password, show)),
      this.fields, this.problem, this.submit, this.advanced);
    fill(this, h("div.welcome", bird(), h("h1", make ? t("first.title-register") : t("first.title")),
      h("p.lead", make ? t("first.lead-register") : t("first.lead")), form,
      h("p.or", h("span", t("first.or"))),
      h("button.button.quiet.wide", () => this.#switch(), make ? t("first.have-account") : t("first.make-account")),
      h("button.button.quiet.wide", () => this.#invite(), icon("qr"), t("first.invite"))));
    if (this.#form) this.#drawForm();
  }

  #switch() {
    this.#mode = this.#mode === "register" ? "sign-in" : "register";
    this.#form = null;
    this.#draw();
    this.address.focus();
  }

  /** An invitation names the server, sometimes the name to have there, and has a token that lets one in. */
  async #invite() {
    const { readInvitation } = await import("./invitation.js");
    const found = await readInvitation();
    if (!found) return;
    if (found.action !== "register") {
      // It is for somebody who has an account already; it is taken up again once there is one.
      sessionStorage.setItem("apus.invitation", found.link);
      this.problem.hidden = false;
      fill(this.problem, icon("info"), h("p", t("first.invite-later", { address: found.address ?? found.domain })));
      if (!found.permits_registration) return;
    }
    this.#token = found.token;
    this.#mode = "register";
    this.#form = null;
    this.#draw();
    const domain = found.domain ?? found.address.split("@").at(-1);
    this.address.value = found.action === "register" && found.address?.includes("@") ? found.address : `@${domain}`;
    this.address.focus();
    this.address.setSelectionRange(0, 0);
  }

  #token = null;

  get #server() {
    const server = {};
    if (this.host.value.trim()) server.host = this.host.value.trim();
    if (this.port.value.trim()) server.port = Number(this.port.value.trim());
    if (this.direct.checked) server.direct_tls = true;
    if (this.#pinned) server.pinned_certificate = this.#pinned;
    return Object.keys(server).length ? server : undefined;
  }

  #working(work) {
    this.problem.hidden = true;
    return busy(this.submit, work, (error) => this.#fail(error));
  }

  #signIn() {
    return this.#working(async () => {
      await this.#done(await client.addAccount({ address: this.address.value.trim(), password: this.password.value, server: this.#server }, newKey()));
    });
  }

  /** First the server is asked for its form; when it wants nothing else, the account is made at once. */
  #register() {
    return this.#working(async () => {
      const address = this.address.value.trim();
      if (!this.#form) {
        const form = await client.registrationForm({ address, server: this.#server, invitation: this.#token ?? undefined });
        if (form.web_address || form.fields.length || form.instructions) {
          this.#form = form;
          if (form.fields.length || form.web_address) return this.#drawForm();
        }
      }
      const fields = Object.fromEntries([...this.fields.querySelectorAll("[data-field]")].map((field) => [field.dataset.field, field.value]));
      await this.#done(await client.registerAccount({ address, password: this.password.value, server: this.#server, fields, form: this.#form?.id }, newKey()));
    });
  }

  #drawForm() {
    const { instructions, fields, web_address: web } = this.#form;
    fill(this.fields, instructions ? h("p.hint", { dir: "auto" }, instructions) : null,
      web ? h("p.hint", t("first.web"), " ", h("a", { href: web, target: "_blank", rel: "noopener noreferrer" }, web)) : null,
      fields.map((field) => h("label.field", h("span", { dir: "auto" }, field.label || field.name), field.picture ? captcha(field.picture) : null,
        field.options.length ? h("select", { data: { field: field.name }, required: field.required }, field.options.map((one) => h("option", { value: one }, one)))
          : h("input", { type: field.secret ? "password" : "text", data: { field: field.name }, required: field.required, value: field.value ?? "" }))));
    this.fields.querySelector("input, select")?.focus();
  }

  #fail(error) {
    this.problem.hidden = false;
    fill(this.problem, icon("warning"), h("div", h("p", { dir: "auto" }, errorText(error)),
      error.certificate ? this.#certificate(error.certificate) : null));
  }

  /** What is wrong with the certificate, and the choice to accept exactly this one. */
  #certificate(certificate) {
    return h("div.certificate", h("dl.facts", fact(t("certificate.problems"), certificate.problems.map((one) => known("certificate", one)).join(", ")), certificateFacts(certificate)),
    certificate.may_be_pinned ? h("button.button.quiet", () => {
      this.#pinned = certificate.sha256;
      this.#mode === "register" ? this.#register() : this.#signIn();
    }, t("certificate.accept")) : null);
  }

  async #done(account) {
    this.password.value = "";
    store.accounts.set(account.address, account);
    await store.refresh();
    router.go(["chats"], { replace: true });
    const waiting = sessionStorage.getItem("apus.invitation");
    sessionStorage.removeItem("apus.invitation");
    if (waiting) (await import("./invitation.js")).takeUp(waiting);
  }
}

/** The server's picture of letters to copy, which is shown only if it says that it is a raster picture. */
function captcha(text) {
  const [, type, data] = /^data:(image\/(?:png|jpeg|gif|webp));base64,([\w+/=]+)$/.exec(text) ?? [];
  if (!type) return null;
  const blob = new Blob([Uint8Array.from(atob(data), (character) => character.charCodeAt(0))], { type });
  const address = URL.createObjectURL(blob);
  const done = () => URL.revokeObjectURL(address);
  return h("img.captcha", { src: address, alt: t("first.captcha"), load: done, error: done });
}

customElements.define("apus-first-run", FirstRun);
