// SPDX-License-Identifier: Apache-2.0
import { APIError, ROOT, newKey, writeHeaders } from "./http.js";

/** Sends a file to the service; tells how far it is, from 0 to 1. `fetch` cannot tell, so this is the older way. */
export function upload(blob, name, { onProgress, signal }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `${ROOT}/uploads?name=${encodeURIComponent(name)}`);
    for (const [header, value] of Object.entries(writeHeaders(newKey()))) request.setRequestHeader(header, value);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = (event) => onProgress(event.total ? event.loaded / event.total : 0);
    request.onload = () => {
      let value = {};
      try {
        value = JSON.parse(request.responseText);
      } catch {
        // The status says enough.
      }
      if (request.status < 300) resolve(value);
      else reject(new APIError(request.status, value.error ?? {}));
    };
    request.onerror = () => reject(new APIError(0));
    request.onabort = () => reject(new DOMException("cancelled", "AbortError"));
    signal.addEventListener("abort", () => request.abort());
    request.send(blob);
  });
}
