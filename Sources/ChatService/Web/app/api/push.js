// SPDX-License-Identifier: Apache-2.0
// Web Push: what the browser's push service delivers while no page is open. The service holds the subscription; it is
// sent again at each start, for browsers change or drop it without a word.
import { call } from "./http.js";

const PATIENCE = 12_000;

/** `insecure`, `unsupported`, `install` (iOS: only for an app on the home screen), or `possible`. */
export function pushState() {
  if (!isSecureContext) return "insecure";
  const apple = /iPhone|iPad/.test(navigator.userAgent);
  if (apple && !matchMedia("(display-mode: standalone)").matches) return "install";
  return "PushManager" in globalThis && "serviceWorker" in navigator ? "possible" : "unsupported";
}

const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));

/** Some browsers never answer when their push service is out of reach. */
const patiently = (promise) => Promise.race([promise, new Promise((_, reject) => {
  setTimeout(() => reject(new Error("timeout")), PATIENCE);
})]);

export async function subscription() {
  const worker = await navigator.serviceWorker?.getRegistration();
  return (await worker?.pushManager?.getSubscription()) ?? null;
}

/** Asks the browser for a subscription and gives it to the service. Only after a tap, for browsers want one. */
export async function subscribe() {
  const { key } = await call("GET", "/push");
  const worker = await patiently(navigator.serviceWorker.ready);
  const made = await patiently(worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(key) }));
  await call("PUT", "/push", { body: made.toJSON() });
  return made;
}

export async function unsubscribe() {
  await (await subscription())?.unsubscribe();
  await call("DELETE", "/push");
}

export const test = () => call("POST", "/push/test");

/** At each start: the service gets what the browser has now. */
export async function renewSubscription() {
  if (pushState() !== "possible") return;
  const made = await subscription();
  if (made) await call("PUT", "/push", { body: made.toJSON() }).catch(() => {});
}
