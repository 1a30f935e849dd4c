# SPDX-License-Identifier: Apache-2.0
"""A TCP proxy that can hold back what one side says, or cut the connection.

TLS runs end to end, so the proxy knows bytes only; what it proves is in its log, one JSON object
per line: how many bytes the client's side sent on after `arm`, and how many of the server's answer
were kept back until the connection ended.

Modes: `pass`; `withhold` keeps the server's bytes; `hole` keeps both sides'; `refuse` accepts nobody.
As a program (`proxy.py PORT TARGET_PORT LOG`) it reads mode names, and `cut`, from standard input.
"""

import asyncio
import json
import sys
import time


class Proxy:
    """Listens on `port` (0: any free one) of 127.0.0.1 and connects onward to `target`."""

    def __init__(self, target, log, port=0):
        self.target, self.port = target, port
        self.log_path = log
        self.log_file = open(log, "a", buffering=1, encoding="utf-8")
        self.mode, self.label = "pass", None
        self.count = 0
        self.links = set()
        self.resumed = asyncio.Event()
        self.resumed.set()
        self.forwarded = self.withheld = self.returned = 0

    async def start(self):
        self.server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self.server.sockets[0].getsockname()[1]
        self.note("listening", port=self.port, target=self.target)
        return self

    def note(self, what, **fields):
        self.log_file.write(json.dumps({"at": round(time.time(), 4), "what": what, **fields}) + "\n")

    def arm(self, mode, label=None):
        """Change the mode; counting of bytes starts anew. The log names `label` from here on."""
        self.mode, self.label = mode, label
        self.forwarded = self.withheld = self.returned = 0
        self.note("armed", mode=mode, label=label)
        if mode == "pass":
            self.resumed.set()
        else:
            self.resumed.clear()

    def cut(self):
        """Drop every connection at once, as a lost network does."""
        self.note("cut", connections=len(self.links))
        for writers in list(self.links):
            for writer in writers:
                writer.transport.abort()

    async def stop(self):
        self.server.close()
        self.cut()
        self.log_file.close()

    async def _accept(self, reader, writer):
        self.count += 1
        number = self.count
        if self.mode == "refuse":
            writer.transport.abort()
            return
        try:
            onward_reader, onward_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError as error:
            self.note("unreachable", connection=number, error=str(error))
            writer.transport.abort()
            return
        self.note("connected", connection=number)
        link = (writer, onward_writer)
        self.links.add(link)
        tasks = [asyncio.ensure_future(self._pump(reader, onward_writer, number, True)),
                 asyncio.ensure_future(self._pump(onward_reader, writer, number, False))]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            # One side has ended: what the other is owed goes out, then both are closed.
            await asyncio.wait(tasks, timeout=0.2)
        finally:
            for task in tasks:
                task.cancel()
            for side in link:
                side.close()
            self.links.discard(link)
            self.note("closed", connection=number, label=self.label, mode=self.mode, forwarded=self.forwarded,
                      withheld=self.withheld, returned=self.returned)

    async def _pump(self, reader, writer, number, from_client):
        try:
            while data := await reader.read(1 << 16):
                held = self.mode == "hole" or (self.mode == "withhold" and not from_client)
                if held:
                    self.note("held", connection=number, side="client" if from_client else "server", bytes=len(data))
                    if not from_client:
                        self.withheld += len(data)
                    await self.resumed.wait()
                if from_client:
                    self.forwarded += len(data)
                    if self.mode != "pass":
                        self.note("forwarded", connection=number, label=self.label, bytes=len(data))
                else:
                    self.returned += len(data)
                writer.write(data)
                await writer.drain()
        except (ConnectionError, OSError):
            pass


async def main():
    port, target, log = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    proxy = await Proxy(target, log, port).start()
    print(proxy.port, flush=True)
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        word, _, label = line.decode().strip().partition(" ")
        if word == "cut":
            proxy.cut()
        elif word in ("pass", "withhold", "hole", "refuse"):
            proxy.arm(word, label or None)
        else:
            print(f"unknown: {word}", flush=True)
            continue
        print("ok", flush=True)
    await proxy.stop()


if __name__ == "__main__":
    asyncio.run(main())
