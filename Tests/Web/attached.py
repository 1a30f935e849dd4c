# SPDX-License-Identifier: Apache-2.0
"""What each attached browser costs the service: attached.py [COUNT] [MESSAGES]

Browsers sign in one by one, each with its list, a page of history and a stream of events of its own, while messages
flow; then one of them stops reading until it is told to go on from a cursor. The service's memory is read from /proc."""

import asyncio
import json
import pathlib
import re
import socket
import sys
import tempfile
import time

from browser import ROOT, Failure
from real import Person

sys.path.insert(0, str(ROOT / "Tests/Interop"))
from harness import Server  # noqa: E402
from peer import Peer  # noqa: E402
from webcheck import Page  # noqa: E402

LIMIT = 5.0
SLOW = 1500
# How long the service waits for a reader that takes nothing.
PATIENCE = 10


def memory(process):
    """MiB that the process holds in memory."""
    text = pathlib.Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024


class Stream:
    """A stream of events on a socket of its own; it can stop reading."""

    def __init__(self, page, cursor, buffer=None):
        self.socket = socket.socket()
        if buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        host, port = page.host.split(":")
        self.socket.connect((host, int(port)))
        self.socket.sendall((f"GET /api/v1/events?cursor={cursor} HTTP/1.1\r\nHost: {page.host}\r\n"
                             f"Cookie: {page.cookie}\r\n\r\n").encode())
        self.text, self.raw, self.chunk, self.is_over = bytearray(), bytearray(), None, False

    def read(self, until, seconds=30):
        """Reads until a text has come; False when the stream ended or the time is over."""
        end, seen, wanted = time.monotonic() + seconds, 0, until.encode()
        while self.text.find(wanted, max(0, seen - len(wanted))) < 0:
            seen = len(self.text)
            self.socket.settimeout(max(0.01, end - time.monotonic()))
            try:
                piece = self.socket.recv(1 << 16)
            except TimeoutError:
                return False
            if not piece:
                self.is_over = True
                return False
            self.raw += piece
            self._unpack()
        return True

    def _unpack(self):
        """The body without the sizes of its chunks, which may stand in the middle of an event."""
        if self.chunk is None:
            head, found, rest = self.raw.partition(b"\r\n\r\n")
            if not found:
                return
            self.raw, self.chunk = rest, 0
        while self.raw:
            if self.chunk == 0:
                size, found, rest = self.raw.partition(b"\r\n")
                if not found:
                    return
                # The line end behind a chunk is part of it.
                self.raw, self.chunk = rest, int(size, 16) + 2
            body = self.raw[:self.chunk]
            self.text += body if len(body) < self.chunk - 1 else body[:self.chunk - 2 - len(body) or None]
            self.raw, self.chunk = self.raw[len(body):], self.chunk - len(body)

    def close(self):
        self.socket.close()


def attach(link):
    """What a page does when it is opened."""
    page = Page(link)
    page.pair()
    cursor = page.api("GET", "/status")["cursor"]
    page.api("GET", "/conversations")
    page.api("GET", "/contacts")
    page.history("ana@localhost", "bo@localhost")
    return page, Stream(page, cursor)


async def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    messages = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        server = await Server("prosody", folder / "server", ACCOUNTS="ana:secret bo:secret").start()
        person = Person("ana", folder / "ana", server)
        streams = []
        try:
            await person.profile.account("add", "ana@localhost", "secret", server)
            await person.start()
            bo = Peer("bo@localhost/x", "secret", "127.0.0.1", server.port, server.authority)
            await bo.login()

            async def say(number, what, words=20):
                for index in range(number):
                    bo.send_message(mto="ana@localhost", mbody=f"{what} {index}: " + "word " * words, mtype="chat")
                    if index % 20 == 19:
                        await asyncio.sleep(0.1)

            await say(messages, "before")
            page, first = await asyncio.to_thread(attach, await person.link())
            streams.append(first)
            await asyncio.sleep(2)
            process = person.process.pid
            before = memory(process)
            for _ in range(count):
                _, stream = await asyncio.to_thread(attach, await person.link())
                streams.append(stream)
            attached = memory(process)
            reading = asyncio.gather(*(asyncio.to_thread(one.read, f"after {messages - 1}:", 120) for one in streams))
            start = time.monotonic()
            await say(messages, "after")
            told = await reading
            seconds = time.monotonic() - start
            after = memory(process)
            if not all(told):
                raise Failure(f"{told.count(False)} of {len(told)} streams did not get the last message")
            each = (after - before) / count
            print(f"{count} browsers: {before:.0f} MiB before, {attached:.0f} attached, {after:.0f} after {messages} messages to "
                  f"each ({seconds:.1f} s): {each:.2f} MiB for each", flush=True)
            # One that does not read is told where to go on, and costs no more than its bound.
            cursor = page.api("GET", "/status")["cursor"]
            slow, keen = Stream(page, cursor, buffer=4096), Stream(page, cursor)
            streams += [slow, keen]
            reading = asyncio.ensure_future(asyncio.to_thread(keen.read, f"slow {SLOW - 1}:", 120))
            # More than the system keeps for a socket by itself.
            await say(SLOW, "slow", words=900)
            if not await reading:
                raise Failure("one that lags behind holds the others up")
            await asyncio.sleep(PATIENCE + 2)
            if await asyncio.to_thread(slow.read, '"type":"resync"', 60):
                reached = json.loads(re.findall(rb'data: (\{[^\n]*"type":"resync"[^\n]*\})', slow.text)[-1])["cursor"]
                how = "told to go on"
            elif slow.is_over:
                # On a slow machine its connection was silent for too long; it goes on, too, from what it saw last.
                reached, how = re.findall(rb"id: (\d+)\ndata: [^\n]*\n\n", slow.text)[-1].decode(), "cut off, and went on"
            else:
                raise Failure("a reader that lags behind is neither told so nor cut off")
            # In one go, however much it missed.
            again = Stream(page, reached)
            streams.append(again)
            if not await asyncio.to_thread(again.read, f"slow {SLOW - 1}:", 60):
                raise Failure("the stream does not go on from where it was")
            # What was cut off in the middle is told again as a whole.
            lines = slow.text[:slow.text.rfind(b"\n\n") + 2] + again.text
            told = [line for line in lines.split(b"\n") if b'"type":"message"' in line]
            seen = [int(found[1]) for line in told if (found := re.search(rb'"body":"slow (\d+):', line))]
            if sorted(seen) != list(range(SLOW)):
                raise Failure(f"{SLOW - len(set(seen))} messages were not told, {len(seen) - len(set(seen))} twice")
            print(f"a reader that stopped was {how} from {reached} and has all {SLOW} messages; "
                  f"{memory(process):.0f} MiB", flush=True)
            await bo.logout()
            if each > LIMIT:
                raise Failure(f"{each:.2f} MiB for each browser, more than {LIMIT}")
        finally:
            for one in streams:
                one.close()
            await person.end()
            await server.stop()


try:
    asyncio.run(main())
except Failure as error:
    sys.exit(f"attached: {error}")
