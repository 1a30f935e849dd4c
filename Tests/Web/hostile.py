# SPDX-License-Identifier: Apache-2.0
"""A hostile page on another port of this machine, opened in the browser that is signed in and in a second profile: it
may send whatever a page can send, and must neither read nor change anything. A real service, no chat server."""

import asyncio
import contextlib
import http.server
import json
import pathlib
import tempfile
import threading

from browser import DESK, Suite, check, chromium
from real import Person

# What a page can try; each attempt tells what it got, and gives up after some seconds.
PAGE = """<!doctype html><meta charset=utf-8><title>hostile</title><script>
const target = new URLSearchParams(location.search).get("target");
const api = target + "/api/v1";
const soon = (promise) => Promise.race([promise, new Promise((done) => setTimeout(() => done("timeout"), 4000))]);
const outcome = (work) => soon(work().then((value) => value ?? "none", (error) => `refused ${error.name ?? error.type ?? ""}`));
const read = (path, options) => outcome(async () => {
  const reply = await fetch(path, options);
  return reply.type === "opaque" ? "opaque" : `read ${reply.status} ${(await reply.text()).slice(0, 200)}`;
});
const loaded = (tag, attributes) => outcome(() => new Promise((done, fail) => {
  const element = Object.assign(document.createElement(tag), attributes);
  element.onload = () => done("loaded");
  element.onerror = (event) => fail(event);
  document.body.append(element);
}));
const body = JSON.stringify({ previews: "none", address: "evil@localhost", password: "x", code: "AAAA-AAAA" });
const json = { "Content-Type": "application/json" };
const own = { ...json, "X-Apus-Token": "pair", "Idempotency-Key": "evil" };
const include = { credentials: "include" };
async function attack() {
  document.body.append(document.createElement("p"));
  const found = {
    "read status": await read(`${api}/status`, include),
    "read session": await read(`${api}/session`, include),
    "read blindly": await read(`${api}/status`, { ...include, mode: "no-cors" }),
    "write simply": await read(`${api}/settings`, { ...include, method: "POST", mode: "no-cors", body }),
    "write as json": await read(`${api}/settings`, { ...include, method: "PATCH", headers: json, body }),
    "write with headers": await read(`${api}/settings`, { ...include, method: "PATCH", headers: own, body }),
    "add an account": await read(`${api}/accounts`, { ...include, method: "POST", headers: own, body }),
    "upload": await read(`${api}/uploads?name=x`, { ...include, method: "POST", mode: "no-cors", body: new Blob(["x"]) }),
    "pair by guessing": await read(`${api}/pair`, { method: "POST", headers: own, body }),
    "pair blindly": await read(`${api}/pair`, { method: "POST", mode: "no-cors", body }),
    "events": await outcome(() => new Promise((done, fail) => {
      const stream = new EventSource(`${api}/events`, { withCredentials: true });
      stream.onmessage = (event) => done(`read ${event.data}`);
      stream.onopen = () => done("read: open");
      stream.onerror = (event) => fail(event);
    })),
    "its scripts": await loaded("script", { src: `${target}/app/main.js`, type: "module" }),
    "data as a script": await loaded("script", { src: `${api}/status` }),
    "data as a picture": await loaded("img", { src: `${api}/avatars/a@b/c@d` }),
    "data as a style": await loaded("link", { rel: "stylesheet", href: `${api}/status` }),
  };
  const frame = document.createElement("iframe");
  frame.src = `${target}/`;
  document.body.append(frame);
  await new Promise((done) => setTimeout(done, 1500));
  try {
    found["a frame"] = frame.contentDocument ? `read ${frame.contentDocument.body.innerText}` : "refused";
  } catch (error) {
    found["a frame"] = `refused ${error.name}`;
  }
  const opened = window.open(`${target}/`);
  await new Promise((done) => setTimeout(done, 1500));
  try {
    found["a window"] = opened?.document?.body?.innerText ? `read ${opened.document.body.innerText}` : "refused";
  } catch (error) {
    found["a window"] = `refused ${error.name}`;
  }
  const form = Object.assign(document.createElement("form"), { method: "post", action: `${api}/settings`, enctype: "text/plain", target: "sink" });
  form.append(Object.assign(document.createElement("input"), { name: '{"previews":"none","x":"', value: '"}' }));
  const sink = Object.assign(document.createElement("iframe"), { name: "sink" });
  document.body.append(sink, form);
  form.submit();
  await new Promise((done) => setTimeout(done, 500));
  return found;
}
</script><body></body>"""


@contextlib.contextmanager
def evil_site():
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(PAGE.encode())

        def log_message(self, *_):
            pass

    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    try:
        yield site.server_address[1]
    finally:
        site.shutdown()
        site.server_close()


async def own_api(page, path):
    """What the signed-in page reads for itself."""
    return json.loads(await page.evaluate("(path) => fetch(`/api/v1${path}`).then((reply) => reply.text())", path))


async def main():
    suite = Suite("hostile page")
    with tempfile.TemporaryDirectory() as folder, evil_site() as port:
        person = Person("ana", pathlib.Path(folder) / "ana", None)
        try:
            await person.start()
            async with chromium() as browser:
                signed, page = await person.browser(browser, DESK)
                before = [await own_api(page, path) for path in ("/settings", "/sessions", "/accounts")]
                second = await browser.new_context()
                for name, context in (("the profile that is signed in", signed.context), ("a second profile", second)):
                    for host in ("127.0.0.1", "localhost"):
                        async with suite.case(f"T161 T162 T164 T170 {name}, from {host}: nothing is read"):
                            evil = await context.new_page()
                            await evil.goto(f"http://{host}:{port}/?target={person.url}")
                            found = await evil.evaluate("attack()")
                            await evil.close()
                            broken = {what: got for what, got in found.items()
                                      if not (got in ("opaque", "timeout", "none", "refused") or got.startswith("refused"))}
                            check(not broken, f"{broken}")
                        async with suite.case(f"T162 {name}, from {host}: nothing is changed"):
                            after = [await own_api(page, path) for path in ("/settings", "/sessions", "/accounts")]
                            check(after == before, f"{before} became {after}")
                            uploads = list((person.profile.folder / "data").rglob("uploads/*"))
                            check(not uploads, f"{uploads}")
                await second.close()
                async with suite.case("T159 a name that resolves to this machine opens nothing"):
                    async with chromium(f"--host-resolver-rules=MAP evil.example 127.0.0.1") as bound:
                        context = await bound.new_context()
                        rebound = await context.new_page()
                        reply = await rebound.goto(f"http://evil.example:{person.port}/")
                        check(reply.status == 403, f"{reply.status}")
                        got = await rebound.evaluate("fetch('/api/v1/hello').then((reply) => reply.status, () => 'refused')")
                        check(got in (403, "refused"), f"{got}")
                await signed.close()
        finally:
            await person.end()
    suite.finish()


asyncio.run(main())
