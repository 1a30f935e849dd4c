# SPDX-License-Identifier: Apache-2.0
"""A smoke path in WebKitGTK, over WebDriver, against the stand-in: layout, script errors, a message both ways."""

import asyncio
import base64
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from browser import PATIENCE, SHOTS, Failure, Suite, check
from scene import BO, lived_in

BROWSER = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser"
CHAT = "/#/chat/ana%40chat.example/bo%40chat.example"


def free_port():
    with contextlib.closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class WebKit:
    """Debian's WebKitGTK on a screen of its own, with a profile of its own."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="apus-webkit-")
        read, write = os.pipe()
        self.screen = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x1000x24", "-nolisten", "tcp"],
                                       pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as told:
            display = told.readline().strip()
        if not display:
            raise Failure("Xvfb does not start")
        environment = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")}
        environment.update(DISPLAY=f":{display}", HOME=self.folder, XDG_RUNTIME_DIR=self.folder, GDK_BACKEND="x11", WEBKIT_DISABLE_COMPOSITING_MODE="1",
                           WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS="1")
        port = free_port()
        self.root = f"http://127.0.0.1:{port}"
        self.driver = subprocess.Popen(["WebKitWebDriver", f"--port={port}"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                self.ask("GET", "/status")
                break
            except OSError:
                if time.monotonic() > end:
                    raise Failure("WebKitWebDriver does not start") from None
                time.sleep(0.1)
        made = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": {"binary": BROWSER, "args": ["--automation"]}}}})
        self.session = f"/session/{made['sessionId']}"
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError, Failure):
            self.ask("DELETE", self.session)
        for process in (self.driver, self.screen):
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
            if process.returncode is None:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, method, path, body=None):
        data = json.dumps(body if body is not None else {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.root + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise Failure(f"{method} {path}: {error.read().decode(errors='replace')[:300]}") from None

    def go(self, url):
        self.ask("POST", f"{self.session}/url", {"url": url})

    def size(self, width, height):
        self.ask("POST", f"{self.session}/window/rect", {"width": width, "height": height})

    def run(self, code):
        return self.ask("POST", f"{self.session}/execute/sync", {"script": f"return ({code})", "args": []})

    def until(self, code, what):
        end = time.monotonic() + PATIENCE
        while not self.run(code):
            if time.monotonic() > end:
                raise Failure(f"{what}: waited in vain")
            time.sleep(0.1)

    def shot(self, name):
        SHOTS.mkdir(parents=True, exist_ok=True)
        (SHOTS / f"{name}.png").write_bytes(base64.b64decode(self.ask("GET", f"{self.session}/screenshot")))


WIDE = "[...document.querySelectorAll('.bubble, .composer, .chat-header, .row, .card, .tabs')].filter((one) => { const box = one.getBoundingClientRect(); return box.width && (box.right > innerWidth + 1 || box.left < -1); }).map((one) => one.className)"


async def main():
    suite = Suite("web app in WebKitGTK")
    if not shutil.which("WebKitWebDriver") or not shutil.which("Xvfb"):
        print("FAIL web app in WebKitGTK: webkit2gtk-driver and xvfb are not installed: Scripts/install tests")
        sys.exit(1)
    site = lived_in(everything=True)
    # Faults of the page are gathered from its first line on.
    site.collects_faults = True
    with WebKit() as webkit:
        async with suite.case("pairing, the list, a chat and the settings, as narrow as it gets; nothing reaches out of the page"):
            webkit.size(460, 900)
            site.signed_in = False
            webkit.go(f"{site.url}/#pair={site.code}")
            webkit.until("document.querySelectorAll('chat-list .row').length > 5", "the list")
            check(webkit.run("location.href") == f"{site.url}/", "the code is still in the address")
            check(not webkit.run(WIDE), str(webkit.run(WIDE)))
            webkit.shot("webkit-chats")
            for path, there in ((CHAT, ".message"), ("/#/people", ".request"), ("/#/settings/appearance", ".segments"), ("/#/settings/connection", ".state-line"), (CHAT, ".message .bubble")):
                webkit.go(site.url + path)
                webkit.until(f"document.querySelectorAll({json.dumps(there)}).length > 0", path)
                check(not webkit.run(WIDE), f"{path}: {webkit.run(WIDE)}")
            webkit.shot("webkit-chat")
        async with suite.case("a message goes, another comes, and the chat stays at its end"):
            webkit.run("(document.querySelector('textarea').value = 'from a kit', document.querySelector('textarea').dispatchEvent(new Event('input', { bubbles: true })), document.querySelector('.send[type=submit]').click())")
            webkit.until("[...document.querySelectorAll('.message')].some((one) => one.innerText.includes('from a kit') && one.dataset.state === 'acknowledged')", "the sent message")
            site.incoming(BO, "to a kit")
            webkit.until("[...document.querySelectorAll('.message')].some((one) => one.innerText.includes('to a kit'))", "the received message")
            webkit.until("(() => { const view = document.querySelector('.timeline'); return view.scrollHeight - view.scrollTop - view.clientHeight < 2 })()", "the end of the chat")
        async with suite.case("panes at a desk, a menu by right click, a picture on the whole screen"):
            webkit.size(1400, 900)
            webkit.until("[...document.querySelectorAll('.list-pane, .main-pane')].every((one) => one.getBoundingClientRect().width > 250)", "two panes")
            webkit.run("document.querySelector('.message .bubble').dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX: 600, clientY: 300 }))")
            webkit.until("document.querySelector('dialog[open] [role=menuitem]') !== null", "the menu")
            webkit.shot("webkit-desktop-menu")
            webkit.run("document.querySelector('dialog[open]').dispatchEvent(new Event('cancel', { cancelable: true }))")
            webkit.until("document.querySelector('dialog[open]') === null && !history.state?.sheets", "the menu's end")
            webkit.run("document.querySelector('.timeline').scrollTop = 0")
            webkit.until("document.querySelector('.message .picture') !== null", "the pictures")
            webkit.run("document.querySelector('.message .picture').click()")
            webkit.until("document.querySelector('dialog.viewer img')?.naturalWidth > 0", "the picture")
            webkit.shot("webkit-desktop-viewer")
        async with suite.case("no script threw, no policy was broken"):
            faults = webkit.run("window.faults ?? ['the collector did not run']")
            check(not faults, str(faults[:5]))
    suite.finish()


if __name__ == "__main__":
    asyncio.run(main())
