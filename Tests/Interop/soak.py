# SPDX-License-Identifier: Apache-2.0
"""Exactly once, whatever breaks: soak.py prosody|ejabberd [SECONDS=300] [SEED]

`apus` (the release build; `listen` holds alice's profile, messages go in through its socket) and slixmpp (bob) write to
each other all the time, while the connection of apus is cut in every window, its resumption fails, its process is killed,
and the server is restarted. At the end both histories and both archives on the server must hold each message exactly once
and in order.

Windows of a cut (`proxy.py` has the means):

    idle            nothing is under way
    half            a stanza is on its way, one direction or the other, and half of its bytes have passed
    unacked         stanzas were written and the server has them, its acknowledgements were kept back
    resuming        at one of the client's turns of a login that resumes, the last one carries <resume/>: it reaches the
                    server and the answer is lost, or it does not reach it
    after-failed    at one of the client's turns after a resumption that failed: bind, enable, carbons, the archive

Kills (-9), by the points of a message's life where a process can die: `call` (C1, C15: a message is being handed in), `queued`
(C2), `half` (C3), `unacked` (C4), `ack` (C5, C6: the acknowledgement is just coming in), `inbound` (C7, C8: a burst of
messages comes in), `resuming` (C9), `archive` (C10, C11: missed messages are fetched).

C14, a migration, is held up by MigratorTests, since a profile migrates once; C12 needs files, C13 end-to-end encryption.

Order: a message has a place in its sender's sequence. Both archives must have it there, and each history must have the
messages of one sender in the order of the archive. (ejabberd hands over what it kept for a resumed stream mixed with what is
new; its archive is right, and apus puts the messages where the archive has them.)
"""

import asyncio
import contextlib
import json
import logging
import os
import random
import sqlite3
import sys
import time

from harness import Failure, Profile, Server, main, scratch
from oracle import Oracle
from peer import Peer, PeerError
from proxy import Proxy
from suite import Suite, check
from traffic import Bob, Traffic

AWAY = 0.5  # seconds
FORGET_AFTER = 2  # seconds in which the server lets a lost stream be resumed
KILLS = ["call", "queued", "half", "unacked", "ack", "inbound", "resuming", "archive"]


class Soak(Traffic):
    page = 1000  # Prosody reads its whole archive for each page

    async def start(self):
        self.server = await Server(self.kind, self.folder / "server", ACCOUNTS="alice:secret bob:secret",
                                   SMACKS_TIMEOUT=str(FORGET_AFTER), ARCHIVE_PAGE=str(self.page), ARCHIVE_IN="sqlite").start()
        self.proxy = await Proxy(self.server.port, self.folder / "proxy.log").start()
        # A stream is taken over in ejabberd while its process still has messages before it that it read: it says a count
        # without them, and goes on with them. No client can know, so the network is away until they are handled.
        self.proxy.away = AWAY if self.kind == "ejabberd" else 0.0
        self.alice = Profile("alice", self.folder / "alice")
        await self.alice.account("add", "alice@localhost", "secret", self.server, self.proxy.port)
        self.bob = await Bob(self).up()
        self.bob_is_up.set()
        await self.hold_profile()

    # -- What breaks ------------------------------------------------------------------------------

    async def idle(self):
        self.flow.clear()
        await asyncio.sleep(0.25)
        after, number = self.here(), self.proxy.count
        self.proxy.cut()
        resumed = await self.online(after)
        if resumed and self.proxy.count == number + 1 and self.proxy.links:
            # Nothing was to be sent: these were the turns of the login, and at most a word more.
            turns = max(link.bursts["client"] for link in self.proxy.links)
            self.turns = max(3, min(self.turns or turns, turns))
        self.flow.set()

    async def half(self, side=None):
        side = side or self.dice.choice(["client", "server"])
        self.proxy.cut_in_burst(side, self.dice.randrange(17_000, 30_000), "half")
        self.large[side] += 1
        try:
            await asyncio.wait_for(self.proxy.fired.wait(), 5)
            # A stream that came up before that is none that follows.
            after = self.here()
        except asyncio.TimeoutError:
            self.proxy.forget_plan()
            after = self.here()
            self.proxy.cut()
            self.missed("half", f"{side}, links {len(self.proxy.links)}, {self.listener.events[-1]}")
        return after

    async def half_cut(self):
        await self.online(await self.half())
        await self.until_read()

    async def until_read(self):
        """Until the server reads what apus writes.

        Prosody 0.12 goes on parsing a resumed stream where the lost connection was cut, and takes everything for the rest of
        half a stanza. Such a stream is left after 20 seconds, or when it ends: a cut saves the wait
        (docs/design/0003-half-a-stanza.md).
        """
        for patience in (1.5, 12, 30):
            before, end = len(self.received), time.monotonic() + patience
            while time.monotonic() < end:
                if len(self.received) > before:
                    return
                await asyncio.sleep(0.02)
            after = self.here()
            self.proxy.cut()
            await self.online(after)
        raise Failure("nothing that is written arrives")

    async def flowing(self):
        """Until messages of alice come through: on a new stream they wait for her archive, which a cut would hold up."""
        before, end = len(self.received), time.monotonic() + 5
        while len(self.received) == before and time.monotonic() < end:
            await asyncio.sleep(0.02)

    async def unacked(self):
        await self.flowing()
        self.proxy.arm("withhold", "unacked")
        before = len(self.received)
        for _ in range(100):
            await asyncio.sleep(0.02)
            if self.proxy.withheld and len(self.received) > before:
                break
        else:
            self.missed("unacked", f"withheld {self.proxy.withheld}, bob got {len(self.received) - before}, "
                              f"links {len(self.proxy.links)}, {self.listener.events[-1]}")

    async def unacked_cut(self):
        await self.unacked()
        after = self.here()
        self.proxy.cut()
        self.proxy.arm("pass")
        await self.online(after)

    async def half_open_cut(self):
        """The flow is dead for a while before anybody hears of it."""
        after = self.here()
        self.proxy.half_open()
        await asyncio.sleep(1)
        self.proxy.cut()
        await self.online(after)

    async def resuming(self):
        turn = max(1, self.turns - self.dice.choice([0, 0, 0, 1, 2]))
        self.proxy.cut_at_burst(turn, self.dice.random() < 0.6, "resuming")
        after = self.here()
        self.proxy.cut()
        return after

    async def until_fired(self, window, timeout=6):
        end = time.monotonic() + timeout
        while not self.proxy.fired.is_set() and time.monotonic() < end:
            poke = asyncio.ensure_future(self.poke())
            try:
                await asyncio.wait_for(self.proxy.fired.wait(), 0.3)
            except asyncio.TimeoutError:
                pass
            poke.cancel()
        if not self.proxy.fired.is_set():
            self.proxy.forget_plan()
            self.missed(window, f"plan, links {len(self.proxy.links)}, {self.listener.events[-1]}")

    async def resuming_cut(self):
        after = await self.resuming()
        await self.until_fired("resuming")
        await self.online(max(after, 0) if not self.proxy.fired.is_set() else self.here())

    async def forgotten(self):
        """Away for longer than the server keeps the stream."""
        self.proxy.arm("refuse", "forgotten")
        self.proxy.cut()
        await asyncio.sleep(FORGET_AFTER + 1.2)
        after = self.here()
        return after

    async def failed(self):
        after = await self.forgotten()
        self.proxy.arm("pass")
        await self.online(after)

    async def after_failed_cut(self):
        await self.forgotten()
        self.proxy.cut_at_burst(self.turns + self.dice.randrange(1, 7), self.dice.random() < 0.7, "after-failed")
        self.proxy.arm("pass")
        await self.until_fired("after-failed")
        await self.online(self.here() if self.proxy.fired.is_set() else 0)

    async def restart(self):
        """The server goes down in good order and comes back; it knows no stream any more.

        ejabberd, when it stops, loses messages that it has acknowledged and put into their sender's archive and not yet
        given to the receiver: no client can mend that, so it is left a moment of quiet before.
        """
        if self.kind == "ejabberd":
            self.flow.clear()
            await self.delivered()
        self.bob_is_up.clear()
        after = self.here()
        await self.server.stop()
        self.flow.set()
        # The same ports; making the accounts again would change their salts.
        self.server.options.update(BASE_PORT=str(self.server.port), ACCOUNTS="")
        await self.server.start()
        self.bob.abort()
        self.bob = await Bob(self).up()
        self.bob_is_up.set()
        await self.online(after)

    async def delivered(self):
        """Waits until the server has all that was written; the writers pause."""
        for _ in range(100):
            if not await self.core.call("outbox"):
                break
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.3)

    async def kill_at(self, point):
        if point == "call":
            await asyncio.sleep(self.dice.random() * 0.1)
        elif point == "queued":
            self.proxy.arm("hole", "kill")
            await asyncio.sleep(0.1)
        elif point == "half":
            await self.half("client")
        elif point in ("unacked", "ack"):
            await self.unacked()
            if point == "ack":
                self.proxy.arm("pass")
                await asyncio.sleep(self.dice.random() * 0.006)
        elif point == "inbound":
            self.burst = 60
            await asyncio.sleep(self.dice.random() * 0.08)
        elif point == "resuming":
            await self.resuming()
            await self.until_fired("kill")
        elif point == "archive":
            self.burst = 150
            await self.forgotten()
            self.proxy.arm("pass")
            count = self.proxy.count
            while not any(link.number > count and link.bursts["client"] >= self.turns for link in self.proxy.links):
                await asyncio.gather(self.poke(), asyncio.sleep(0.02))
            await asyncio.sleep(self.dice.random() * 0.3)
        await self.kill()
        self.proxy.cut()
        self.proxy.arm("pass")
        await self.hold_profile()
        if point == "half":
            await self.until_read()

    def missed(self, window, why):
        """A fault did not come about."""
        if window in self.done:
            self.done[window] -= 1
        if os.environ.get("VERBOSE"):
            print(f"     {window} missed: {why}", flush=True)

    # -- The run ----------------------------------------------------------------------------------

    def plan(self):
        """What breaks, in an order by chance: all windows in proportion to the time."""
        share = self.duration / 300
        counts = {"idle": 22, "half": 24, "unacked": 22, "resuming": 24, "after-failed": 24, "failed": 12, "half-open": 4}
        steps = [name for name, count in counts.items() for _ in range(max(1, round(count * share)))]
        steps += [f"kill {KILLS[n % len(KILLS)]}" for n in range(max(2, round(24 * share)))]
        steps += ["restart"] * max(1, round(3 * share))
        self.dice.shuffle(steps)
        return steps

    ACTIONS = {"idle": "idle", "half": "half_cut", "unacked": "unacked_cut", "resuming": "resuming_cut",
               "after-failed": "after_failed_cut", "failed": "failed", "half-open": "half_open_cut", "restart": "restart"}

    async def step(self, name):
        began = time.monotonic()
        window = name.split()[0]
        # On a machine that is busy a fault may come too early or too late: then it is tried again.
        for _ in range(3):
            before = self.done[window]
            self.done[window] += 1
            if window == "kill":
                await self.kill_at(name.split()[1])
            else:
                await getattr(self, self.ACTIONS[name])()
            if self.done[window] > before:
                break
        self.resources.sample(self.listener.process.pid)
        if os.environ.get("VERBOSE"):
            print(f"     {name}: {time.monotonic() - began:.2f} s", flush=True)

    async def go(self, rate):
        writers = [asyncio.ensure_future(self.alice_writes(rate)), asyncio.ensure_future(self.bob_writes(rate))]
        steps, began = self.plan(), time.monotonic()
        try:
            for number, name in enumerate(steps):
                # Evenly over the time: the last tenth is for one process that lives on.
                due = began + self.duration * 0.9 * number / len(steps)
                await asyncio.sleep(max(0.1, due - time.monotonic()))
                for task in writers:
                    if task.done():
                        task.result()
                await self.step(name)
            while time.monotonic() < began + self.duration:
                await asyncio.sleep(0.5)
                self.resources.sample(self.listener.process.pid)
        finally:
            self.ends = True
        await asyncio.wait_for(asyncio.gather(*writers), 30)

    async def settle(self):
        """All that waits goes out; the last stream is one that continued none, and has caught up."""
        await self.failed()
        end = time.monotonic() + 180
        while (waiting := await self.core.call("outbox")) and time.monotonic() < end:
            await asyncio.sleep(0.2)
        check(not waiting, f"{len(waiting)} messages stay in the outbox, as {waiting[0]['state'] if waiting else ''}")
        # What came last is in the archive, and so are receipts.
        await asyncio.sleep(1.5)
        await self.failed()
        await asyncio.sleep(1.5)
        await self.bob.catch_up()
        self.count_streams()

    async def caught_up(self, archive, timeout=120):
        """Waits until apus has gone through alice's archive up to the last message that was written; a server on a busy
        machine may need seconds for a page. Where it stands at the end tells what came too late from what was left out.
        """
        places = {item["archive"]: number for number, item in enumerate(archive, 1)}
        goal = max((places[item["archive"]] for item in archive if item["body"].startswith("soak ")), default=0)
        database = self.alice.folder / "data" / "apus" / "default" / "chat.db"
        began = time.monotonic()
        while True:
            with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=10)) as profile:
                row = profile.execute("SELECT last_id FROM anchor WHERE archive_jid = 'alice@localhost'").fetchone()
            # What is not known came after the archive was read.
            place = places.get(row[0], len(archive)) if row and row[0] else 0
            if (took := time.monotonic() - began) > timeout or place >= goal:
                break
            await asyncio.sleep(0.5)
        print(f"     apus has gone through {place} of {goal} messages of its archive after {took:.0f} s", flush=True)
        return archive[:place]

    async def end(self):
        await self.leave()
        if hasattr(self, "server"):
            await self.server.stop()


async def run(kind, duration, seed, folder, suite):
    soak = Soak(kind, duration, seed, folder)
    share = duration / 300
    try:
        await soak.start()
        print(f"server {kind} {soak.server.version}, {duration} s, seed {seed}", flush=True)
        async with suite.case(f"{duration} s of faults"):
            while not soak.turns:
                await soak.idle()
            await soak.go(rate=11)
            await soak.settle()
        if suite.failed or os.environ.get("VERBOSE"):
            soak.count_streams()
            for reason, count in soak.reasons.most_common():
                print(f"     {count} times: {reason}", flush=True)
        if suite.failed:
            print(soak.alice.errors()[-2000:], flush=True)
            return
        reader = Peer("alice@localhost/oracle", "secret", "127.0.0.1", soak.server.port, soak.server.authority)
        await reader.login()
        archives = {"alice's archive": await reader.archive("bob@localhost", page=soak.page),
                    "bob's archive": await soak.bob.archive("alice@localhost", page=soak.page)}
        reader.abort()
        passed = await soak.caught_up(archives["alice's archive"])
        history = await soak.alice.history("bob@localhost", timeout=120, limit=1_000_000)
        await soak.listener.end()
        soak.core.close()
        (folder / "archives.json").write_text(json.dumps(archives, indent=1))
        (folder / "history.json").write_text(json.dumps(history, indent=1))
        oracle = Oracle(soak.run_id, soak.from_alice, soak.from_bob)
        print("     " + ", ".join(f"{name} {count}" for name, count in sorted(soak.done.items())), flush=True)
        print(f"     failed resumptions {soak.fresh}, messages {len(soak.from_alice)} + {len(soak.from_bob)}, "
              f"turns of a resumption {soak.turns}", flush=True)
        for name, items in archives.items():
            async with suite.case(f"{name} has each message once and in order"):
                oracle.archive(items)
        async with suite.case("apus has left nothing out that it has gone through"):
            oracle.passed(history, passed)
        async with suite.case("alice's history has each message once and in order, none doubtful"):
            oracle.history(history, archives["alice's archive"])
        async with suite.case("bob got each message once"):
            oracle.received(soak.received)
        async with suite.case("memory and descriptors stay flat"):
            print(f"     {soak.resources.text()}", flush=True)
            soak.resources.verify()
        async with suite.case("every window was hit often enough"):
            needed = {"idle": 20, "half": 20, "unacked": 20, "resuming": 20, "after-failed": 20, "kill": 20}
            missed = {name: soak.done[name] for name, count in needed.items() if soak.done[name] < int(count * share)}
            check(not missed, f"too few: {missed}")
            check(soak.fresh >= int(30 * share), f"only {soak.fresh} failed resumptions")
            total = len(soak.from_alice) + len(soak.from_bob)
            check(total >= int(5000 * share), f"only {total} messages")
    finally:
        await soak.end()


async def body():
    logging.disable(logging.CRITICAL)  # slixmpp tells of each connection that ends
    kind = sys.argv[1]
    duration = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    seed = int(sys.argv[3]) if len(sys.argv) > 3 and sys.argv[3] else random.SystemRandom().randrange(1 << 31)
    suite = Suite(f"soak on {kind}")
    with scratch() as folder:
        try:
            await run(kind, duration, seed, folder, suite)
        except PeerError as error:
            raise Failure(f"the other side: {error} (seed {seed})") from None
    print(f"     seed {seed}", flush=True)
    suite.finish()


if __name__ == "__main__":
    main(body)
