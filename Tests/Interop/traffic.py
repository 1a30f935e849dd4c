# SPDX-License-Identifier: Apache-2.0
"""Two people who write to each other all the time, whatever happens: what `soak.py` and `cluster.py` have in common."""

import asyncio
import collections
import random
import time

from core import Core, CoreGone, CoreRefused, seconds
from harness import Failure, Listener, phase
from oracle import ResourceLog
from peer import Peer

LARGE = 48 * 1024  # bytes of a message that takes several TLS records


class Bob(Peer):
    """The other side: keeps what came by the archive's id, and writes what the server does not have again."""

    def __init__(self, world):
        server = world.server
        super().__init__(f"bob@{world.domain}/slixmpp", "secret", "127.0.0.1", server.port, server.authority)
        self.world, self.alice = world, f"alice@{world.domain}"

    async def up(self):
        await self.login()
        await self.catch_up()
        return self

    async def catch_up(self):
        """What came while nobody listened, and what of our own never came to the server."""
        world = self.world
        new = await self.archive(self.alice, after=world.archived_through, page=world.page)
        for item in new:
            world.note_received(item, "archive")
            world.archived.add(item["id"])
        if new:
            world.archived_through = new[-1]["archive"]
        for ident, body in world.from_bob:
            if ident not in world.archived:
                self.say(self.alice, body, ident=ident)

    def _note(self, **event):
        if event["event"] == "message":
            self.world.note_received(event, "stanza")
        elif event["event"] == "disconnected" and getattr(self.world, "bob", self) is self:
            # Not one whose place another has taken: it hears late that its server went.
            self.world.bob_is_up.clear()
        # Nobody waits for events here, and they would fill the memory.


class Traffic:
    """`apus` (its `listen` holds alice's profile, messages go in through its socket) and slixmpp (bob); the subclass makes
    `server`, `alice` and `bob`, and breaks things."""

    domain = "localhost"
    page = 100  # messages that are asked of an archive at once

    def __init__(self, kind, duration, seed, folder):
        self.kind, self.duration, self.folder = kind, duration, folder
        self.dice = random.Random(seed)
        self.run_id = f"{seed:x}"
        self.done = collections.Counter()
        self.from_alice, self.from_bob = [], []  # (id, body) in the order of writing
        self.received = {}  # of bob: archive's id -> body
        self.written = {}  # "a 000017" -> when
        self.archived, self.archived_through = set(), None  # what bob has seen in his archive
        self.flow = asyncio.Event()
        self.flow.set()
        self.bob_is_up = asyncio.Event()
        self.core_is_up = asyncio.Event()
        self.large = {"client": 0, "server": 0}
        self.burst = 0
        self.turns = 0  # the client's turns of a login that resumes; `idle` finds out
        self.ends = False
        self.resources = ResourceLog()
        self.fresh = 0
        self.reasons = collections.Counter()  # why streams ended

    async def hold_profile(self, is_online=True):
        self.listener = await Listener(self.alice).start(online=False)
        self.mark = 0
        for _ in range(200):
            try:
                self.core = await Core(self.alice).open()
                break
            except CoreGone:
                await asyncio.sleep(0.05)
        else:
            raise Failure(f"nobody holds the profile: {self.alice.errors()[-500:]}")
        self.core_is_up.set()
        if is_online:
            await self.online()

    async def kill(self):
        self.core_is_up.clear()
        self.count_streams()
        self.listener.kill()
        await self.listener.process.wait()
        await self.listener.end()
        self.core.close()

    def count_streams(self):
        """Streams of this process that continued none: each is a resumption that failed."""
        states = [e["account"]["connection"] for e in self.listener.events[self.mark:] if phase(e) == "online"]
        self.fresh += sum(1 for state in states if not state.get("resumed"))
        for event in self.listener.events[self.mark:]:
            if phase(event) == "waiting" and (error := event["account"]["connection"].get("error")):
                self.reasons[error.get("message") or error.get("code")] += 1
        self.mark = len(self.listener.events)

    def here(self):
        return len(self.listener.events)

    async def online(self, after=0, timeout=30):
        """Waits until apus is online again; it is told to try at once, as a person would."""
        task = asyncio.ensure_future(self.listener.wait(lambda e: phase(e) == "online", "being online", timeout, after))
        while not task.done():
            poke = asyncio.ensure_future(self.poke())
            await asyncio.wait([task], timeout=0.25)
            poke.cancel()
        event = await task
        return event["account"]["connection"].get("resumed", False)

    async def poke(self):
        try:
            await self.core.call("connect", request={"persists": True, "timeout": seconds(0.2)})
        except (CoreGone, CoreRefused):
            pass

    # -- Traffic ----------------------------------------------------------------------------------

    def body(self, who, number, is_large):
        text = f"soak {self.run_id} {who} {number:06d}"
        self.written[f"{who} {number:06d}"] = time.monotonic()
        return text + " " + "x" * LARGE if is_large else text

    async def alice_writes(self, rate):
        number, began = 0, time.monotonic()
        while not self.ends:
            await self.flow.wait()
            await self.core_is_up.wait()
            number += 1
            is_large = self.large["client"] > 0
            if is_large:
                self.large["client"] -= 1
            body = self.body("a", number, is_large)
            while True:
                try:
                    sent = await self.core.call("send", request={
                        "conversation": f"bob@{self.domain}", "body": body, "key": f"{self.run_id}-{number}"})
                    break
                except CoreGone:
                    await asyncio.sleep(0.02)
                    await self.core_is_up.wait()
            self.from_alice.append((sent["message"]["origin_id"], body))
            began = await self.pace(began, number, rate)

    async def bob_writes(self, rate):
        number, began = 0, time.monotonic()
        while not self.ends:
            await self.flow.wait()
            await self.bob_is_up.wait()
            number += 1
            is_large = self.large["server"] > 0
            if is_large:
                self.large["server"] -= 1
            body = self.body("b", number, is_large)
            ident = f"{self.run_id}-bob-{number:010d}"
            self.from_bob.append((ident, body))
            self.bob.say(self.bob.alice, body, ident=ident)
            if self.burst > 0:
                self.burst -= 1
            else:
                began = await self.pace(began, number, rate)

    async def pace(self, began, number, rate):
        ahead = number / rate - (time.monotonic() - began)
        await asyncio.sleep(max(0.0, min(ahead, 1 / rate)))
        # What a long pause left out is not made up for.
        return began - min(0.0, ahead + 10)

    def note_received(self, item, key):
        if item.get("body", "").startswith(f"soak {self.run_id} a "):
            self.received.setdefault(item[key] or f"unnamed-{len(self.received)}", item["body"].split(" x")[0])

    async def leave(self):
        """Ends what was begun, as far as it came."""
        if hasattr(self, "core"):
            self.core.close()
        if hasattr(self, "alice"):
            await self.alice.end()
        if hasattr(self, "bob"):
            self.bob.abort()
        if getattr(self, "proxy", None):
            await self.proxy.stop()
