// SPDX-License-Identifier: Apache-2.0
// Files that the next message will carry: previews, how far each is, and whether pictures are made smaller first.
import { call, path } from "../api/http.js";
import { upload } from "../api/uploads.js";
import { bytes, errorText, h, icon, iconButton, t } from "../ui/basics.js";

const WIDEST = 1600;

export class AttachmentTray extends HTMLElement {
  #entries = new Set();

  /** `onChange` is called whenever a file came, went or arrived. */
  constructor(onChange) {
    super();
    this.onChange = onChange;
  }

  connectedCallback() {
    if (this.list) return;
    this.list = h("ul.tray", { "aria-label": t("files.title") });
    this.original = h("input", { type: "checkbox", change: () => this.#again() });
    this.choice = h("label.check", { hidden: true }, this.original, h("span", t("files.original")));
    this.append(this.list, this.choice);
  }

  get count() {
    return this.#entries.size;
  }

  get isReady() {
    return [...this.#entries].every((entry) => entry.done);
  }

  /** What the service calls the files, in order. */
  get ids() {
    return [...this.#entries].map((entry) => entry.done.id);
  }

  /** What a message shows of them until the service tells it. */
  get described() {
    return [...this.#entries].map(({ done }) => ({ name: done.name, size: done.size, type: done.type }));
  }

  add(files) {
    for (const file of files) {
      const entry = { file, picture: /^image\/(png|jpe?g|webp)$/.test(file.type) };
      entry.row = this.#row(entry);
      this.#entries.add(entry);
      this.list.append(entry.row);
      this.#start(entry);
    }
    this.choice.hidden = ![...this.#entries].some((entry) => entry.picture);
    this.onChange();
  }

  clear() {
    for (const entry of [...this.#entries]) this.#drop(entry, false);
    this.onChange();
  }

  #row(entry) {
    entry.state = h("span.tray-state", { role: "status" });
    entry.bar = h("progress", { max: "1", value: "0", "aria-label": entry.file.name });
    let preview = icon("file");
    if (entry.picture) {
      entry.address = URL.createObjectURL(entry.file);
      preview = h("img", { src: entry.address, alt: "" });
    } else if (/^audio\//.test(entry.file.type)) preview = icon("mic");
    entry.retry = h("button.text-button", { hidden: true, click: () => this.#start(entry) }, t("action.retry"));
    return h("li", h("span.tray-preview", preview),
      h("span.tray-text", h("bdi.file-name", entry.file.name), entry.state, entry.bar), entry.retry,
      iconButton("close", t("files.remove", { name: entry.file.name }), () => this.#drop(entry)));
  }

  async #start(entry) {
    entry.stop?.abort();
    entry.stop = new AbortController();
    const { signal } = entry.stop;
    entry.done = null;
    entry.retry.hidden = true;
    entry.bar.hidden = false;
    entry.state.textContent = bytes(entry.file.size);
    try {
      const blob = entry.picture && !this.original.checked ? await smaller(entry.file) : entry.file;
      if (signal.aborted) return;
      entry.state.textContent = bytes(blob.size);
      entry.done = await upload(blob, blob.type === "image/jpeg" ? entry.file.name.replace(/\.\w+$/, "") + ".jpg" : entry.file.name,
        { onProgress: (part) => { entry.bar.value = part; }, signal });
      entry.bar.hidden = true;
    } catch (error) {
      if (error.name === "AbortError") return;
      entry.bar.hidden = true;
      entry.retry.hidden = false;
      entry.state.textContent = errorText(error);
    }
    this.onChange();
  }

  #again() {
    for (const entry of this.#entries) if (entry.picture) this.#start(entry);
    this.onChange();
  }

  #drop(entry, tell = true) {
    entry.stop?.abort();
    // What was taken out again need not be kept by the service.
    if (tell && entry.done) call("DELETE", `/uploads${path(entry.done.id)}`).catch(() => {});
    entry.row.remove();
    if (entry.address) URL.revokeObjectURL(entry.address);
    this.#entries.delete(entry);
    this.choice.hidden = ![...this.#entries].some((other) => other.picture);
    if (tell) this.onChange();
  }
}

/** A picture of at most 1600 pixels as JPEG: smaller, and without the place where it was taken. */
async function smaller(file) {
  const picture = await createImageBitmap(file, { imageOrientation: "from-image" });
  const scale = Math.min(1, WIDEST / Math.max(picture.width, picture.height));
  const canvas = new OffscreenCanvas(Math.round(picture.width * scale), Math.round(picture.height * scale));
  const context = canvas.getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas.convertToBlob({ type: "image/jpeg", quality: 0.8 });
}

customElements.define("apus-attachment-tray", AttachmentTray);
