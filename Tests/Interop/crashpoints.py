# SPDX-License-Identifier: Apache-2.0
"""Every point at which a message changes hands, met by a kill -9, a failing disk and a full disk: crashpoints.py [POINT...]

For each pair a new account of alice talks with bob over Prosody. `fault.c`, preloaded into the process that holds her
profile, waits for the point. Then it ends the process, or lets every write into the profile fail until the disk is
"repaired" three seconds later, from which the process has to recover without being started again. Afterwards:

  - what alice saw as queued is accepted by the server, or shown as failed
  - bob has each message once, and so has his archive
  - each entry of alice's archive stands in her profile once, and the anchor is behind all that are there
  - the count of handled stanzas is none that the server refuses, and the database is whole
"""

import asyncio
import collections
import contextlib
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import time
import uuid

from harness import ROOT, Failure, Listener, Profile, Server, main, poll, scratch
from peer import Peer
from proxy import Proxy
from suite import check

FAULTS = {"kill": "kill -9", "io": "I/O error", "full": "full disk"}
BROKEN_FOR = 3  # seconds that a disk fails
AT_REST = ("acknowledged", "delivered", "displayed", "failed")

# Point: (what it is, what happens, the steps of fault.c). TEXT is the message's own text. Of an archive's pages the last one
# waits for the disk; those before are in the log, where a process that dies leaves them and a loss of power may take them.
POINTS = {
    "C1": ("before the outbox is durable", "send", ["disk"]),
    "C2": ("durable, before it is written", "send", ["out TEXT"]),
    "C3": ("in the middle of writing", "send", ["out TEXT", "wire"]),
    "C4": ("written, before the acknowledgement", "send", ["out TEXT", "wired"]),
    "C5": ("acknowledgement read, not durable", "send", ["out TEXT", "in <a ", "disk"]),
    "C6": ("acknowledgement durable", "send", ["out TEXT", "in <a ", "synced"]),
    "C7": ("received, not durable", "receive", ["in TEXT", "disk"]),
    "C8": ("durable, before it is acknowledged", "receive", ["in TEXT", "synced", "out <a "]),
    "C9": ("while the stream is resumed", "resume", ["out <resume ", "wired"]),
    "C10": ("between pages of the archive", "catch up", ["in <fin", "synced", "in <result", "disk"]),
    "C11": ("a page taken over, before the next is asked for", "catch up", ["in <fin", "synced", "out urn:xmpp:mam:2"]),
    "C12": ("between the upload and its message", "upload", ["in HTTP/1.1 201", "disk"]),
    "C14": ("while the schema changes", "migrate", ["disk"]),
}


class PreloadedProfile(Profile):
    """A profile whose holder has fault.c loaded."""

    def __init__(self, name, folder, library):
        super().__init__(name, folder)
        self.control = self.folder / "fault"
        self.library = library

    async def spawn(self, *arguments, **options):
        plain = self.environment
        self.environment = {**plain, "LD_PRELOAD": str(self.library), "APUS_FAULT_CONTROL": str(self.control)}
        try:
            return await super().spawn(*arguments, **options)
        finally:
            self.environment = plain

    def arm(self, action, steps):
        part = self.control.with_suffix(".part")
        part.write_text("\n".join([action, *steps]) + "\n")
        part.rename(self.control)

    @property
    def fired(self):
        return pathlib.Path(f"{self.control}.fired")

    def repair(self):
        self.control.unlink(missing_ok=True)

    def rows(self, query):
        """What stands in the profile's database."""
        [path] = self.folder.glob("data/**/chat.db")
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            return database.execute(query).fetchall()


async def until(condition, timeout, pause=0.02):
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        if condition():
            return True
        await asyncio.sleep(pause)
    return condition()


def old_database(path):
    """The database as the first version made it, with the account, a conversation and a waiting message in it."""
    with contextlib.closing(sqlite3.connect(path)) as new:
        account = new.execute(
            "SELECT id, jid, is_enabled, settings, subscription_policy, security, created FROM account").fetchone()
    source = (ROOT / "Sources/ChatKit/Store/Schema.swift").read_text()
    parts = dict(re.findall(r'static let (\w+) = """\n(.*?)\n +"""', source, re.S))
    for suffix in ("", "-wal", "-shm"):
        pathlib.Path(f"{path}{suffix}").unlink(missing_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with contextlib.closing(sqlite3.connect(path)) as old:
        old.executescript(parts["accounts"] + parts["messages"] + parts["stream"])
        old.execute("INSERT INTO account (id, jid, is_enabled, settings, subscription_policy, security, created)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?)", account)
        old.execute("INSERT INTO conversation (id, account, peer, last_sort, unread) VALUES (1, ?, 'bob@localhost', 3000, 0)",
                    (account[0],))
        for number in range(1, 3001):
            old.execute(
                "INSERT INTO message (account, conversation, direction, state, remote_id, sender, body, sent, received, sort)"
                " VALUES (?, 1, 0, 10, ?, 'bob@localhost/x', ?, ?, ?, ?)",
                (account[0], f"old-{number}", f"old message {number}", number, number, number))
        old.execute("UPDATE conversation SET last_message = (SELECT max(id) FROM message)")
        old.execute("PRAGMA user_version=1")
        old.execute("PRAGMA journal_mode=WAL")
        old.commit()


class Cell:
    """One point with one fault."""

    def __init__(self, point, fault, server, folder, library, bob):
        self.point, self.fault, self.server, self.bob = point, fault, server, bob
        self.name = f"{point.lower()}-{fault}-{uuid.uuid4().hex[:6]}"
        self.folder = folder / self.name
        self.folder.mkdir()
        self.alice = PreloadedProfile(self.name, self.folder / "alice", library)
        self.jid = f"{self.name}@localhost"
        self.sent, self.received = [], []
        self.listener = self.proxy = None

    @property
    def text(self):
        return f"point-{self.name}"

    async def prepare(self):
        await self.server.register(self.name, "secret")
        self.proxy = await Proxy(self.server.port, self.folder / "proxy.log").start()
        await self.alice.account("add", self.jid, "secret", self.server, self.proxy.port)
        if POINTS[self.point][1] == "upload":
            # Files go to no host on this machine unless its owner says so.
            await self.alice.run("account", "media", self.jid, "--host", "127.0.0.1", "--host", "localhost")
        self.listener = await Listener(self.alice).start()
        # Each has written to the other, so that the archive has an anchor and receipts may go out.
        await self.send("first words")
        await self.write("first answer")
        await self.listener.message(self.received[-1])

    async def send(self, words, timeout=15):
        """Queue a message of alice; it counts from the moment on that the program says so."""
        text = f"{words} {self.name}" if words != self.text else words
        await self.alice.run("send", "bob@localhost", text, "--wait", "queued", "--id", text, timeout=timeout)
        self.sent.append(text)

    async def write(self, words):
        text = f"{words} {self.name}" if words != self.text else words
        self.received.append(text)
        self.bob.send_message(self.jid, text, mtype="chat")

    def arm(self):
        steps = [step.replace("TEXT", self.text) for step in POINTS[self.point][2]]
        self.alice.arm(self.fault, steps)

    # -- What happens at the point ---------------------------------------------------------------

    async def provoke(self):
        kind = POINTS[self.point][1]
        if kind == "send":
            self.arm()
            with contextlib.suppress(Failure):
                await self.send(self.text, timeout=8)
            if self.point in ("C5", "C6"):
                # The server is asked for its count with the next stanzas at the latest.
                with contextlib.suppress(Failure):
                    if not self.alice.fired.exists():
                        await self.send("and more", timeout=8)
        elif kind == "receive":
            self.arm()
            await self.write(self.text)
            if self.point == "C8":
                await asyncio.sleep(0.5)
                await self.write("and more")
        elif kind == "resume":
            await self.write(self.text)
            self.arm()
            self.proxy.cut()
        elif kind == "catch up":
            await self.listener.end()
            for number in range(250):
                await self.write(f"missed {number:03}")
            await asyncio.sleep(1)
            self.arm()
            self.listener = await Listener(self.alice).start(online=False)
        elif kind == "upload":
            self.arm()
            with contextlib.suppress(Failure):
                await self.upload()
        elif kind == "migrate":
            await self.listener.end()
            [path] = self.alice.folder.glob("data/**/chat.db")
            old_database(str(path))
            # What came before is not in the old database; to it this device is new.
            self.sent, self.received = [], []
            self.arm()
            self.listener = await Listener(self.alice).start(online=False)

    async def upload(self, state="queued", timeout=10):
        """Send a file, again under the same name when it was begun before."""
        file = self.folder / f"{self.name}.txt"
        file.write_text("written before the point\n")
        await self.alice.run("upload", str(file), "bob@localhost", "--wait", state, "--id", self.text, timeout=timeout)

    async def strike(self):
        """Let the fault happen and end."""
        await self.provoke()
        check(await until(self.alice.fired.exists, 15), "the point was not reached")
        if self.fault == "kill":
            await asyncio.wait_for(self.listener.process.wait(), 5)
            await self.listener.end()
            self.alice.repair()
            self.listener = await Listener(self.alice).start()
            return
        await asyncio.sleep(BROKEN_FOR)
        is_running = self.listener.process.returncode is None
        self.alice.repair()
        if self.point == "C14" and not is_running:
            # A profile that cannot be opened ends the program with the reason.
            await self.listener.end()
            self.listener = await Listener(self.alice).start()
            return
        check(is_running, f"the process has ended: {self.alice.errors()[-300:]}")

    # -- Afterwards --------------------------------------------------------------------------------

    async def recover(self):
        if POINTS[self.point][1] == "send" and self.text not in self.sent:
            await self.send(self.text)  # the same name: nothing is sent twice
        if POINTS[self.point][1] == "upload":
            await self.upload("acknowledged", 60)
        await self.send("afterwards", timeout=30)
        await self.write("and back")
        await self.listener.message(self.received[-1], timeout=30)

        async def states():
            return {m["body"]: m["state"] for m in await self.alice.history("bob@localhost")}
        await poll(states, lambda found: all(found.get(text) in AT_REST for text in self.sent),
                   "rest of the outbox", timeout=45, pause=0.5)
        await self.listener.end()
        # Whoever comes back goes through what the archive has.
        self.listener = await Listener(self.alice).start()
        await asyncio.sleep(1)
        await until(self.is_through, 20)
        await self.listener.end()

    def is_through(self):
        """Whether all that was written has its name in the archive, or is known to be missing."""
        named = {body for body, in self.alice.rows("SELECT body FROM message WHERE archive_id IS NOT NULL")}
        return named >= {*self.sent, *self.received} or self.gaps()

    def gaps(self):
        return self.alice.rows("SELECT after_id, before_id FROM gap WHERE reason != 'new-device'")

    async def verify(self):
        seen = collections.Counter(e["body"] for e in self.bob.events if e["event"] == "message")
        wrong = {text: seen[text] for text in self.sent if seen[text] != 1}
        check(not wrong, f"bob got: {wrong}")
        mine = Peer(f"{self.jid}/check", "secret", "127.0.0.1", self.server.port, self.server.authority)
        await mine.login()
        try:
            archive = [entry for entry in await mine.archive() if entry["body"]]
            theirs = collections.Counter(m["body"] for m in await self.bob.archive(self.jid))
        finally:
            await mine.logout()
        wrong = {text: theirs[text] for text in self.sent if theirs[text] != 1}
        check(not wrong, f"bob's archive has: {wrong}")

        if POINTS[self.point][1] == "upload":
            file = f"{self.name}.txt"
            got = [sum(number for text, number in counts.items() if file in text) for counts in (seen, theirs)]
            check(got == [1, 1], f"bob got the file {got[0]} times, his archive has it {got[1]} times")

        here = collections.Counter(body for body, in self.alice.rows("SELECT body FROM message"))
        wrong = {text: here[text] for text in self.sent + self.received if here[text] != 1}
        check(not wrong, f"the profile has: {wrong}")
        ids = collections.Counter(name for name, in self.alice.rows(
            "SELECT archive_id FROM message WHERE archive_id IS NOT NULL"))
        if not self.gaps():
            known = {*self.sent, *self.received}
            wrong = [e["body"] for e in archive if e["body"] in known and ids[e["archive"]] != 1]
            check(not wrong, f"not here by the archive's id: {wrong[:3]} of {len(archive)}")
        [(anchor,)] = self.alice.rows("SELECT last_id FROM anchor")
        order = [entry["archive"] for entry in archive]
        if anchor in order:
            known = {e["archive"] for e in archive if e["body"] in {*self.sent, *self.received}}
            missing = [name for name in order[:order.index(anchor) + 1] if name in known and ids[name] != 1]
            check(not missing, f"the anchor is behind {len(missing)} that are not here")
        check(self.alice.rows("PRAGMA integrity_check") == [("ok",)], "the database is damaged")
        check(self.alice.rows("PRAGMA foreign_key_check") == [], "a reference leads nowhere")
        refused = [e for e in self.listener.events if "handled-count-too-high" in json.dumps(e)]
        check(not refused, "the server refused the count of handled stanzas")
        if self.point == "C14":
            check(here["old message 1"] == 1 and here["old message 3000"] == 1, "old messages are gone")
            [(version,)] = self.alice.rows("PRAGMA user_version")
            check(version > 1, f"the schema has version {version}")

    async def run(self):
        try:
            await self.prepare()
            await self.strike()
            await self.recover()
            await self.verify()
        finally:
            self.alice.repair()
            await self.alice.end()
            if self.proxy:
                await self.proxy.stop()


def build(folder):
    library = folder / "fault.so"
    source = pathlib.Path(__file__).with_name("fault.c")
    subprocess.run(["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


def has_upload():
    """Whether the program can send files."""
    import harness
    return subprocess.run([harness.program(), "upload", "--help"], capture_output=True).returncode == 0


async def body():
    wanted = [name for name in sys.argv[1:] if name in POINTS] or list(POINTS)
    faults = [name for name in sys.argv[1:] if name in FAULTS] or list(FAULTS)
    table, failed = [], 0
    with scratch() as folder:
        library = build(folder)
        server = await Server("prosody", folder / "server", ACCOUNTS="bob:secret").start()
        bob = Peer("bob@localhost/slixmpp", "secret", "127.0.0.1", server.port, server.authority)
        await bob.login()
        try:
            for point in wanted:
                cells = []
                for fault in faults:
                    if point == "C12" and not has_upload():
                        cells.append("no upload")
                        continue
                    start = time.monotonic()
                    try:
                        await Cell(point, fault, server, folder, library, bob).run()
                        cells.append("holds")
                    except (Failure, AssertionError, OSError, asyncio.TimeoutError, sqlite3.Error) as error:
                        failed += 1
                        cells.append("FAILS")
                        text = str(error) or type(error).__name__
                        print(f"FAIL {point} with {FAULTS[fault]}: {text[:500]}", flush=True)
                    else:
                        print(f"ok   {point} with {FAULTS[fault]} ({time.monotonic() - start:.1f} s)", flush=True)
                table.append((point, POINTS[point][0], cells))
        finally:
            await bob.logout()
            await server.stop()
    print(f"\n| point | what | {' | '.join(FAULTS[fault] for fault in faults)} |\n|---|---|{'---|' * len(faults)}")
    for point, what, cells in table:
        print(f"| {point} | {what} | {' | '.join(cells)} |")
    print(f"\n{len(table)} points, {failed} failed")
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main(body)
