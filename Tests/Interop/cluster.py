# SPDX-License-Identifier: Apache-2.0
"""A node of a cluster dies while messages flow: cluster.py srv|proxy [SECONDS=12]

Two ejabberd nodes serve the same accounts. alice (apus) is on the first, bob (slixmpp) on the second. The first is killed
with SIGKILL under load; apus goes to the second, where nobody knows its stream, and asks the archive what it missed and
what of its own the server has. Then the first comes back and the second is killed, so that both clients move.

Nothing may be lost by a client: whatever was written is in its sender's archive once, in order. A node puts a message into
that archive, acknowledges it, and hands it to the receiver's node; one that dies between the two loses it for the receiver,
and no client can know (docs/design/0001-what-servers-lose.md). Such a message is counted apart, and the archive's own stamp has to prove
it: the dead node took it before it died, and not long before. What was taken later, or by another node, is a failure.
A message that the node was just writing into the archive may show there only when the node is back, behind what apus has gone
through: so the archive is looked at when apus is there again.

`srv` finds the nodes as any client would, by SRV records (a DNS server and /etc/resolv.conf of our own: Scripts/cluster-test
makes a network namespace for that); `proxy` has one address for both nodes, as behind a load balancer.
"""

import asyncio
import os
import random
import shlex
import signal
import sys
import time

from harness import ROOT, Failure, main, scratch
from oracle import Oracle
from peer import Peer
from proxy import Proxy
from suite import Suite, check
from traffic import Bob, Traffic

DOMAIN = "chat.example"
IN_FLIGHT = 2  # seconds that a message may be under way between two nodes on a busy machine


class Node:
    """One server of the cluster, as Scripts/server left it."""

    def __init__(self, folder):
        self.folder, self.kind = folder, "ejabberd"

    @property
    def values(self):
        lines = (self.folder / "server.env").read_text().splitlines()
        return {name: (shlex.split(value) or [""])[0] for name, _, value in (line.partition("=") for line in lines)}

    @property
    def port(self):
        return int(self.values["C2S_PORT"])

    @property
    def authority(self):
        return self.values["CA_FILE"]

    @property
    def version(self):
        return self.values["VERSION"]

    def kill(self):
        os.kill(int((self.folder / "server.pid").read_text()), signal.SIGKILL)


class Reader(Peer):
    """Looks into alice's archive and is no place where anybody writes to: it says no presence."""

    def __init__(self, server):
        super().__init__(f"alice@{DOMAIN}/oracle", "secret", "127.0.0.1", server.port, server.authority)

    async def _on_start(self, _):
        if not self.online.done():
            self.online.set_result(True)

    async def look(self):
        await self.login()
        try:
            return await self.archive(f"bob@{DOMAIN}", page=1000)
        finally:
            self.abort()


class Cluster(Traffic):
    domain = DOMAIN

    async def cluster(self, verb):
        process = await asyncio.create_subprocess_exec(
            str(ROOT / "Scripts" / "cluster"), verb, str(self.folder / "cluster"),
            env={**os.environ, "DOMAIN": DOMAIN, "ACCOUNTS": "alice:secret bob:secret", "OWNER": str(os.getpid())},
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        output, errors = await process.communicate()
        if process.returncode:
            raise Failure(f"cluster {verb}: {errors.decode().strip() or output.decode().strip()}")

    async def serve_names(self):
        """SRV records of both nodes, the first preferred, from a DNS server on port 53 of this namespace."""
        records = [f"--srv-host=_xmpp-client._tcp.{DOMAIN},node{n}.{DOMAIN},{node.port},{n * 10},5"
                   for n, node in enumerate(self.nodes, 1)]
        records += [f"--address=/node{n}.{DOMAIN}/127.0.0.1" for n in (1, 2)]
        self.names = await asyncio.create_subprocess_exec(
            "dnsmasq", "--keep-in-foreground", "--port=53", "--listen-address=127.0.0.1", "--bind-interfaces",
            "--no-resolv", "--no-hosts", "--conf-file=/dev/null", "--pid-file=", "--user=root", "--group=root",
            f"--local=/{DOMAIN}/", *records, stdin=asyncio.subprocess.DEVNULL)
        await asyncio.sleep(0.3)
        check(self.names.returncode is None, "dnsmasq does not run")

    async def start_cluster(self, way):
        from harness import Profile
        self.way, self.proxy, self.names, self.kills, self.seen = way, None, None, [], []
        await self.cluster("start")
        self.nodes = [Node(self.folder / "cluster" / f"node{n}") for n in (1, 2)]
        self.server = self.nodes[1]
        self.alice = Profile("alice", self.folder / "alice")
        place = []
        if way == "srv":
            await self.serve_names()
        else:
            self.proxy = await Proxy(self.nodes[0].port, self.folder / "proxy.log").start()
            place = ["--host", "127.0.0.1", "--port", str(self.proxy.port)]
        secret = self.folder / "password"
        secret.touch(mode=0o600)
        secret.write_text("secret")
        await self.alice.run("account", "add", f"alice@{DOMAIN}", "--password-file", str(secret), "--ca",
                             self.server.authority, *place)
        self.bob = await Bob(self).up()
        self.bob_is_up.set()
        await self.hold_profile()

    async def lose(self, dying, living):
        """Kills a node; gives the time until apus is online at the other."""
        after, began = self.here(), time.monotonic()
        if self.server is dying:
            self.bob_is_up.clear()
        dying.kill()
        self.kills.append(time.time())
        if self.proxy:
            self.proxy.target = living.port
        resumed = await self.online(after)
        span = time.monotonic() - began
        check(not resumed, "a stream of the dead node was resumed")
        self.seen.append((self.kills[-1], await Reader(living).look()))
        if self.server is dying:
            self.server = living
            self.bob.abort()
            self.bob = await Bob(self).up()
            self.bob_is_up.set()
        return span

    async def go_on(self, seconds):
        await asyncio.sleep(seconds)

    async def settle(self):
        for _ in range(300):
            if not await self.core.call("outbox"):
                break
            await asyncio.sleep(0.1)
        else:
            raise Failure("messages stay in the outbox")
        await asyncio.sleep(1.5)
        # One more fresh stream brings what is only in the archive.
        await self.kill()
        await self.hold_profile()
        await asyncio.sleep(2)
        await self.bob.catch_up()
        await asyncio.sleep(0.5)

    async def end(self):
        await self.leave()
        if getattr(self, "names", None) and self.names.returncode is None:
            self.names.terminate()
            await self.names.wait()
        await self.cluster("stop")


async def run(way, duration, folder, suite):
    seed = random.SystemRandom().randrange(1 << 31)
    soak = Cluster("ejabberd", duration, seed, folder)
    try:
        await soak.start_cluster(way)
        print(f"server ejabberd {soak.server.version}, two nodes, found by {way}", flush=True)
        first, second = soak.nodes
        writers = [asyncio.ensure_future(soak.alice_writes(25)), asyncio.ensure_future(soak.bob_writes(25))]
        async with suite.case("the node of apus dies under load: apus goes to the other"):
            await soak.go_on(duration / 4)
            span = await soak.lose(first, second)
            print(f"     online again after {span:.2f} s", flush=True)
            await soak.go_on(duration / 4)
        async with suite.case("the node comes back, the other dies: both clients move"):
            # As much is written on a slow machine as on a fast one.
            soak.flow.clear()
            await soak.cluster("start")
            soak.flow.set()
            await soak.go_on(duration / 4)
            span = await soak.lose(second, first)
            print(f"     online again after {span:.2f} s", flush=True)
            await soak.go_on(duration / 4)
        soak.ends = True
        async with suite.case("both sides have written all"):
            done, waiting = await asyncio.wait(writers, timeout=20)
            check(not waiting, "a writer is stuck")
            for task in done:
                task.result()
        if suite.failed:
            for task in writers:
                task.cancel()
            return
        async with suite.case("everything comes to rest"):
            await soak.settle()
        history = await soak.alice.history(f"bob@{DOMAIN}", timeout=60, limit=100_000)
        await soak.listener.end()
        archives = {"alice's archive": await Reader(soak.server).look(),
                    "bob's archive": await soak.bob.archive(f"alice@{DOMAIN}")}
        oracle = Oracle(soak.run_id, soak.from_alice, soak.from_bob)
        print(f"     messages {len(soak.from_alice)} + {len(soak.from_bob)}", flush=True)
        excused = oracle.excuse(archives["alice's archive"], archives["bob's archive"])
        async with suite.case("nothing was lost by a client: all of it is in its sender's archive, once"):
            oracle.taken(archives["alice's archive"], archives["bob's archive"])
        async with suite.case("a dying node takes at most what it was just handing over"):
            spans = {name: min((kill - stamp for kill in soak.kills), key=abs) for name, stamp in excused.items()}
            print(f"     lost by a client: 0; lost by a node after it had taken them: {len(excused)}" + "".join(
                f"\n       {name}, taken {span * 1000:.0f} ms before the node died" for name, span in spans.items()),
                flush=True)
            early = {name: span for name, span in spans.items() if not 0 <= span < IN_FLIGHT}
            check(not early, f"lost without a dying node: {early}")
        for name, items in archives.items():
            async with suite.case(f"{name} has each message once and in order"):
                oracle.archive(items)
        late = oracle.late(archives["alice's archive"], soak.seen)
        print(f"     written by a dying node, and in the archive only when it was back: {len(late)} {late[:5]}", flush=True)
        async with suite.case("alice's history has each message once and in order"):
            oracle.history(history, archives["alice's archive"])
        async with suite.case("bob got each message once"):
            oracle.received(soak.received)
    finally:
        await soak.end()


async def body():
    import logging
    logging.disable(logging.CRITICAL)
    way = sys.argv[1] if len(sys.argv) > 1 else "proxy"
    duration = float(sys.argv[2]) if len(sys.argv) > 2 else 12
    suite = Suite(f"cluster by {way}")
    with scratch() as folder:
        await run(way, duration, folder, suite)
    suite.finish()


if __name__ == "__main__":
    main(body)
