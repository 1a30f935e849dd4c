// SPDX-License-Identifier: Apache-2.0
// Everything that was sent in a chat: pictures by month, and files.
import * as client from "../api/client.js";
import { bytes, errorText, fill, h, icon, iconButton, loadStyle, monthName, segments, shortTime, t } from "../ui/basics.js";
import { showSheet } from "../ui/overlay.js";
import { isPicture, source } from "./attachments.js";
import { senderName } from "./message.js";
import { openMessage } from "./open-message.js";
import { viewPictures } from "./viewer.js";

await loadStyle("media");

/** Opens the pictures and files of a conversation, the newest first. */
export async function showGallery(account, conversation) {
  const picked = await showSheet(t("gallery.title"), (body, close) => body.append(new Gallery(account, conversation, close)));
  if (picked) await openMessage(picked);
}

class Gallery extends HTMLElement {
  #messages = [];
  #kind = "pictures";
  #done = false;
  #loading = false;

  constructor(account, conversation, close) {
    super();
    Object.assign(this, { account, conversation, close });
  }

  connectedCallback() {
    this.place = h("div.gallery");
    this.end = h("div.gallery-end");
    this.kinds = segments(t("gallery.title"), [["pictures", t("gallery.pictures")], ["files", t("gallery.files")]], this.#kind, (kind) => {
      this.#kind = kind;
      this.#draw();
    });
    fill(this, this.kinds, this.place, this.end);
    new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && this.#load()).observe(this.end);
  }

  async #load() {
    if (this.#done || this.#loading) return;
    this.#loading = true;
    try {
      const more = await client.media(this.account, this.conversation, this.#messages.at(-1)?.id);
      this.#messages.push(...more);
      this.#done = more.length === 0;
      this.#draw();
    } catch (error) {
      this.#done = true;
      fill(this.end, h("p.problem", errorText(error)));
    } finally {
      this.#loading = false;
    }
    // What came may not fill the view.
    if (!this.#done && this.isConnected && this.end.getBoundingClientRect().top < innerHeight) this.#load();
  }

  #draw() {
    const wanted = this.#kind === "pictures";
    const all = this.#messages.flatMap((message) => (message.attachments ?? []).filter((file) => isPicture(file) === wanted).map((file) => ({ message, file })));
    fill(this.place, [...Map.groupBy(all, ({ message }) => monthName(new Date(message.time)))].map(([name, entries]) => h("section", h("h4", name),
      h("ul", { class: wanted ? "gallery-grid" : "gallery-files" }, entries.map((entry) => h("li", wanted ? this.#picture(entry, all) : this.#file(entry)))))));
    if (all.length === 0 && this.#done) fill(this.place, h("p.hint", t("gallery.empty")));
  }

  #picture(entry, all) {
    const { message, file } = entry;
    const open = () => viewPictures(all.toReversed(), all.length - 1 - all.indexOf(entry), { show: (one) => this.close(one) });
    return h("button", { "aria-label": `${file.name || t("message.picture")}, ${senderName(message)}, ${shortTime(new Date(message.time))}`, click: open },
      h("img", { src: source(file, "thumbnail"), alt: "", loading: "lazy", decoding: "async" }));
  }

  #file({ message, file }) {
    return h("div.device", h("a.file", { href: source(file), download: file.name ?? "" }, icon("file"),
      h("span.file-text", h("bdi.file-name", file.name || t("message.file")),
        h("span.file-size", [file.size ? bytes(file.size) : "", senderName(message), shortTime(new Date(message.time))].filter(Boolean).join(" · "))), icon("download")),
    iconButton("chat", t("viewer.in-chat"), () => this.close(message)));
  }
}

customElements.define("apus-gallery", Gallery);
