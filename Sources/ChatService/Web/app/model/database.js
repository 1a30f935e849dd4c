// SPDX-License-Identifier: Apache-2.0
// What a browser keeps for when the service cannot be reached: the last 50 messages of the 30 latest conversations,
// drafts, and sends that wait. `erase` removes all of it.

const NAME = "apus";
const VERSION = 1;
const STORES = ["values", "pages", "drafts", "outbox"];
let opened = null;
let erased = false;

function open() {
  if (erased) return Promise.reject(new Error("erased"));
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, VERSION);
    request.onupgradeneeded = () => {
      for (const store of STORES) {
        if (!request.result.objectStoreNames.contains(store)) request.result.createObjectStore(store);
      }
    };
    request.onsuccess = () => {
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("blocked"));
  });
  return opened;
}

async function run(store, mode, work) {
  const database = await open();
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(store, mode);
    const request = work(transaction.objectStore(store));
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error ?? new Error("aborted"));
  });
}

// A private window may have no database; the app works without.
const lenient = (promise, fallback) => promise.catch(() => fallback);

export const get = (store, key) => lenient(run(store, "readonly", (s) => s.get(key)), undefined);
export const all = (store) => lenient(run(store, "readonly", (s) => s.getAll()), []);
export const keys = (store) => lenient(run(store, "readonly", (s) => s.getAllKeys()), []);
export const put = (store, key, value) => lenient(run(store, "readwrite", (s) => s.put(value, key)).then(() => true), false);
export const remove = (store, key) => lenient(run(store, "readwrite", (s) => s.delete(key)), undefined);

/** Nothing of this person stays in this browser. What the service worker keeps are the app's own files only. */
export async function erase() {
  erased = true;
  const database = await lenient(opened ?? Promise.resolve(null), null);
  database?.close();
  await new Promise((resolve) => {
    const request = indexedDB.deleteDatabase(NAME);
    request.onsuccess = request.onerror = request.onblocked = () => resolve();
  });
  localStorage.clear();
  sessionStorage.clear();
  await navigator.clearAppBadge?.().catch(() => {});
}
