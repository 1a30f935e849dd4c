# SPDX-License-Identifier: Apache-2.0
"""A smoke path in Firefox, over WebDriver BiDi, against the stand-in: script errors, layout, a message both ways."""

import asyncio
import contextlib
import json
import shutil
import socket
import sys
import tempfile

import websockets

from browser import Failure, SHOTS, Suite, check
from scene import lived_in

BO = "bo@chat.example"


class Firefox:
    """Debian's Firefox, headless, with a profile of its own."""

    async def __aenter__(self):
        with contextlib.closing(socket.socket()) as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        self.folder = tempfile.mkdtemp(prefix="apus-firefox-")
        self.process = await asyncio.create_subprocess_exec(
            "firefox-esr", "--headless", "--no-remote", "--profile", self.folder, "--remote-debugging-port", str(port),
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL)
        for _ in range(150):
            try:
                self.socket = await websockets.connect(f"ws://127.0.0.1:{port}/session", max_size=1 << 26)
                break
            except OSError:
                await asyncio.sleep(0.2)
        else:
            raise Failure("Firefox does not start")
        self.next, self.waiting, self.errors = 0, {}, []
        self.reader = asyncio.ensure_future(self._read())
        await self.call("session.new", capabilities={})
        await self.call("session.subscribe", events=["log.entryAdded"])
        tree = await self.call("browsingContext.getTree")
        self.context = tree["contexts"][0]["context"]
        return self

    async def __aexit__(self, *_):
        self.reader.cancel()
        with contextlib.suppress(Exception):
            await self.socket.close()
        self.process.terminate()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.process.wait(), 5)
        if self.process.returncode is None:
            self.process.kill()
            await self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    async def _read(self):
        async for text in self.socket:
            message = json.loads(text)
            if message.get("id") in self.waiting:
                self.waiting.pop(message["id"]).set_result(message)
            elif message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
                self.errors.append(message["params"]["text"])

    async def call(self, method, **parameters):
        self.next += 1
        answer = self.waiting[self.next] = asyncio.get_running_loop().create_future()
        await self.socket.send(json.dumps({"id": self.next, "method": method, "params": parameters}))
        message = await asyncio.wait_for(answer, 30)
        if message.get("type") == "error":
            raise Failure(f"{method}: {message.get('message')}")
        return message["result"]

    async def go(self, url):
        await self.call("browsingContext.navigate", context=self.context, url=url, wait="complete")

    async def size(self, width, height):
        await self.call("browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height})

    async def run(self, code):
        """The value of an expression, as JSON; a promise is waited for."""
        result = await self.call("script.evaluate", expression=f"(async () => JSON.stringify(await ({code})))()",
                                 target={"context": self.context}, awaitPromise=True)
        if result["type"] == "exception":
            raise Failure(result["exceptionDetails"]["text"])
        return json.loads(result["result"].get("value", "null"))

    async def until(self, code, what):
        for _ in range(100):
            if await self.run(code):
                return
            await asyncio.sleep(0.1)
        raise Failure(f"{what}: waited in vain")

    async def shot(self, name):
        import base64

        SHOTS.mkdir(parents=True, exist_ok=True)
        data = (await self.call("browsingContext.captureScreenshot", context=self.context))["data"]
        (SHOTS / f"{name}.png").write_bytes(base64.b64decode(data))


async def main():
    suite = Suite("web app in Firefox")
    if not shutil.which("firefox-esr"):
        print("FAIL web app in Firefox: firefox-esr is not installed: Scripts/install tests")
        sys.exit(1)
    site = lived_in()
    async with Firefox() as firefox:
        async with suite.case("pairing, the list and a chat are there; nothing reaches out of the page"):
            await firefox.size(390, 844)
            site.signed_in = False
            await firefox.go(f"{site.url}/#pair={site.code}")
            await firefox.until("document.querySelectorAll('chat-list .row').length > 5", "the list")
            check(await firefox.run("location.href") == f"{site.url}/", "the code is still in the address")
            await firefox.shot("firefox-phone-chats")
            await firefox.go(f"{site.url}/#/chat/ana%40chat.example/bo%40chat.example")
            await firefox.until("document.querySelectorAll('.message').length > 5", "the chat")
            wide = await firefox.run("[...document.querySelectorAll('.bubble, .composer, .chat-header')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1).length")
            check(wide == 0, f"{wide} elements reach out")
            await firefox.shot("firefox-phone-chat")
        async with suite.case("a message goes, another comes, and the chat stays at its end"):
            await firefox.run("(document.querySelector('textarea').value = 'from a fox', document.querySelector('textarea').dispatchEvent(new Event('input', { bubbles: true })), document.querySelector('.send').click())")
            await firefox.until("[...document.querySelectorAll('.message')].some((one) => one.innerText.includes('from a fox') && one.dataset.state === 'acknowledged')", "the sent message")
            site.incoming(BO, "to a fox")
            await firefox.until("[...document.querySelectorAll('.message')].some((one) => one.innerText.includes('to a fox'))", "the received message")
            check(await firefox.run("(() => { const view = document.querySelector('.timeline'); return view.scrollHeight - view.scrollTop - view.clientHeight < 2 })()"), "not at the end")
        async with suite.case("three panes at a desk, and a menu by right click"):
            await firefox.size(1400, 860)
            await asyncio.sleep(0.3)
            panes = await firefox.run("[...document.querySelectorAll('.list-pane, .main-pane')].map((one) => one.getBoundingClientRect().width)")
            check(all(width > 250 for width in panes), str(panes))
            await firefox.run("document.querySelector('.message .bubble').dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX: 600, clientY: 300 }))")
            await firefox.until("document.querySelector('dialog[open] [role=menuitem]') !== null", "the menu")
            await firefox.shot("firefox-desktop-chat")
        async with suite.case("no script threw, no policy was broken"):
            check(not firefox.errors, str(firefox.errors[:5]))
    suite.finish()


if __name__ == "__main__":
    asyncio.run(main())
