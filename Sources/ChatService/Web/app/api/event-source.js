// SPDX-License-Identifier: Apache-2.0
// Server-sent events over fetch: unlike EventSource this says why it was refused, and notices silence.

/** Takes the text of a stream apart (HTML standard, §9.2.6); `push` returns the events that are complete. */
export class EventParser {
  #rest = "";
  #id = null;
  #type = "";
  #data = [];

  push(text) {
    const events = [];
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop();
    for (const raw of lines) {
      const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
      if (line === "") {
        if (this.#data.length) events.push({ id: this.#id, type: this.#type || "message", data: this.#data.join("\n") });
        this.#type = "";
        this.#data = [];
        continue;
      }
      if (line.startsWith(":")) continue;
      const colon = line.indexOf(":");
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "data") this.#data.push(value);
      else if (field === "event") this.#type = value;
      else if (field === "id") this.#id = value;
    }
    return events;
  }
}

/** Reads the stream until it ends or is cut: returns the reason, never throws. Silence for 45 seconds is a cut. */
export async function readStream(url, { signal, onOpen, onEvent }) {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), 45_000);
  try {
    const reply = await fetch(url, {
      headers: { Accept: "text/event-stream" }, cache: "no-store", credentials: "same-origin",
      redirect: "error", signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!reply.ok || !reply.body) return { status: reply.status };
    onOpen();
    const parser = new EventParser();
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), 45_000);
      if (done) return { status: 200 };
      for (const event of parser.push(value)) onEvent(event);
    }
  } catch {
    return { status: 0 };
  } finally {
    clearTimeout(timer);
  }
}
