// SPDX-License-Identifier: Apache-2.0
// What happens when a message comes and nobody looks: a system notification, a tone, a buzz.
import { isMuted, store } from "../model/store.js";
import { preference } from "../model/preferences.js";
import { href } from "./router.js";
import { t } from "./i18n.js";

/** Shows a system notification when that is allowed. A tap opens what `to` names. */
export async function notify({ title, body, tag, to }) {
  if (!("Notification" in globalThis) || Notification.permission !== "granted") return;
  const options = { body, tag, icon: "/icons/icon-192.png", badge: "/icons/badge-96.png", data: { to: to ?? "" } };
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker) return worker.showNotification(title, options);
  const shown = new Notification(title, options);
  shown.onclick = () => {
    focus();
    if (to) location.hash = to;
    shown.close();
  };
}

let audio = null;

/** Two short tones, made here: no file. */
export function beep() {
  audio ??= new AudioContext();
  const start = audio.currentTime;
  [660, 880].forEach((frequency, i) => {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.08, start + i * 0.12);
    volume.gain.exponentialRampToValueAtTime(0.001, start + i * 0.12 + 0.18);
    tone.connect(volume).connect(audio.destination);
    tone.start(start + i * 0.12);
    tone.stop(start + i * 0.12 + 0.2);
  });
}

/** Follows incoming messages; one tab does it for all. */
export function announceMessages() {
  store.on("message", ({ message, isNew }) => {
    if (!isNew || message.direction !== "incoming" || !store.isLeader) return;
    const conversation = store.conversation(message.account, message.conversation);
    if (isMuted(conversation) || conversation.stranger || (conversation.level === "mentions" && !message.mention)) return;
    if (!document.hidden && document.hasFocus()) return;
    // What came while nobody was connected is no news any more.
    if (Date.now() - new Date(message.time).getTime() > 10 * 60_000) return;
    const name = store.name(message.account, message.conversation);
    notify({
      title: message.sender_name ? `${message.sender_name} (${name})` : name, body: (message.body || t("message.file")).slice(0, 300),
      tag: `${message.account} ${message.conversation}`, to: href("chat", message.account, message.conversation),
    });
    if (preference("sound")) beep();
    navigator.vibrate?.([60, 40, 60]);
  });
}
