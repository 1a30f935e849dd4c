// SPDX-License-Identifier: Apache-2.0
// The panes: list, main, details. Which one is on screen on a phone follows from the address.
import { announceUrgently, bird, fill, h, href, icon, known, number, router, store, t, View } from "../ui/basics.js";
import { ChatList } from "./chat-list.js";

const LISTS = {
  chats: () => new ChatList(),
  people: async () => new (await import("./people.js")).People(),
  settings: async () => new (await import("./settings-list.js")).SettingsList(),
  new: async () => new (await import("./new-chat.js")).NewChat(),
  search: async () => new (await import("./search.js")).Search(),
};

const TABS = [["chats", "chat"], ["people", "people"], ["settings", "settings"]];

export class Shell extends View {
  #listName = null;
  #mainName = null;
  #detailsName = null;
  connectedCallback() {
    this.list = h("section.pane.list-pane", { "aria-label": t("a11y.list") });
    this.main = h("main.pane.main-pane", { id: "main", tabindex: "-1" });
    this.details = h("aside.pane.details-pane", { "aria-label": t("a11y.details") });
    this.banner = h("div.banner", { role: "status", hidden: true });
    this.tabs = h("nav.tabs", { "aria-label": t("a11y.tabs") });
    fill(this, h("a.skip", { href: "#main", click: (event) => this.#skip(event) }, t("a11y.skip")),
      this.tabs, this.list, this.main, this.details, this.banner);
    this.until(
      router.on("route", (parts) => this.#show(parts)),
      store.on("requests", () => this.#drawTabs()),
      store.on("conversations", () => this.#unread()),
      store.on("accounts", () => this.#accounts()),
      store.on("link", () => { this.#drawTabs(); this.#drawBanner(); }));
    import("../ui/shortcuts.js").then(({ listenToKeys }) => listenToKeys(this));
    this.#accounts();
    this.#unread();
  }

  #skip(event) {
    event.preventDefault();
    (this.main.querySelector("textarea") ?? this.main).focus();
  }

  async #show(parts) {
    const [first = "chats"] = parts;
    // The system gives us a link that was opened somewhere else: see the manifest.
    if (first === "open" && parts[1]) return (await import("./open-link.js")).openLink(parts[1], { replace: true });
    const listName = first === "chat" || first === "contact" ? (this.#listName && first === "contact" ? this.#listName : this.#chatList()) : first in LISTS ? first : "chats";
    if (listName !== this.#listName) {
      this.#listName = listName;
      const view = await LISTS[listName]();
      if (this.#listName === listName) fill(this.list, view);
    }
    // Whoever goes on while something is loaded must not be brought back by what was loaded.
    if (parts !== router.parts) return;
    await this.#showMain(parts);
    this.#drawTabs();
    if (parts !== router.parts) return;
    this.dataset.shown = location.hash;
    this.dispatchEvent(new CustomEvent("shown"));
  }

  /** Beside a chat stays the list that led to it. */
  #chatList() {
    return this.#listName === "search" || this.#listName === "people" ? this.#listName : "chats";
  }

  async #showMain(parts) {
    const [first, a, b, last] = parts;
    let name = "none";
    if (first === "chat" && a && b) name = `chat ${a} ${b}`;
    else if (first === "contact" && a && b) name = `contact ${a} ${b}`;
    else if (first === "settings" && a) name = `settings ${a} ${b ?? ""}`;
    const wide = first === "chat" && a && b;
    const detailsName = wide && (last === "details" || this.#wantsDetails()) ? `details ${a} ${b}` : "none";
    this.dataset.depth = last === "details" ? "3" : name === "none" ? "1" : "2";
    this.dataset.details = detailsName === "none" ? "no" : "yes";
    store.openKey = wide ? `${a} ${b}` : null;
    if (name !== this.#mainName) {
      this.#mainName = name;
      const view = await this.#mainView(parts, name);
      if (this.#mainName === name) fill(this.main, view);
      if (parts !== router.parts) return;
    }
    if (detailsName !== this.#detailsName) {
      this.#detailsName = detailsName;
      fill(this.details);
      if (detailsName !== "none") {
        const { Details } = await import("./details.js");
        if (this.#detailsName === detailsName) fill(this.details, new Details(a, b, "chat"));
      }
    }
  }

  #wantsDetails() {
    return matchMedia("(min-width: 1200px)").matches && localStorage.getItem("apus.details") !== "hidden";
  }

  async #mainView([first, a, b], name) {
    if (name === "none") return this.#placeholder(first);
    if (first === "chat") return new (await import("./chat.js")).Chat(a, b);
    if (first === "contact") return new (await import("./details.js")).Details(a, b, "contact");
    return (await import("./settings.js")).settingsPage(a, b);
  }

  #placeholder() {
    if (store.isFresh && store.accounts.size === 0) return import("./first-run.js").then(({ FirstRun }) => new FirstRun());
    return h("div.placeholder", bird(), h("p", t("chat.none-open")),
      h("p.keys", h("kbd", "Ctrl"), h("kbd", "K"), " ", t("chat.none-open-hint")));
  }

  #drawTabs() {
    const [first = "chats"] = router.parts;
    const current = first === "settings" || first === "people" ? first : "chats";
    const focused = document.activeElement?.dataset?.tab;
    fill(this.tabs, h("span.brand", bird()),
      TABS.map(([name, picture]) => {
        const count = name === "chats" ? store.unread : name === "people" ? store.requests.size : 0;
        const label = known("tab", name);
        const spoken = count === 0 ? label : `${label}, ${name === "people" ? t("people.requests-count", { n: count }) : t("list.unread", { n: count })}`;
        return h("a", { href: href(name), class: "tab", "aria-current": current === name ? "page" : null, "aria-label": spoken, data: { tab: name } },
          h("span.tab-icon", icon(picture), count ? h("span.badge", count > 99 ? "99+" : number(count)) : null),
          h("span.tab-label", label));
      }), this.#linkDot());
    if (focused) this.tabs.querySelector(`[data-tab=${focused}]`)?.focus();
  }

  #linkDot() {
    const states = [...store.accounts.values()].map((account) => account.connection.state);
    const worst = store.link !== "open" ? "offline" : states.includes("failed") ? "failed" : states.every((state) => state === "online") ? "online" : "waiting";
    return h("a.link-state", { href: href("settings", "connection"), data: { state: worst }, label: known("link", worst) }, h("span.dot"));
  }

  #unread() {
    const count = store.unread;
    document.title = count ? `(${count > 99 ? "99+" : count}) Apus` : "Apus";
    if (count) navigator.setAppBadge?.(count).catch(() => {});
    else navigator.clearAppBadge?.().catch(() => {});
    if (this.#shownUnread !== count) this.#drawTabs();
    this.#shownUnread = count;
  }

  #shownUnread = -1;

  #accounts() {
    this.#drawTabs();
    this.#drawBanner();
    const before = this.#isEmpty;
    this.#isEmpty = store.isFresh && store.accounts.size === 0;
    this.classList.toggle("first-run", this.#isEmpty);
    if (before === this.#isEmpty) return;
    this.#mainName = null;
    this.#show(router.parts);
  }

  #isEmpty = false;

  /** Says what does not work, only after it did not for a moment: a reload or a short gap is no news. */
  #drawBanner() {
    const failed = [...store.accounts.values()].find((account) => account.connection.state === "failed");
    const waiting = [...store.accounts.values()].find((account) => account.enabled && account.connection.state === "waiting");
    let text = "";
    if (store.link !== "open") text = t("banner.unreachable");
    else if (failed) text = t("banner.failed", { account: failed.address });
    else if (waiting) text = t("banner.waiting", { account: waiting.address });
    if (text === this.banner.dataset.text) return;
    this.banner.dataset.text = text;
    clearTimeout(this.#bannerTimer);
    this.#bannerTimer = setTimeout(() => {
      this.banner.hidden = text === "";
      fill(this.banner, icon("wifi"), h("span", text),
        failed || waiting ? h("a", { href: href("settings", "connection") }, t("banner.why")) : null);
      if (text) announceUrgently(text);
    }, text ? 1500 : 0);
  }

  #bannerTimer = null;
}

customElements.define("apus-shell", Shell);
