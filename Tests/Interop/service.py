# SPDX-License-Identifier: Apache-2.0
"""`apus serve` from outside: behind nginx as docs/SERVICE.md says, over TLS of the profile's own authority, and its
notifications read by independent implementations of RFC 8291 and RFC 8292. No chat server is needed."""

import asyncio
import base64
import contextlib
import http.client
import http.server
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import threading
import uuid

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02

from harness import ROOT, Failure, Profile, main, poll, program, scratch

SERVICE = ROOT / "docs" / "SERVICE.md"


def check(condition, text):
    if not condition:
        raise Failure(text)


def free_port():
    with contextlib.closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Browser:
    """A signed-in browser at one address of the service."""

    def __init__(self, host, port, origin, context=None):
        self.host, self.port, self.origin, self.context = host, port, origin, context
        self.headers = {"Host": re.sub(r"^https?://", "", origin), "Sec-Fetch-Site": "same-origin"}
        self.cookie = ""

    def open(self):
        if self.context is None:
            return http.client.HTTPConnection(self.host, self.port, timeout=20)
        return http.client.HTTPSConnection(self.host, self.port, timeout=20, context=self.context)

    def ask(self, method, path, body=None, **headers):
        connection = self.open()
        sent = dict(self.headers)
        if method != "GET":
            sent |= {"Origin": self.origin, "Idempotency-Key": str(uuid.uuid4())}
        if body is not None:
            sent["Content-Type"] = "application/json"
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, json.dumps(body) if body is not None else None, sent)
        return connection.getresponse()

    def pair(self, code):
        reply = self.ask("POST", "/api/v1/pair", {"code": code}, X_Apus_Token="pair")
        check(reply.status == 201, f"pairing: {reply.status}")
        self.cookie = reply.getheader("Set-Cookie")
        self.headers |= {"Cookie": self.cookie.split(";")[0], "X-Apus-Token": json.load(reply)["token"]}


async def serve(profile, *options):
    """Starts the service; its port and a one-time code."""
    process = await profile.spawn("serve", *options)

    async def paired():
        output = await profile.run("pair", "--json", accept=(0, 3))
        return json.loads(output) if '"code":"' in output and "#pair=" in output else None
    found = await poll(paired, lambda value: value or process.returncode is not None, "service")
    check(found, f"the service ended: {profile.errors()[-300:]}")
    return process, found["code"]


async def behind_nginx(folder):
    """The configuration of the documentation, with other ports and files, in front of the service."""
    front, back = free_port(), free_port()
    profile = Profile("nginx", folder)
    origin = f"https://localhost:{front}"
    # The certificate is the service's own kind, made by a first start.
    process, _ = await serve(profile, "--port", str(back), "--local-ca")
    process.terminate()
    check(await process.wait() == 0, "the service does not end in order")
    web = pathlib.Path(profile.environment["XDG_DATA_HOME"]) / "apus/default/web"
    process, code = await serve(profile, "--port", str(back), "--origin", origin)
    block = re.search(r"^nginx:\n\n(.*?)^\S", SERVICE.read_text(), re.M | re.S)[1]
    for old, new in (("listen 443 ssl", f"listen 127.0.0.1:{front} ssl"), ("chat.example.org;", "localhost;"),
                     ("/etc/ssl/chat.example.org.pem", str(web / "server.pem")),
                     ("/etc/ssl/private/chat.example.org.key", str(web / "server.key")),
                     ("127.0.0.1:8420", f"127.0.0.1:{back}"), ("Host $host", "Host $host:$server_port")):
        check(old in block, f"the documentation has no {old!r} any more")
        block = block.replace(old, new)
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(
        f"daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{ access_log off;\n{temporary}{block}}}\n")
    nginx = subprocess.Popen([shutil.which("nginx") or "/usr/sbin/nginx", "-c", str(folder / "nginx.conf"),
                              "-p", str(folder), "-e", str(folder / "error.log")])
    try:
        context = ssl.create_default_context(cafile=str(web / "ca.pem"))
        browser = Browser("localhost", front, origin, context)

        async def answers():
            with contextlib.suppress(OSError):
                return (await asyncio.to_thread(browser.ask, "GET", "/api/v1/hello")).status
        check(await poll(answers, bool, "answer through nginx") == 200, "hello through nginx")
        await asyncio.to_thread(browser.pair, code)
        check(browser.cookie.startswith("__Host-apus=") and "; Secure" in browser.cookie, browser.cookie)
        check(browser.ask("GET", "/api/v1/status").status == 200, "status through nginx")
        foreign = Browser("localhost", front, "https://evil.example", context)
        check(foreign.ask("GET", "/api/v1/hello").status == 403, "a foreign name through nginx")
        stream = browser.ask("GET", "/api/v1/events?cursor=0")
        first = await asyncio.wait_for(asyncio.to_thread(stream.readline), 5)
        check(first == b"retry: 1000\n", f"the stream is held back by nginx: {first}")
        stream.close()
    finally:
        nginx.terminate()
        nginx.wait()
        await profile.end()


async def own_authority(folder):
    """TLS 1.2 and 1.3 with the profile's own authority, and nothing older."""
    profile = Profile("tls", folder)
    port = free_port()
    _, code = await serve(profile, "--port", str(port), "--local-ca")
    try:
        web = pathlib.Path(profile.environment["XDG_DATA_HOME"]) / "apus/default/web"
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context = ssl.create_default_context(cafile=str(web / "ca.pem"))
            context.minimum_version = context.maximum_version = version
            browser = Browser("127.0.0.1", port, f"https://127.0.0.1:{port}", context)
            reply = await asyncio.to_thread(browser.ask, "GET", "/api/v1/hello")
            check(json.load(reply)["secure"] is True, f"{version}")
        check((await asyncio.to_thread(browser.ask, "GET", "/apus-ca.crt")).read() == (web / "ca.pem").read_bytes(),
              "the authority that is handed out")
        await asyncio.to_thread(browser.pair, code)
        check(browser.cookie.startswith("__Host-apus="), browser.cookie)
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
        old.set_ciphers("ALL:@SECLEVEL=0")
        with contextlib.suppress(ValueError):
            old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
            try:
                with socket.create_connection(("127.0.0.1", port), 5) as plain, old.wrap_socket(plain):
                    raise Failure("TLS 1.1 is spoken")
            except (ssl.SSLError, ConnectionError):
                pass
    finally:
        await profile.end()


class PushService(http.server.BaseHTTPRequestHandler):
    """Takes what a push service takes, and keeps it."""
    taken = []
    status = 201

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.taken.append((dict(self.headers), body))
        self.send_response(self.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


async def push(folder):
    """What the service sends is read by http_ece and believed by py_vapid."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), PushService)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    profile = Profile("push", folder)
    profile.environment["APUS_TEST_LOCAL_PUSH"] = "1"
    port = free_port()
    _, code = await serve(profile, "--port", str(port))
    try:
        browser = Browser("127.0.0.1", port, f"http://127.0.0.1:{port}")
        await asyncio.to_thread(browser.pair, code)
        key, secret = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
        point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        text = lambda data: base64.urlsafe_b64encode(data).decode().rstrip("=")  # noqa: E731
        endpoint = f"http://127.0.0.1:{server.server_port}/push/1"
        body = {"endpoint": endpoint, "expirationTime": None, "keys": {"p256dh": text(point), "auth": text(secret)}}
        check((await asyncio.to_thread(browser.ask, "PUT", "/api/v1/push", body)).status == 200, "subscribing")
        check((await asyncio.to_thread(browser.ask, "POST", "/api/v1/push/test")).status == 200, "the test notification")
        headers, sealed = PushService.taken.pop()
        note = json.loads(http_ece.decrypt(sealed, private_key=key, auth_secret=secret, version="aes128gcm"))
        check(note["type"] == "test", f"{note}")
        check(Vapid02.verify(headers["Authorization"]), "py_vapid does not believe the signature")
        broken = headers["Authorization"].replace("t=eyJ", "t=eyK", 1)
        with contextlib.suppress(Exception):
            check(not Vapid02.verify(broken), "py_vapid believes everything")
        public = json.load(await asyncio.to_thread(browser.ask, "GET", "/api/v1/push"))
        check(public["subscribed"] and headers["Authorization"].endswith("k=" + public["key"]), "the key of the service")
        PushService.status = 410
        reply = await asyncio.to_thread(browser.ask, "POST", "/api/v1/push/test")
        check(reply.status == 404, f"a browser that is gone: {reply.status}")
        public = json.load(await asyncio.to_thread(browser.ask, "GET", "/api/v1/push"))
        check(public["subscribed"] is False, "a browser that is gone is still known")
    finally:
        await profile.end()
        server.shutdown()


async def fifty(folder):
    """Fifty browsers at once cost no more than 5 MiB each, and nothing while nothing happens."""
    profile = Profile("fifty", folder)
    port = free_port()
    process, code = await serve(profile, "--port", str(port))

    def memory():
        lines = pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS")).split()[1])

    def work():
        return sum(map(int, pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(") ")[2].split()[11:13]))
    try:
        browsers = []
        for _ in range(7):
            browsers.append(Browser("127.0.0.1", port, f"http://127.0.0.1:{port}"))
            await asyncio.to_thread(browsers[-1].pair, code)
            code = json.loads(await profile.run("pair", "--json"))["code"]
        before, streams = memory(), []
        for number in range(50):
            streams.append(await asyncio.to_thread(browsers[number % 7].ask, "GET", "/api/v1/events?cursor=0"))
            streams[-1].readline()
        check(memory() - before < 50 * 5 * 1024, f"{before} kB before, {memory()} kB with fifty streams")
        began = work()
        await asyncio.sleep(2)
        check(work() - began < 20, f"{work() - began} ticks of idle work in two seconds")
    finally:
        await profile.end()


async def installed(folder):
    """What make install puts in place runs from there, with its page, manual, completions and units."""
    prefix = folder / "usr"
    built = program()
    done = subprocess.run([str(ROOT / "Scripts/package"), "install"], capture_output=True, text=True,
                          env={**os.environ, "APUS": built, "DESTDIR": "", "PREFIX": str(prefix)})
    check(done.returncode == 0, done.stderr[-300:])
    for name in ("share/man/man1/apus.1.gz", "share/bash-completion/completions/apus", "share/doc/apus/openapi.yaml",
                 "share/fish/vendor_completions.d/apus.fish", "share/zsh/vendor-completions/_apus",
                 "lib/systemd/system/apus@.service"):
        check((prefix / name).stat().st_size > 0, name)
    unit = (prefix / "lib/systemd/user/apus.service").read_text()
    check(f"ExecStart={prefix}/bin/apus serve --port 8420" in unit, unit)
    profile, port = Profile("installed", folder), free_port()
    os.environ["APUS"] = str(prefix / "bin/apus")
    try:
        await serve(profile, "--port", str(port))
        browser = Browser("127.0.0.1", port, f"http://127.0.0.1:{port}")
        page = (await asyncio.to_thread(browser.ask, "GET", "/")).read()
        check(page == (ROOT / "Sources/ChatService/Web/index.html").read_bytes(), f"another page: {page[:200]}")
    finally:
        os.environ["APUS"] = built
        await profile.end()


async def body():
    failed = 0
    for case in (behind_nginx, own_authority, push, fifty, installed):
        with scratch() as folder:
            try:
                await asyncio.wait_for(case(folder), 60)
                print(f"ok  {case.__name__}: {case.__doc__.split(chr(10))[0]}", flush=True)
            except (Failure, AssertionError, OSError, asyncio.TimeoutError, http.client.HTTPException) as error:
                failed += 1
                print(f"FAIL {case.__name__}: {error!r}", flush=True)
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main(body)
