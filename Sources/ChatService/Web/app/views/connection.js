// SPDX-License-Identifier: Apache-2.0
// What happened to the connections, and the doctor: what is wrong and what to do, in plain words.
import * as client from "../api/accounts.js";
import { busy, clock, errorText, fact, fill, fullDate, fullTime, h, icon, known, relative, store, t, toastError, View } from "../ui/basics.js";

export class Connection extends View {
  #timer = null;

  /** For one account, or for all with nil. */
  constructor(account) {
    super();
    this.account = account;
  }

  connectedCallback() {
    this.until(store.on("accounts", () => this.#draw()), store.on("link", () => this.#draw()));
    this.#timer = setInterval(() => this.#draw(), 30_000);
    this.#draw();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  #sections = new Map();

  #draw() {
    const accounts = this.account ? [this.account] : [...store.accounts.keys()];
    if (!this.account && !this.core) this.append(this.core = h("section.card"));
    if (this.core) {
      fill(this.core, h("h4", t("connection.service")), h("p.state-line", { data: { state: store.link === "open" ? "online" : "waiting" } },
        h("span.dot"), store.link === "open" ? t("connection.service-open", { version: store.version }) : t("banner.unreachable")));
    }
    for (const address of accounts) {
      if (!this.#sections.has(address)) {
        const section = new AccountConnection(address);
        this.#sections.set(address, section);
        this.append(section);
      }
      this.#sections.get(address).draw();
    }
    for (const [address, section] of this.#sections) {
      if (accounts.includes(address)) continue;
      section.remove();
      this.#sections.delete(address);
    }
  }
}

class AccountConnection extends HTMLElement {
  constructor(address) {
    super();
    this.address = address;
    this.state = h("div");
    this.steps = h("div.steps");
    this.doctor = h("div.steps");
  }

  connectedCallback() {
    if (this.firstChild) return;
    this.append(h("section.card", h("h4", { dir: "ltr" }, this.address), this.state,
      h("div.buttons.start",
        h("button.button.quiet", (event) => this.#timeline(event.currentTarget), icon("clock"), t("connection.timeline")),
        h("button.button.quiet", (event) => this.#examine(event.currentTarget), icon("doctor"), t("connection.doctor"))),
      this.steps, this.doctor));
  }

  draw() {
    const account = store.accounts.get(this.address);
    if (!account) return;
    const { state, since, retry_at: retry, error, bound_address: bound, resumed } = account.connection;
    fill(this.state, h("p.state-line", { data: { state } }, h("span.dot"), known("connection", state), since ? ` · ${relative(since)}` : ""),
      error ? h("p.problem", icon("warning"), h("span", { dir: "auto" }, errorText(error))) : null,
      h("dl.facts", fact(t("connection.bound"), bound), fact(t("connection.retry"), retry ? relative(retry) : ""),
        fact(t("connection.queue"), account.queued ? t("connection.queued", { n: account.queued }) : ""), fact(t("connection.resumed"), resumed ? t("connection.yes") : "")),
      state === "online" ? null : h("button.button", () => client.connect(this.address).catch(toastError), icon("refresh"), t("connection.now")));
  }

  #timeline(button) {
    return busy(button, async () => {
      const { summary, entries } = await client.timeline(this.address);
      fill(this.steps, h("h5", summary || t("connection.timeline")), h("ol.timeline-list", entries.slice(-60).map((entry) =>
        h("li", { data: { outcome: entry.error ? "broken" : "fine" } }, h("time", { datetime: entry.time, title: fullTime(entry.time) }, clock(entry.time)),
          h("div", h("p", { dir: "auto" }, entry.text, entry.target ? h("code", entry.target) : null), entry.error ? h("p.advice", { dir: "auto" }, errorText(entry.error)) : null,
            entry.certificate ? certificate(entry.certificate) : null)))));
    });
  }

  #examine(button) {
    return busy(button, async () => {
      const { checks } = await client.diagnose({ address: this.address });
      fill(this.doctor, h("h5", { role: "status" }, t("connection.checked", { n: checks.filter((one) => one.outcome === "broken").length })), h("ol.timeline-list", checks.map((check) =>
        h("li", { data: { outcome: check.outcome } }, h("span.outcome", icon(check.outcome === "fine" ? "check" : check.outcome === "skipped" ? "clock" : "warning"), h("span.visually-hidden", known("outcome", check.outcome))),
          h("div", h("p", h("b", known("check", check.name)), check.subject ? h("code", check.subject) : null), h("p", { dir: "auto" }, check.text), check.advice ? h("p.advice", { dir: "auto" }, check.advice) : null,
            check.certificate ? certificate(check.certificate) : null)))));
    });
  }
}

const certificate = (one) => h("details.certificate", h("summary", t("certificate.title")), h("dl.facts",
  certificateFacts(one), fact(t("certificate.issuer"), one.issuer)));

/** Whose certificate it is, until when, and its digest. */
export const certificateFacts = (one) => [
  fact(t("certificate.names"), one.names.join(", ") || one.subject, "ltr"), fact(t("certificate.until"), one.valid_until && fullDate(one.valid_until)),
  h("div", h("dt", "SHA-256"), h("dd.fingerprint", { dir: "ltr" }, one.sha256))];

customElements.define("apus-account-connection", AccountConnection);
customElements.define("apus-connection", Connection);
