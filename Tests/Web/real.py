# SPDX-License-Identifier: Apache-2.0
"""`apus serve` for one person: a profile of its own, the web app from the sources, and links to sign browsers in."""

import asyncio
import contextlib
import os
import re
import signal
import socket
import sys
import time

from browser import PATIENCE, ROOT, Failure, seat

sys.path.insert(0, str(ROOT / "Tests/Interop"))
from harness import Profile  # noqa: E402

WEB = ROOT / "Sources/ChatService/Web"


def free_port():
    with contextlib.closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Person:
    """Somebody with a service and browsers."""

    def __init__(self, name, folder, server):
        self.name, self.server = name, server
        self.address = f"{name}@localhost"
        self.password = f"secret of {name}"
        self.profile = Profile(name, folder)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None

    async def start(self):
        self.process = await self.profile.spawn("serve", "--port", str(self.port), "--web-root", str(WEB))
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.close()
                return self
            if self.process.returncode is not None:
                break
            await asyncio.sleep(0.1)
        raise Failure(f"{self.name}: the service does not start: {self.profile.errors()[-400:]}")

    async def kill(self):
        """At once, as a power failure does."""
        os.kill(self.process.pid, signal.SIGKILL)
        await self.process.wait()
        self.profile.running.remove(self.process)

    async def link(self):
        text = await self.profile.run("pair")
        found = re.search(r"http://\S+#pair=\S+", text)
        if not found:
            raise Failure(f"{self.name}: no link: {text[:200]}")
        return found[0]

    async def browser(self, chromium, kind, **options):
        """A browser that was signed in by a link."""
        someone = await seat(chromium, self.name, kind, **options)
        page = await someone.page()
        await page.goto(await self.link())
        await page.wait_for_selector("apus-shell")
        return someone, page

    async def end(self):
        await self.profile.end()
