// SPDX-License-Identifier: Apache-2.0
// The pages of the settings; each is loaded when it is opened.
import { fact, h, iconButton, loadStyle, router, store, t } from "../ui/basics.js";
import { titleOf } from "./settings-list.js";

const PAGES = {
  appearance: async () => (await import("./appearance.js")).appearance(),
  notifications: async () => (await import("./notifications.js")).notifications(),
  devices: async () => new (await import("./devices.js")).Devices(),
  connection: async () => new (await import("./connection.js")).Connection(null),
  account: async (address) => new (await import("./account.js")).AccountPage(address),
  "add-account": async () => new (await import("./first-run.js")).FirstRun(),
  about: async () => about(),
};

export async function settingsPage(name, argument) {
  await loadStyle("forms");
  await loadStyle("details");
  const content = await (PAGES[name] ?? PAGES.about)(argument);
  return h("div.settings-page",
    h("header.chat-header",
      iconButton("back", t("action.back"), () => router.back(["settings"]), "only-narrow"),
      h("h2.pane-title", titleOf(name))),
    h("div.scroller.page", { tabindex: "0", role: "group", "aria-label": titleOf(name) }, content));
}

const about = () => h("div.card", h("p", t("about.text")), h("dl.facts",
  fact(t("about.version"), store.version || "–"), fact(t("about.licence"), "Apache-2.0")));
