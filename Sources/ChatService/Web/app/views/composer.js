// SPDX-License-Identifier: Apache-2.0
import * as client from "../api/client.js";
import { outbox } from "../model/outbox.js";
import { enterSends } from "../model/preferences.js";
import { fill, h, icon, iconButton, store, t, toastError } from "../ui/basics.js";
import { fileField } from "../ui/forms.js";
import { pickEmoji } from "./emoji.js";
import { senderName } from "./message.js";
import { Suggestions } from "./suggestions.js";

const TYPING_EVERY = 10_000;
const LONGEST = 256 * 1024;

/** Where messages are written: a field that grows, a draft per chat, replies and corrections. */
export class Composer extends HTMLElement {
  #reply = null;
  #editing = null;
  #saved = "";
  #typingSince = 0;
  #stopTyping = null;
  #draftTimer = null;

  constructor(account, conversation, { sent, lastOwn }) {
    super();
    Object.assign(this, { account, conversation, onSent: sent, lastOwn });
    this.key = `${account} ${conversation}`;
  }

  connectedCallback() {
    this.field = h("textarea", {
      rows: "1", placeholder: t("composer.placeholder"), "aria-label": t("composer.label", { name: store.name(this.account, this.conversation) }),
      dir: "auto", enterkeyhint: enterSends() ? "send" : "enter", autocapitalize: "sentences", maxlength: String(LONGEST),
      paste: (event) => this.#pasted(event), input: () => this.#changed(), keydown: (event) => this.#key(event), blur: () => this.#typing(false),
    });
    this.context = h("div.composer-context", { hidden: true });
    this.button = h("button", { type: "submit", class: "send", label: t("action.send"), disabled: true }, icon("send", "flip"));
    this.recording = h("div.voice-place", { hidden: true });
    this.form = h("form.composer", { submit: () => this.#send() },
      this.context,
      this.tray = h("div.composer-tray"),
      h("div.composer-row", this.#attachButton(),
        h("div.composer-field", this.field,
          this.recording, iconButton("react", t("emoji.title"), (event) => this.#emoji(event.currentTarget), "inside")),
        this.button));
    fill(this, this.form);
    this.#offerVoice();
    this.suggestions = new Suggestions(this, this.field);
    const kept = store.conversation(this.account, this.conversation).draft;
    const draft = store.drafts.get(this.key) ?? (kept ? { body: kept } : null);
    if (draft?.body) this.field.value = draft.body;
    if (draft?.reply) this.reply(draft.reply, false);
    this.#grow();
    this.#ready();
    if (matchMedia("(hover: hover) and (min-width: 800px)").matches) this.focus();
  }

  disconnectedCallback() {
    this.#keepDraft();
    this.#typing(false);
  }

  focus() {
    this.field.focus({ preventScroll: true });
  }

  /** Text that was typed somewhere else on the page. */
  insert(text) {
    this.focus();
    this.field.setRangeText(text, this.field.selectionStart, this.field.selectionEnd, "end");
    this.#changed();
  }

  /** A name to be called by, with what its place asks for. */
  insertName(name) {
    const before = this.field.value.slice(0, this.field.selectionStart);
    this.insert(before.trim() === "" ? `${name}, ` : `${/\s$/.test(before) ? "" : " "}${name} `);
  }

  reply(message, focus = true) {
    this.#cancelEdit();
    this.#reply = message;
    this.#drawContext("reply", t("composer.reply-to", { name: senderName(message) }), message.body);
    if (focus) this.focus();
    this.#keepDraft();
  }

  edit(message) {
    if (!this.#editing) this.#saved = this.field.value;
    this.#reply = null;
    this.#editing = message;
    this.field.value = message.body;
    this.#drawContext("edit", t("composer.editing"), message.body);
    this.focus();
    this.#changed();
  }

  #cancelEdit() {
    if (!this.#editing) return;
    this.#editing = null;
    this.field.value = this.#saved;
    this.#changed();
  }

  #cancel() {
    this.#cancelEdit();
    this.#reply = null;
    this.context.hidden = true;
    this.#keepDraft();
    // An answer that comes late takes the focus from nowhere else.
    if (this.contains(document.activeElement)) this.focus();
  }

  #drawContext(picture, title, text) {
    this.context.hidden = false;
    fill(this.context, icon(picture), h("span.context-text", h("b", { dir: "auto" }, title), h("span", { dir: "auto" }, (text ?? "").slice(0, 200))),
      iconButton("close", t("action.cancel"), () => this.#cancel()));
  }

  #attachButton() {
    const file = fileField((files) => this.attach(files), { multiple: true });
    return [file, iconButton("plus", t("files.attach"), () => file.click())];
  }

  #pasted(event) {
    if (!event.clipboardData.files.length) return;
    event.preventDefault();
    this.attach(event.clipboardData.files);
  }

  async #offerVoice() {
    const { canRecord, voiceButton } = await import("./voice.js");
    if (!canRecord()) return;
    this.voice = voiceButton(this.recording, (file) => this.attach([file], { sends: true }));
    this.button.after(this.voice);
    this.#ready();
  }

  /** Files that were picked, dropped, pasted or recorded; a recording goes as soon as it has arrived. */
  async attach(files, { sends = false } = {}) {
    const chosen = [...files];
    this.#sends = sends;
    if (!this.files) {
      const { AttachmentTray } = await import("./attachment-tray.js");
      this.files ??= new AttachmentTray(() => this.#ready());
      this.tray.append(this.files);
    }
    this.files.add(chosen);
    this.focus();
  }

  /** A message may go when it has a text, or files that have all arrived. */
  #ready() {
    const waits = this.files?.count && !this.files.isReady;
    const empty = !this.field.value.trim() && !this.files?.count;
    this.button.disabled = waits || empty;
    if (this.voice) {
      this.voice.hidden = !empty || !!this.#editing;
      this.button.hidden = !this.voice.hidden;
    }
    if (this.#sends && this.files?.count && !waits) {
      this.#sends = false;
      this.#send();
    }
  }

  #sends = false;

  #changed() {
    this.#grow();
    const text = this.field.value;
    this.#ready();
    this.suggestions.update();
    if (!this.#editing) this.#typing(text.length > 0);
    clearTimeout(this.#draftTimer);
    this.#draftTimer = setTimeout(() => this.#keepDraft(), 400);
  }

  /** About five lines, then it scrolls; `field-sizing` does it where the browser has it. */
  #grow() {
    if (CSS.supports("field-sizing", "content")) return;
    this.field.style.height = "auto";
    this.field.style.height = `${this.field.scrollHeight}px`;
  }

  #keepDraft() {
    clearTimeout(this.#draftTimer);
    if (this.#editing || !this.field) return;
    const body = this.field.value;
    const before = store.drafts.get(this.key);
    if ((before?.body ?? "") === body && before?.reply?.id === this.#reply?.id) return;
    store.setDraft(this.key, body.trim() || this.#reply ? { body, reply: this.#reply } : null);
    client.setDraft(this.account, this.conversation, { body }).catch(() => {});
  }

  #typing(typing) {
    clearTimeout(this.#stopTyping);
    const now = Date.now();
    if (typing) {
      this.#stopTyping = setTimeout(() => this.#typing(false), 5000);
      if (now - this.#typingSince < TYPING_EVERY) return;
      this.#typingSince = now;
    } else {
      if (!this.#typingSince) return;
      this.#typingSince = 0;
    }
    client.setTyping(this.account, this.conversation, typing).catch(() => {});
  }

  async #emoji(anchor) {
    const emoji = await pickEmoji(anchor);
    if (emoji) this.insert(emoji);
  }

  #key(event) {
    if (event.isComposing || event.keyCode === 229 || this.suggestions.key(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey && (enterSends() || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.#send();
    } else if (event.key === "Escape" && (this.#reply || this.#editing)) {
      event.preventDefault();
      event.stopPropagation();
      this.#cancel();
    } else if (event.key === "ArrowUp" && !this.field.value) {
      const last = this.lastOwn();
      if (!last) return;
      event.preventDefault();
      this.edit(last);
    } else if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
      const mark = { b: "*", i: "_", e: "`" }[event.key.toLowerCase()];
      if (!mark) return;
      event.preventDefault();
      const { selectionStart, selectionEnd, value } = this.field;
      this.field.setRangeText(mark + value.slice(selectionStart, selectionEnd) + mark, selectionStart, selectionEnd, "end");
      if (selectionStart === selectionEnd) this.field.setSelectionRange(selectionStart + 1, selectionStart + 1);
      this.#changed();
    }
  }

  async #send() {
    const body = this.field.value.trim();
    if (this.button.disabled) return;
    if (this.#editing) return this.#sendCorrection(body);
    const reply = this.#reply;
    const request = { body };
    let files;
    if (this.files?.count) {
      request.attachments = this.files.ids;
      files = this.files.described;
      this.files.clear();
    }
    if (reply) request.reply_to = reply.id;
    const quote = reply && { message: reply.id, sender: reply.sender, sender_name: reply.sender_name, own: reply.direction === "outgoing", body: reply.body };
    outbox.add(this.account, this.conversation, request, quote, files);
    store.tell({ kind: "outbox" });
    this.#clear();
    this.onSent();
  }

  async #sendCorrection(body) {
    const message = this.#editing;
    if (body !== message.body) {
      try {
        await client.correct(message.id, body);
      } catch (error) {
        return toastError(error);
      }
    }
    this.#cancel();
  }

  #clear() {
    this.field.value = "";
    this.#reply = null;
    this.context.hidden = true;
    this.#ready();
    this.#typingSince = 0;
    clearTimeout(this.#stopTyping);
    this.#keepDraft();
    this.#grow();
    this.focus();
  }
}

customElements.define("apus-composer", Composer);
