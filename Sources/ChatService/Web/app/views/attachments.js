// SPDX-License-Identifier: Apache-2.0
// Files of a message. They come from the service alone, under an opaque name; pictures keep their place while loading.
import { bytes, duration, h, icon, safeURL, t } from "../ui/basics.js";

const WIDEST = 300;
const HIGHEST = 340;

/** What may be shown as a picture; drawings, which may have scripts in them, are files. */
export const isPicture = (file) => /^image\/(?!svg)/.test(file.type ?? "");

/** All pictures of these messages, in their order: `{ message, file }`. */
export const picturesOf = (messages) => messages.flatMap((message) =>
  (message.retracted ? [] : message.attachments ?? []).filter(isPicture).map((file) => ({ message, file })));

const kind = (file) => (file.type ?? "").split("/")[0];

const place = (file) => (file.message === undefined ? encodeURIComponent(file.id) : `${encodeURIComponent(file.message)}/${file.index}`);

/** Where the service has a file, or a smaller picture of it; nothing while it is only on its way there. */
export const source = (file, size) => (file.id ? safeURL(`/api/v1/files/${place(file)}${size ? `?size=${size}` : ""}`) : null);

export const attachments = (message) => h("div.attachments", { data: { set: String(message.attachments.filter(isPicture).length > 1) } },
  message.attachments.map((file) => {
    if (message.isLocal || /^(waiting|uploading|failed|cancelled)$/.test(file.state)) return waiting(file);
    if (isPicture(file)) return picture(file);
    if (kind(file) === "audio") return sound(file);
    if (kind(file) === "video") return h("video", { src: source(file), controls: true, preload: "none", playsinline: true, poster: source(file, "thumbnail"), "aria-label": file.name || t("message.video") });
    return h("a.file", { href: source(file), download: file.name ?? "" }, icon("file"), label(file), icon("download"));
  }));

const label = (file) => h("span.file-text", h("bdi.file-name", file.name || t("message.file")), h("span.file-size", file.size ? bytes(file.size) : ""));

/** A file that is not there yet, or failed. */
const waiting = (file) => h("div.file", { data: { state: file.state ?? "waiting" } }, icon(file.state === "failed" ? "warning" : "clock"), label(file));

function sound(file) {
  return h("div.sound", h("audio", { src: source(file), controls: true, preload: "none", "aria-label": file.name || t("message.voice") }),
    file.duration_ms ? h("span.file-size", duration(file.duration_ms / 1000)) : null);
}

function picture(file) {
  const width = file.width || 240;
  const height = file.height || 180;
  const scale = Math.min(1, WIDEST / width, HIGHEST / height);
  const image = h("img", { src: source(file, "thumbnail"), alt: file.name || t("message.picture"), loading: "lazy", decoding: "async",
    width: Math.round(width * scale), height: Math.round(height * scale), error: () => image.classList.add("missing") });
  return h("button.picture", { data: { action: "picture", file: file.id }, "aria-label": file.name || t("message.picture") }, image);
}
