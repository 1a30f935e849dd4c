// SPDX-License-Identifier: Apache-2.0
// Keeps the app's own files for times without the service, and shows notifications. Nothing of /api is ever stored here.

const CACHE = "apus-files";
const SHELL = "/";

self.addEventListener("install", (event) => {
  event.waitUntil(keepFiles().then(() => self.skipWaiting()));
});

/** The list is written by Scripts/web-lists; one that cannot be had now is kept when it is first used. */
async function keepFiles() {
  const cache = await caches.open(CACHE);
  const names = await (await fetch("/files.json", { cache: "no-cache" })).json();
  await Promise.allSettled(names.map((name) => cache.add(new Request(name, { cache: "no-cache" }))));
}

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin || url.pathname.startsWith("/api/")) return;
  const key = event.request.mode === "navigate" ? SHELL : event.request;
  event.respondWith(fromNetwork(event.request, key));
});

/** The service's file, which is as new as the service; the stored one when it does not answer. */
async function fromNetwork(request, key) {
  const cache = await caches.open(CACHE);
  try {
    const reply = await fetch(request, { cache: "no-cache" });
    if (reply.ok && reply.type === "basic") await cache.put(key, reply.clone());
    return reply;
  } catch (error) {
    const stored = await cache.match(key, { ignoreVary: true });
    if (stored) return stored;
    throw error;
  }
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const to = event.notification.data?.to ?? "";
  event.waitUntil(open(/^#\/[\w%./@~+-]*$/.test(to) ? to : ""));
});

/** Brings a window to the front, or opens one. */
async function open(fragment) {
  const [window] = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  if (!window) return self.clients.openWindow(`/${fragment}`);
  await window.focus();
  if (fragment) window.postMessage({ kind: "go", to: fragment });
}

self.addEventListener("push", (event) => {
  let news = {};
  try {
    news = event.data?.json() ?? {};
  } catch {
    // Each push must show something, or the browser takes the permission away.
  }
  event.waitUntil(show(news));
});

/** One notification for each conversation; a tap opens it. The count goes to the app's icon. */
async function show({ name, body, account, conversation, unread }) {
  const place = account && conversation ? [account, conversation].map((part) => encodeURIComponent(String(part))) : null;
  await self.registration.showNotification(String(name ?? "Apus"), {
    body: String(body ?? ""), tag: place ? place.join("/") : "apus", renotify: true, icon: "/icons/icon-192.png", badge: "/icons/badge-96.png",
    data: { to: place ? `#/chat/${place.join("/")}` : "" },
  });
  if (Number.isInteger(unread)) await (unread > 0 ? navigator.setAppBadge?.(unread) : navigator.clearAppBadge?.())?.catch(() => {});
}
