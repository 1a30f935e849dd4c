// SPDX-License-Identifier: Apache-2.0
import { h, safeURL } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { icon } from "../ui/icons.js";
import { showOverlay } from "../ui/overlay.js";

/** A picture on the whole screen; a click or two fingers make it larger. */
export function viewPicture(message, id) {
  const file = message.attachments.find((one) => one.id === id);
  if (!file) return undefined;
  const source = safeURL(`/api/v1/files/${encodeURIComponent(id)}?size=full`);
  return showOverlay("viewer", file.name || t("message.picture"), (dialog, close) => {
    const image = h("img", { src: source, alt: file.name || t("message.picture"), draggable: "false", on: { click: () => image.classList.toggle("zoomed") } });
    dialog.append(h("header", {}, h("bdi", {}, file.name ?? ""),
      h("a", { class: "icon-button", href: source, download: file.name ?? "", "aria-label": t("action.save") }, icon("download")),
      h("button", { type: "button", class: "icon-button", "aria-label": t("action.close"), on: { click: () => close() } }, icon("close"))), h("div", { class: "viewer-area" }, image));
  });
}
