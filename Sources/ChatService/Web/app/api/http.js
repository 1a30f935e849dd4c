// SPDX-License-Identifier: Apache-2.0
// One place speaks HTTP. Every write carries an idempotency key, so that a repetition does nothing twice (T172), and
// the session's token in a header that no form or image of another page can send (T162).

/** The root of the interface: docs/openapi.yaml. */
export const ROOT = "/api/v1";

let token = null;
/** The write token of the session; it lives in memory only. */
export function useToken(value) {
  token = value;
}

/** Why a call failed, in the words of the service; `code` is an open set. */
export class APIError extends Error {
  constructor(status, { code, message, hint, retryable, certificate } = {}) {
    super(message || code || `HTTP ${status}`);
    this.status = status;
    this.code = code || (status ? `http-${status}` : "unreachable");
    this.hint = hint;
    this.retryable = retryable ?? (status === 0 || status >= 500 || status === 429);
    this.certificate = certificate;
  }

  /** The service was not reached at all, so nothing is known about the request. */
  get isUnreachable() {
    return this.status === 0;
  }

  /** This browser is not, or no longer, signed in. */
  get isSignedOut() {
    return this.status === 401;
  }
}

let onSignedOut = () => {};
/** Tells when the session has ended. */
export function watch(signedOut) {
  onSignedOut = signedOut;
}

export const newKey = () => crypto.randomUUID?.() ?? [...crypto.getRandomValues(new Uint8Array(16))]
  .map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** What every write carries. */
export const writeHeaders = (key) => ({ "Idempotency-Key": key, "X-Apus-Token": token ?? "" });

/** A path of the interface; the parts are encoded. A part that a URL would take for a step upwards is refused. */
export const path = (...parts) => parts.map((part) => {
  const text = String(part);
  if (text === "" || text === "." || text === "..") throw new APIError(400, { code: "invalid-argument" });
  return `/${encodeURIComponent(text)}`;
}).join("");

let asking = null;
/** The token, asked for when this page does not have it yet (it was loaded without the service). */
function needToken() {
  asking ??= call("GET", "/session", { quiet: true }).then((reply) => useToken(reply.token)).finally(() => { asking = null; });
  return asking;
}

/** One exchange. `query` drops empty values; `body` is sent as JSON, or as it is when it is a Blob. */
export async function call(method, where, { query = {}, body, key, signal, timeout = 30_000, quiet = false } = {}) {
  const url = new URL(ROOT + where, location.origin);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") url.searchParams.set(name, value);
  }
  const headers = { Accept: "application/json" };
  if (method !== "GET" && where !== "/pair" && !token) await needToken();
  if (method !== "GET") {
    Object.assign(headers, writeHeaders(key ?? newKey()));
    if (where === "/pair") headers["X-Apus-Token"] = "pair";
  }
  const raw = body instanceof Blob;
  if (body !== undefined) headers["Content-Type"] = raw ? body.type || "application/octet-stream" : "application/json";
  const limit = AbortSignal.timeout(timeout);
  let reply;
  try {
    reply = await fetch(url, {
      method, headers, body: body === undefined || raw ? body : JSON.stringify(body), cache: "no-store",
      credentials: "same-origin", redirect: "error", signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new APIError(0, { code: "unreachable", message: error.name === "TimeoutError" ? "timeout" : "unreachable" });
  }
  if (reply.status === 204) return null;
  const text = await reply.text();
  let value = null;
  try {
    value = text ? JSON.parse(text) : null;
  } catch {
    throw new APIError(reply.status || 500, { code: "protocol-mismatch" });
  }
  if (!reply.ok) {
    if (reply.status === 401 && !quiet) onSignedOut();
    throw new APIError(reply.status, value?.error ?? value ?? {});
  }
  return value;
}
