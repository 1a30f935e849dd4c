// SPDX-License-Identifier: Apache-2.0
// Files of a message. They come from the service alone, under an opaque name; pictures keep their place while loading.
import { safeURL, h } from "../ui/dom.js";
import { bytes } from "../ui/format.js";
import { t } from "../ui/i18n.js";
import { icon } from "../ui/icons.js";

const WIDEST = 300;
const HIGHEST = 340;

const kind = (file) => (file.type ?? "").split("/")[0];
const source = (file, size) => safeURL(`/api/v1/files/${encodeURIComponent(file.id)}${size ? `?size=${size}` : ""}`);

export const attachments = (message) => h("div", { class: "attachments", data: { count: message.attachments.length } },
  message.attachments.map((file) => {
    if (kind(file) === "image" && file.type !== "image/svg+xml") return picture(file);
    if (kind(file) === "audio") return h("audio", { src: source(file), controls: true, preload: "none", "aria-label": file.name });
    if (kind(file) === "video") return h("video", { src: source(file), controls: true, preload: "none", "aria-label": file.name });
    return h("a", { class: "file", href: source(file), download: file.name ?? "" }, icon("file"),
      h("span", { class: "file-text" }, h("bdi", { class: "file-name" }, file.name || t("message.file")), h("span", { class: "file-size" }, file.size ? bytes(file.size) : "")),
      icon("download"));
  }));

function picture(file) {
  const width = file.width || 240;
  const height = file.height || 180;
  const scale = Math.min(1, WIDEST / width, HIGHEST / height);
  const image = h("img", { src: source(file, "thumbnail"), alt: file.name || t("message.picture"), loading: "lazy", decoding: "async",
    width: Math.round(width * scale), height: Math.round(height * scale) });
  return h("button", { type: "button", class: "picture", data: { action: "picture", file: file.id }, "aria-label": file.name || t("message.picture") }, image);
}
