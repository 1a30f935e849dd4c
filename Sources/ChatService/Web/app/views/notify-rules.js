// SPDX-License-Identifier: Apache-2.0
// Rules for notifications that are the same in every browser; the service keeps to them.
import { call } from "../api/http.js";
import { attempt, fill, h, segments, store, t, View } from "../ui/basics.js";
import { checkOf, fieldOf } from "../ui/forms.js";

export class NotifyRules extends View {
  connectedCallback() {
    this.until(store.on("event", (event) => event.type === "settings" && this.#load()));
    this.#load();
  }

  #load() {
    return attempt(async () => this.#draw(await call("GET", "/settings")));
  }

  #draw(settings) {
    const time = (name) => h("input", { type: "time", value: settings[name] ?? "", name });
    const [from, until] = [time("quiet_from"), time("quiet_until")];
    const quiet = () => {
      const whole = from.value && until.value;
      if (whole || (!from.value && !until.value)) this.#change({ quiet_from: from.value || null, quiet_until: until.value || null, time_zone: whole ? Intl.DateTimeFormat().resolvedOptions().timeZone : null });
    };
    from.addEventListener("change", quiet);
    until.addEventListener("change", quiet);
    const strangers = h("input", { type: "checkbox", checked: settings.strangers === "notify", change: () => this.#change({ strangers: strangers.checked ? "notify" : "silent" }) });
    fill(this, h("section.card", h("h4", t("rules.previews")),
      segments(t("rules.previews"), [["all", t("rules.all")], ["name", t("rules.name")], ["none", t("rules.none")]], settings.previews, (previews) => this.#change({ previews }))),
    h("section.card", h("h4", t("rules.quiet")), h("div.two", fieldOf(t("rules.from"), from), fieldOf(t("rules.until"), until)), checkOf(strangers, t("rules.strangers"))));
  }

  async #change(change) {
    if (!(await attempt(() => call("PATCH", "/settings", { body: change })))) this.#load();
  }
}

customElements.define("apus-notify-rules", NotifyRules);
