# SPDX-License-Identifier: Apache-2.0
"""A TCP proxy that holds back, delays, swallows or cuts what passes, in either direction, at a chosen moment.

TLS runs end to end, so the proxy knows bytes and bursts only: a burst is what one side sends before it waits, as one
read gives it. What it proves is in its log, one JSON object per line: each connection with its bytes, and each fault
with the connection, the direction and the bytes that still went through.

Modes, which hold for all connections until the next `arm`:

    pass       everything goes on
    withhold   the server's bytes are kept
    hole       both sides' bytes are kept
    refuse     nobody is let in

Faults, each of which happens once:

    cut()                              every connection is reset at once
    cut_in_burst(side, bytes)          the next time `side` has sent so many bytes in one go, that many pass, then a reset
    cut_at_burst(number, passes)       the next connection is reset at the client's burst of that number; with `passes` the
                                       server gets it, and its answer is lost
    half_open()                        the connections that are up carry nothing any more, and nobody is told

`delay` (seconds, one way) makes the network slow; `away` is how long nobody gets through after a cut. As a program (`proxy.py PORT TARGET_PORT LOG`) it reads mode names,
`cut` and `half_open` from standard input.
"""

import asyncio
import json
import sys
import time


class Link:
    """One connection through the proxy, with what each side sent on it."""

    def __init__(self, number, near, far):
        self.number, self.near, self.far = number, near, far
        self.began = time.monotonic()
        self.bursts = {"client": 0, "server": 0}
        self.is_dead = False  # half open: bytes vanish

    def abort(self):
        for writer in (self.near, self.far):
            writer.transport.abort()


class Proxy:
    """Listens on `port` (0: any free one) of 127.0.0.1 and connects onward to `target`."""

    def __init__(self, target, log, port=0):
        self.target, self.port = target, port
        self.log_path = log
        self.log_file = open(log, "a", buffering=1, encoding="utf-8")
        self.mode, self.label = "pass", None
        self.count = 0
        self.delay = 0.0
        self.away, self.ended = 0.0, 0.0
        self.links = set()
        self.resumed = asyncio.Event()
        self.resumed.set()
        self.forwarded = self.withheld = self.returned = 0
        self.plan = None  # the fault that waits for its moment
        self.fired = asyncio.Event()

    async def start(self):
        self.server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self.server.sockets[0].getsockname()[1]
        self.note("listening", port=self.port, target=self.target)
        return self

    def note(self, what, **fields):
        self.log_file.write(json.dumps({"at": round(time.time(), 4), "what": what, **fields}) + "\n")

    # -- Faults -----------------------------------------------------------------------------------

    def arm(self, mode, label=None):
        """Change the mode; counting of bytes starts anew. The log names `label` from here on."""
        self.mode = mode
        if label or self.plan is None:
            self.label = label
        self.forwarded = self.withheld = self.returned = 0
        self.note("armed", mode=mode, label=self.label)
        if mode == "pass":
            self.resumed.set()
        else:
            self.resumed.clear()

    def cut(self):
        """Drop every connection at once, as a lost network does."""
        self.note("cut", connections=len(self.links))
        for link in list(self.links):
            link.abort()

    def half_open(self):
        """The flow is forgotten on the way: nothing passes, nobody hears of it."""
        self.note("half open", connections=len(self.links))
        for link in self.links:
            link.is_dead = True

    def cut_in_burst(self, side, size, label=None):
        self._plan(("burst", side, size), label)

    def cut_at_burst(self, number, passes, label=None):
        # Counts on a connection that begins from now on.
        self._plan(("number", self.count, number, passes), label)

    def _plan(self, plan, label):
        self.plan, self.label = plan, label
        self.fired.clear()
        self.note("planned", plan=list(plan), label=label)

    def forget_plan(self):
        self.plan = None

    def _happens(self, link, side, data):
        """How many bytes of `data` pass before the connection is cut, or None."""
        if self.plan is None:
            return None
        if self.plan[0] == "burst" and self.plan[1] == side and len(data) > self.plan[2]:
            passes = self.plan[2]
        elif (self.plan[0] == "number" and side == "client" and link.number > self.plan[1]
              and link.bursts["client"] >= self.plan[2]):
            passes = len(data) if self.plan[3] else 0
        else:
            return None
        self.note("fault", connection=link.number, side=side, burst=link.bursts[side], passes=passes, of=len(data),
                  label=self.label)
        self.plan = None
        return passes

    # -- Connections ------------------------------------------------------------------------------

    async def stop(self):
        self.server.close()
        self.cut()
        self.log_file.close()

    async def _accept(self, reader, writer):
        self.count += 1
        number = self.count
        while self.mode != "refuse" and (rest := self.ended + self.away - time.monotonic()) > 0:
            await asyncio.sleep(rest)
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
        link = Link(number, writer, onward_writer)
        self.links.add(link)
        tasks = [asyncio.ensure_future(self._pump(reader, onward_writer, link, "client")),
                 asyncio.ensure_future(self._pump(onward_reader, writer, link, "server"))]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            # One side has ended: what the other is owed goes out, then both are closed.
            await asyncio.wait(tasks, timeout=0.2)
        finally:
            for task in tasks:
                task.cancel()
            for side in (writer, onward_writer):
                side.close()
            self.links.discard(link)
            self.ended = time.monotonic()
            if not self.log_file.closed:
                self.note("closed", connection=number, label=self.label, mode=self.mode, forwarded=self.forwarded,
                          withheld=self.withheld, returned=self.returned, bursts=link.bursts)

    async def _pump(self, reader, writer, link, side):
        from_client = side == "client"
        try:
            while data := await reader.read(1 << 16):
                link.bursts[side] += 1
                if self.delay:
                    await asyncio.sleep(self.delay)
                if (passes := self._happens(link, side, data)) is not None:
                    writer.write(data[:passes])
                    await writer.drain()
                    # What passes is to arrive, and an answer to it must not.
                    link.is_dead = True
                    await asyncio.sleep(0.02)
                    link.abort()
                    self.fired.set()
                    return
                if self.mode == "hole" or (self.mode == "withhold" and not from_client):
                    self.note("held", connection=link.number, side=side, bytes=len(data))
                    if not from_client:
                        self.withheld += len(data)
                    await self.resumed.wait()
                if link.is_dead:
                    continue
                if from_client:
                    self.forwarded += len(data)
                    if self.mode != "pass":
                        self.note("forwarded", connection=link.number, label=self.label, bytes=len(data))
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
        if word in ("cut", "half_open"):
            getattr(proxy, word)()
        elif word in ("pass", "withhold", "hole", "refuse"):
            proxy.arm(word, label or None)
        else:
            print(f"unknown: {word}", flush=True)
            continue
        print("ok", flush=True)
    await proxy.stop()


if __name__ == "__main__":
    asyncio.run(main())
