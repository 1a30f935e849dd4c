// SPDX-License-Identifier: Apache-2.0
// Voice notes. Held: it records while the finger rests, sends when it lets go; up locks it, to the side gives it up.
// Tapped, or by key: it records until one of its two buttons is pressed.
import { announceUrgently, duration, fill, h, icon, t, toast } from "../ui/basics.js";

const TAP = 350;
const LOCK = 56;
const CANCEL = 90;
const LONGEST = 15 * 60;
const KINDS = [["audio/ogg;codecs=opus", "ogg"], ["audio/webm;codecs=opus", "webm"], ["audio/mp4", "m4a"]];

/** Whether this browser can record at all; the microphone is asked for when it is used. */
export const canRecord = () => isSecureContext && !!navigator.mediaDevices?.getUserMedia && "MediaRecorder" in globalThis;

/** The button; `place` shows the recording in the place of the field, `done(file)` gets what was recorded. */
export function voiceButton(place, done) {
  const label = t("voice.record");
  let recording = null;
  let start = null;
  const begin = () => {
    recording = new Recording(place, (file) => {
      recording = null;
      if (file) done(file);
    });
  };
  return h("button.send.voice", {
    label,
    pointerdown: (event) => {
      if (recording || event.button !== 0) return;
      event.preventDefault();
      start = event;
      event.currentTarget.setPointerCapture(event.pointerId);
      begin();
    },
    pointermove: (event) => {
      if (!recording || !start || event.pointerId !== start.pointerId) return;
      const side = (event.clientX - start.clientX) * (document.dir === "rtl" ? 1 : -1);
      if (side > CANCEL) {
        start = null;
        recording.end(false);
      } else if (start.clientY - event.clientY > LOCK) {
        start = null;
        recording.lock();
      } else recording.pulled(Math.max(0, side) / CANCEL);
    },
    pointerup: (event) => {
      if (!recording || !start) return;
      const held = event.timeStamp - start.timeStamp;
      start = null;
      if (held < TAP) recording.lock();
      else recording.end(true);
    },
    pointercancel: () => {
      start = null;
      recording?.lock();
    },
    // A key: a click that no pointer made.
    click: (event) => {
      if (event.detail !== 0 || recording) return;
      begin();
      recording.lock();
    },
  }, icon("mic"));
}

class Recording {
  #chunks = [];
  #recorder = null;
  #stream = null;
  #wanted = null;
  #timer = null;

  constructor(place, done) {
    Object.assign(this, { place, done });
    this.began = performance.now();
    this.time = h("span.voice-time", duration(0));
    this.hint = h("span.voice-hint", t("voice.hint"));
    this.cancelButton = h("button.icon-button.danger-icon", { label: t("voice.discard"), hidden: true, click: () => this.end(false) }, icon("trash"));
    this.sendButton = h("button.send", { label: t("voice.send"), hidden: true, click: () => this.end(true) }, icon("send", "flip"));
    this.bar = h("div.voice-bar", { role: "group", "aria-label": t("voice.recording"), keydown: (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.end(false);
    } }, this.cancelButton, h("span.voice-dot"), this.time, this.hint, this.sendButton);
    fill(place, this.bar);
    place.hidden = false;
    announceUrgently(t("voice.recording"));
    this.#begin();
  }

  async #begin() {
    try {
      this.#stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    } catch (error) {
      toast(error.name === "NotAllowedError" ? t("voice.denied") : t("voice.none"), { kind: "error" });
      return this.#finish(null);
    }
    if (this.#wanted !== null) return this.#finish(null);
    this.kind = KINDS.find(([type]) => MediaRecorder.isTypeSupported(type)) ?? ["", "audio"];
    this.#recorder = new MediaRecorder(this.#stream, this.kind[0] ? { mimeType: this.kind[0], audioBitsPerSecond: 32_000 } : {});
    this.#recorder.ondataavailable = ({ data }) => this.#chunks.push(data);
    this.#recorder.onstop = () => this.#finish(this.#wanted ? this.#file() : null);
    this.#recorder.start(1000);
    this.began = performance.now();
    this.#watch();
  }

  #watch() {
    this.#timer = setInterval(() => {
      const seconds = (performance.now() - this.began) / 1000;
      this.time.textContent = duration(seconds);
      if (seconds > LONGEST) this.end(true);
    }, 200);
  }

  /** From now on by its buttons. */
  lock() {
    this.cancelButton.hidden = this.sendButton.hidden = false;
    this.hint.hidden = true;
    this.bar.classList.add("locked");
    this.sendButton.focus();
  }

  pulled(part) {
    this.bar.style.setProperty("--pull", part.toFixed(2));
  }

  end(send) {
    if (this.#wanted !== null) return;
    this.#wanted = send;
    if (this.#recorder?.state === "recording") this.#recorder.stop();
    else if (this.#recorder) this.#finish(null);
  }

  #file() {
    const type = this.kind[0].split(";")[0] || this.#chunks[0]?.type || "application/octet-stream";
    const stamp = new Date().toISOString().slice(0, 19).replace(/[:T]/g, "-");
    return new File(this.#chunks, `voice-${stamp}.${this.kind[1]}`, { type });
  }

  #finish(file) {
    clearInterval(this.#timer);
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    fill(this.place);
    this.place.hidden = true;
    this.done(file && file.size > 0 ? file : null);
  }
}
