#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast an account that was away takes over what its archive has: catchup.py prosody|ejabberd [N=100000]

The archive is filled first, which is not counted. Then `apus listen` comes back, and the time until the last message is in
its database is shared out: the processor time of apus, that of the server, and what neither of them used.
"""

import asyncio
import os
import pathlib
import sqlite3
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Tests" / "Interop"))

from harness import Failure, Listener, Profile, Server, main, poll, scratch  # noqa: E402
from peer import Peer  # noqa: E402

BATCH = 500
TICK = os.sysconf("SC_CLK_TCK")


def processor_seconds(process):
    """User and system time of a process and of its children that still run."""
    total, wanted = 0, [process]
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(entry.name) in wanted or int(fields[1]) in wanted:
                total += int(fields[11]) + int(fields[12])
    return total / TICK


async def fill(bob, count):
    """Send messages as fast as the server takes them; each batch ends with a ping."""
    start = time.monotonic()
    for first in range(0, count, BATCH):
        stanzas = [
            f"<message to='alice@localhost' type='chat' id='missed-message-number-{n:08}'>"
            f"<body>message {n} of many, and a few words more of the usual length</body></message>"
            for n in range(first, min(first + BATCH, count))
        ]
        bob.send_raw("".join(stanzas))
        await bob.plugin["xep_0199"].ping("localhost", timeout=60)
    print(f"     filled: {count} messages in {time.monotonic() - start:.0f} s", flush=True)


async def run(kind, count, folder):
    server = await Server(kind, folder / "server", ACCOUNTS="alice:secret bob:secret", ARCHIVE_IN="sqlite",
                          ARCHIVE_PAGE="1000").start()
    print(f"server {kind} {server.version}", flush=True)
    alice = Profile("alice", folder / "alice")
    bob = Peer("bob@localhost/slixmpp", "secret", "127.0.0.1", server.port, server.authority)
    await bob.login()
    try:
        await alice.account("add", "alice@localhost", "secret", server)
        bob.send_message("alice@localhost", "the first one", mtype="chat")
        listener = await Listener(alice).start()
        await listener.message("the first one")
        await asyncio.sleep(1)
        await listener.end()
        await fill(bob, count)
        await asyncio.sleep(3)
        # Prosody keeps all of it for her return as well, and does nothing else for minutes while it hands that over.
        for kept in (server.folder / "data").glob("*/offline/alice.*"):
            kept.unlink()
        [path] = alice.folder.glob("data/**/chat.db")

        def here():
            with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
                return database.execute("SELECT count(*) FROM message WHERE is_archived = 1").fetchone()[0]

        before = here()
        server_process = int((server.folder / "server.pid").read_text())
        server_before = processor_seconds(server_process)
        start = time.monotonic()
        # Nobody looks meanwhile: what a face prints is no part of it.
        listener = await Listener(alice).start("--quiet", online=True)

        async def number():
            return here()
        await poll(number, lambda n: n >= before + count, "all messages", timeout=600, pause=0.2)
        seconds = time.monotonic() - start
        own = processor_seconds(listener.process.pid)
        theirs = processor_seconds(server_process) - server_before
        await listener.end()
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
            distinct, total = database.execute(
                "SELECT count(DISTINCT archive_id), count(*) FROM message WHERE archive_id IS NOT NULL").fetchone()
        if distinct != total or total < count:
            raise Failure(f"{total} messages with {distinct} ids of the archive")
        print(f"{kind} {server.version}: {count} messages in {seconds:.1f} s, {count / seconds:.0f} messages/s; "
              f"processor time of the server {theirs:.1f} s ({theirs / seconds:.0%}), of apus {own:.1f} s "
              f"({own / seconds:.0%}, {own / count * 1e6:.0f} µs a message)", flush=True)
    finally:
        await alice.end()
        await bob.logout()
        await server.stop()


async def body():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    with scratch() as folder:
        await run(sys.argv[1], count, folder)


if __name__ == "__main__":
    main(body)
