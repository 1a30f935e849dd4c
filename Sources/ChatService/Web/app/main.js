// SPDX-License-Identifier: Apache-2.0
import * as client from "./api/client.js";
import { useToken, watch } from "./api/http.js";
import * as database from "./model/database.js";
import { applyAppearance, chosenLanguage } from "./model/preferences.js";
import { store } from "./model/store.js";
import { makeLiveRegions } from "./ui/announce.js";
import { loadLanguage } from "./ui/i18n.js";
import { router } from "./ui/router.js";

/** The one-time code of a pairing link. It leaves the address, and with it the history, before anything else (T166). */
function takeCode() {
  const code = /^#pair=([\w~.-]+)$/.exec(location.hash)?.[1] ?? null;
  if (location.hash.startsWith("#pair=")) history.replaceState(null, "", "/");
  return code;
}

async function main() {
  const code = takeCode();
  applyAppearance();
  // All at once: what this browser stored, who we are, and the words.
  const session = code ? null : client.session().then((reply) => useToken(reply.token), (error) => error);
  const restored = code ? null : store.restore();
  if (!code) store.ahead();
  await loadLanguage(chosenLanguage());
  makeLiveRegions();
  watch(() => leave());
  if (code) return pair(code);
  // Shown with what is stored, or once the service knows us, whatever is first. A chat wants its draft.
  const here = (found) => found || Promise.reject(found);
  const known = location.hash.startsWith("#/chat/") ? [] : [session.then((error) => here(!error))];
  const shown = await Promise.any([restored.then(here), ...known]).catch(() => false);
  if (shown) await show();
  const error = await session;
  if (error?.isSignedOut) return leave(await restored);
  if (!shown) await show();
  await (error ? retryLater() : begin());
  // Last, for it fetches everything.
  registerWorker();
}

/** The one address of a script that is made at run time; where the browser has Trusted Types, nothing else may be one. */
function registerWorker() {
  if (!("serviceWorker" in navigator)) return;
  const policy = globalThis.trustedTypes?.createPolicy("apus", { createScriptURL: () => "/service-worker.js" });
  navigator.serviceWorker.register(policy?.createScriptURL("") ?? "/service-worker.js").catch(() => {});
  navigator.serviceWorker.addEventListener("message", ({ data }) => {
    if (data?.kind === "go" && typeof data.to === "string") location.hash = data.to;
  });
}

async function show() {
  const { Shell } = await import("./views/shell.js");
  document.querySelector("apus-shell")?.remove();
  document.body.prepend(new Shell());
  router.start();
}

async function begin() {
  try {
    await store.start({ signedOut: () => leave() });
  } catch (error) {
    if (error.isSignedOut) return leave();
    return retryLater();
  }
  outbox("flush");
  const { keepPages } = await import("./model/keep-pages.js");
  keepPages();
  const { announceMessages } = await import("./ui/notifier.js");
  announceMessages();
  (await import("./api/push.js")).renewSubscription();
}

/** The service cannot be reached: what is stored is shown, and it is asked again. */
function retryLater() {
  store.link = "offline";
  store.changed("link");
  const again = async () => {
    clearTimeout(timer);
    removeEventListener("online", again);
    try {
      useToken((await client.session()).token);
      await begin();
    } catch (error) {
      if (error.isSignedOut) leave();
      else retryLater();
    }
  };
  const timer = setTimeout(again, 3000);
  addEventListener("online", again);
}

async function pair(code) {
  const { Pairing } = await import("./views/pairing.js");
  document.body.prepend(new Pairing({ code, onPaired: () => location.replace("/") }));
}

let leaving = false;
/** Signed out, revoked, or forgotten: nothing of the person stays in this browser. */
export async function leave(hadData = true) {
  if (leaving) return;
  leaving = true;
  store.stop();
  if (hadData) await database.erase();
  document.querySelector("apus-shell")?.remove();
  for (const dialog of document.querySelectorAll("dialog")) dialog.remove();
  history.replaceState(null, "", "/");
  document.title = "Apus";
  await pair(null);
}

store.on("told", (message) => {
  if (message.kind === "left") leave();
  if (message.kind === "read") store.change({ ...store.conversation(message.account, message.conversation), unread: 0 });
  if (message.kind === "outbox") outbox("reload");
});
store.on("left", () => {
  store.tell({ kind: "left" });
  leave();
});
store.on("open", () => outbox("flush"));
addEventListener("online", () => outbox("flush"));

/** What waits to be sent comes after the first screen. */
async function outbox(what) {
  (await import("./model/outbox.js")).outbox[what]();
}

main();
