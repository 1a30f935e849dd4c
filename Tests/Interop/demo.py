# SPDX-License-Identifier: Apache-2.0
"""The main job, live: two people talk over a real server. Started by Scripts/demo.

Everything printed as conversation is read back from `apus history --json` of both profiles and from
the server's archive; ids and texts belong to this run.
"""

import asyncio
import contextlib
import json
import os
import pathlib
import signal
import sys
import time
import struct
import unicodedata
import uuid
import zlib

from harness import Failure, Listener, Profile, Server, main, message, phase, poll, scratch, unwrap
from peer import Peer, PeerError
from proxy import Proxy
from room import Guest
from webcheck import Page

TICKS = {"queued": "…", "written": "·", "acknowledged": "✓", "delivered": "✓✓", "displayed": "✓✓", "failed": "✗",
         "received": ""}
ALICE, BOB, CAROL = "alice@localhost", "bob@localhost", "carol@localhost"
# What is said in the group, and by whom; a line that is no text is a picture.
GROUP = [
    ("alice", "Welcome to the garden. The first tomatoes are red."), ("carol", "Already? Mine are green as glass."),
    ("bob", "Mine were red until the snails came."), ("alice", None), ("carol", "That evening light! Where is that?"),
    ("bob", "Behind the shed, I know that fence."), ("alice", "Supper there on Saturday, seven o'clock?"),
    ("carol", "I bring bread."), ("bob", "I bring what the snails left."),
]
# What they go on with while somebody looks.
SMALL_TALK = [
    ("carol", "The rain has come at last."), ("bob", "Here too; the barrel is full."), ("carol", "Saturday stays as it is?"),
    ("bob", "Rain or not."), ("carol", "Then I bring two loaves."),
]
COLOUR = "NO_COLOR" not in os.environ and (sys.stdout.isatty() or "FORCE_COLOR" in os.environ)


def paint(text, code):
    return f"\033[{code}m{text}\033[0m" if COLOUR else text


def pause(seconds):
    """On a terminal somebody reads along."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        time.sleep(seconds)


def heading(text):
    pause(0.5)
    print(f"\n  {paint(text, '1')}", flush=True)


def pad(text, columns):
    """The text and spaces up to a column of the terminal."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return text + " " * max(0, columns - len(text) - wide)


def say(who, text, mark="✓"):
    name = paint(f"{who:<6}", {"alice": "36", "bob": "35"}.get(who, "2"))
    print(f"    {paint(mark, '31' if mark == '✗' else '32')} {name} {text}", flush=True)
    pause(0.25)


def ticked(state):
    return f"{TICKS.get(state, ''):<2} {state}"


def picture(path, width=480, height=320):
    """A PNG of an evening, drawn here."""
    rows = bytearray()
    for y in range(height):
        rows.append(0)
        sky = y / height
        for x in range(width):
            sun = max(0.0, 1 - ((x - 330) ** 2 + (y - 190) ** 2) ** 0.5 / 60)
            ground = y > 230 + 12 * ((x // 40) % 2)
            red, green, blue = (40, 70, 35) if ground else (
                min(255, int(90 + 150 * sky + 90 * sun)), min(255, int(90 + 70 * sky + 90 * sun)), int(150 - 60 * sky))
            rows += bytes((red, green, blue))

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(bytes(rows), 9)) + chunk(b"IEND", b""))
    return path


def room_of(values):
    """The address of the conversation that a command printed."""
    for value in values:
        inner = value.get("conversation", value)
        if isinstance(inner, dict):
            inner = inner.get("conversation")
        if isinstance(inner, str):
            return inner
    raise Failure(f"no room in {values}")


class Demo:
    def __init__(self, kind, folder):
        self.kind, self.folder = kind, folder
        self.run = uuid.uuid4().hex[:6]
        self.server = Server(kind, folder / "server")
        self.alice, self.bob = Profile("alice", folder / "alice"), Profile("bob", folder / "bob")
        self.literal = Profile("alice", folder / "literal")
        self.proxy = None
        self.carol = self.room = None
        self.listeners = {}
        self.sent = []

    # -- Steps ------------------------------------------------------------------------------------

    async def begin(self):
        await self.server.start()
        self.proxy = await Proxy(self.server.port, self.folder / "proxy.log").start()
        pid = (self.folder / "server" / "server.pid").read_text().strip()
        print(f"\n  {paint('Apus', '1')}: {self.kind} {self.server.version} on 127.0.0.1:{self.server.port}, "
              f"process {pid}, run {self.run}", flush=True)

    async def accounts(self):
        heading("Two people register")
        for profile, address, port in ((self.alice, ALICE, self.proxy.port), (self.bob, BOB, self.server.port)):
            await profile.account("register", address, f"secret of {profile.name} {self.run}", self.server, port)
            listener = await Listener(profile).start()
            self.listeners[profile.name] = listener
            online = await listener.wait(lambda e: phase(e) == "online", "login")
            say(profile.name, f"registered, online as {online['account']['connection'].get('bound_address') or address}")

    async def contacts(self):
        heading("They become contacts")
        mine, theirs = self.listeners["alice"], self.listeners["bob"]
        await self.alice.run("contacts", "add", BOB)
        say("alice", f"asks {BOB}")

        async def waiting():
            return [r["address"] for r in unwrap(await self.bob.lines("requests"), "requests")]
        await poll(waiting, lambda found: ALICE in found, "request of alice in bob's inbox")
        say("bob", "finds the request in his inbox")
        await self.bob.run("requests", "accept", ALICE)
        say("bob", f"accepts, and asks {ALICE} in return")

        def answered(event):
            asked = event.get("type") == "request" and event["request"]["address"] == BOB
            return asked or event.get("type") == "contact" and event["contact"]["subscription"] == "both"
        if (await mine.wait(answered, "bob's request in return"))["type"] == "request":
            await self.alice.run("requests", "accept", BOB)
            say("alice", "accepts, too")

        def sees(address):
            return lambda e: (e.get("type") == "contact" and e["contact"]["address"] == address
                              and e["contact"]["subscription"] == "both"
                              and e["contact"]["presence"]["availability"] == "online")
        for name, listener, address in (("alice", mine, BOB), ("bob", theirs, ALICE)):
            await listener.wait(sees(address), f"presence of {address}")
            say(name, f"sees {address} online")

    async def send(self, profile, to, text, wait="delivered"):
        text = f"{text} ({uuid.uuid4().hex[:6]})"
        self.sent.append(text)
        await profile.run("send", to, text, "--wait", wait, "--timeout", "20")
        return text

    async def conversation(self):
        heading("They talk")
        for profile, to, text in (
            (self.alice, BOB, "Hello Bob, is this thing on?"), (self.bob, ALICE, "It is, and each tick is a receipt ☺"),
            (self.alice, BOB, "Then let us try what usually goes wrong."),
        ):
            text = await self.send(profile, to, text)
            other = "bob" if profile is self.alice else "alice"
            await self.listeners[other].message(text, direction="incoming")
            say(profile.name, f"{text}  {TICKS['delivered']} delivered")

    async def offline(self):
        heading("Bob goes offline and gets a message later")
        await self.listeners.pop("bob").end()
        say("bob", "is offline")
        text = await self.send(self.alice, BOB, "Read this when you are back.", wait="acknowledged")
        say("alice", f"{text}  {TICKS['acknowledged']} taken by the server")
        self.listeners["bob"] = listener = await Listener(self.bob).start()
        await listener.message(text, direction="incoming")
        say("bob", "is back and has it")

        async def state():
            return {m["body"]: m["state"] for m in await self.alice.history(BOB)}.get(text)
        await poll(state, lambda s: s in ("delivered", "displayed"), "receipt for the late message")
        say("alice", f"sees the second tick  {TICKS['delivered']} delivered")

    async def cut(self):
        heading("The connection is cut and resumed")
        listener = self.listeners["alice"]
        position = len(listener.events)
        self.proxy.arm("refuse", "cut")
        self.proxy.cut()
        await listener.wait(lambda e: phase(e) in ("waiting", "connecting", "offline"), "loss of the connection",
                            after=position)
        say("alice", "is cut off", mark="✗")
        mine = await self.send(self.alice, BOB, "Typed while the line was dead.", wait="queued")
        say("alice", f"{mine}  {TICKS['queued']} queued")
        theirs = f"Sent while Alice was cut off. ({uuid.uuid4().hex[:6]})"
        self.sent.append(theirs)
        await self.bob.run("send", ALICE, theirs)
        say("bob", f"{theirs}  {TICKS['acknowledged']} taken by the server")
        self.proxy.arm("pass", "cut")
        online = await listener.wait(lambda e: phase(e) == "online", "new connection", timeout=40, after=position)
        if not online["account"]["connection"].get("resumed"):
            raise Failure(f"alice is back, but her stream was not resumed: {online}")
        say("alice", "is back: the old stream goes on where it stopped")
        await listener.message(theirs, direction="incoming")
        await self.listeners["bob"].message(mine, direction="incoming")
        say("", "both messages are through, each once")

    async def print_history(self):
        heading("What is kept")
        own, other = await self.settled_history()
        archive = await self.archive()
        source = f"alice's history, bob's history, and the archive of {self.kind}"
        print(f"    {paint(source, '2')}\n")
        theirs = {m["body"]: m for m in other}
        stored = {}
        for item in archive:
            stored.setdefault(item["body"], []).append(item)
        faults = []
        print(f"    {'time':<8}  {'from':<6} {'text':<52} {'   alice':<15}{'   bob':<15}archive id")
        for item in own:
            text, partner = item["body"], theirs.get(item["body"])
            copies = stored.get(text, [])
            if partner is None or len(copies) != 1:
                faults.append(f"{text!r}: {'not ' if partner is None else ''}in bob's history, "
                              f"{len(copies)} times in the archive")
            sender = item["sender"].partition("@")[0]
            print(f"    {item['time'][11:19]:<8}  {paint(f'{sender:<6}', '36' if sender == 'alice' else '35')} "
                  f"{pad(text, 52)} {ticked(item['state']):<15}"
                  f"{ticked(partner['state']) if partner else 'missing':<15}"
                  f"{copies[0]['archive'] if copies else 'missing'}", flush=True)
        missing = [t for t in self.sent if [m["body"] for m in own].count(t) != 1]
        if missing or faults:
            raise Failure("lost or twice: " + "; ".join(faults + missing))
        print(f"\n    {paint('✓', '32')} {len(self.sent)} messages sent, {len(own)} in alice's history, {len(other)} in bob's, "
              f"{len(archive)} in the server's archive", flush=True)

    async def settled_history(self):
        async def both():
            mine, theirs = await self.alice.history(BOB), await self.bob.history(ALICE)
            return [m for m in mine if m["body"]], [m for m in theirs if m["body"]]

        def done(pair):
            return len(pair[0]) == len(pair[1]) == len(self.sent) and all(
                m["state"] in ("delivered", "displayed") for side in pair for m in side if m["direction"] == "outgoing")
        return await poll(both, done, "second tick on every message")

    async def archive(self):
        """The archive of alice's account, read by an independent client."""
        reader = Peer(f"{ALICE}/archive", f"secret of alice {self.run}", "127.0.0.1", self.server.port,
                      self.server.authority, receipts=False)
        await reader.login()
        try:
            return [m for m in await reader.archive(BOB) if m["body"]]
        finally:
            await reader.logout()

    async def address(self):
        heading("A server addressed by its number")
        await self.literal.account("register", "alice@127.0.0.1", f"secret {self.run}", self.server)
        listener = await Listener(self.literal).start()
        online = await listener.wait(lambda e: phase(e) == "online", "login")
        say("alice", f"online as {online['account']['connection'].get('bound_address') or 'alice@127.0.0.1'}, "
            "certificate checked against the address")
        await listener.end()

    # -- In a group -------------------------------------------------------------------------------

    async def group(self):
        """A group of three with a picture; two of them are apus, the third is slixmpp."""
        heading("Three talk in a group")
        await self.server.register("carol", f"secret of carol {self.run}")
        self.carol = Guest(f"{CAROL}/slixmpp", f"secret of carol {self.run}", "127.0.0.1", self.server.port,
                           self.server.authority)
        await self.carol.login()
        made = await self.alice.lines("rooms", "create", "Garden", "--invite", BOB, "--invite", CAROL)
        self.room = room_of(made)
        say("alice", f"makes the group Garden, {self.room}, and invites bob and carol")
        await self.bob.run("rooms", "join", self.room)
        await self.carol.enter(self.room, "carol")
        say("bob", "comes in")
        say("carol", "comes in, too")
        for profile, address in ((self.alice, ALICE), (self.bob, BOB)):
            await profile.run("account", "media", address, "--host", "127.0.0.1", "--host", "localhost")
        for who, text in GROUP:
            await self.speak(who, text)
            say(who, text or "sends a picture of the garden in the evening")

        async def complete():
            return [m["body"] for m in await self.bob.history(self.room)]
        wanted = [text for _, text in GROUP if text]
        await poll(complete, lambda found: [body for body in found if body in wanted] == wanted, "the group's history with bob")
        say("", "bob's history of the group is complete, and in order")

    async def speak(self, who, text):
        if who == "carol":
            self.carol.tell(self.room, text)
        elif text:
            await (self.alice if who == "alice" else self.bob).run("send", self.room, text)
        else:
            await self.alice.run("upload", str(picture(self.folder / "evening.png")), self.room, "--caption",
                                 "This evening, behind the shed.")
        if text:
            await self.listeners["alice"].message(text)

    async def small_talk(self):
        """The others go on talking while alice looks at the page."""
        while True:
            for who, text in SMALL_TALK:
                await asyncio.sleep(20)
                await self.speak(who, f"{text} ({uuid.uuid4().hex[:4]})")

    # -- In a browser -----------------------------------------------------------------------------

    async def serve(self):
        """Alice's service for browsers, and a link that signs one in."""
        heading("Alice opens the web app")
        process = await self.alice.spawn("serve", "--port", "0")

        async def link():
            output = await self.alice.run("pair", "--json", accept=(0, 3))
            return json.loads(output)["url"] if "#pair=" in output else None
        url = await poll(link, lambda found: found or process.returncode is not None, "the service for browsers")
        if not url:
            raise Failure(f"`apus serve` ended: {self.alice.errors()[-400:]}")
        return url

    async def look(self, url):
        """What a page would do, over HTTP."""
        page = Page(url)
        files, size, title = await asyncio.to_thread(page.load)
        say("", f"the page “{title}” at http://{page.host}/: {files} files, {size / 1024:.0f} KiB")
        await asyncio.to_thread(page.pair)
        say("alice", "is signed in by the link; the same link again is refused")
        status = await asyncio.to_thread(page.api, "GET", "/status")
        mine = {account["address"]: account["connection"]["state"] for account in status["accounts"]}
        if mine.get(ALICE) != "online":
            raise Failure(f"the page sees {mine}")
        chats = (await asyncio.to_thread(page.api, "GET", "/conversations"))["conversations"]
        shown = await asyncio.to_thread(page.history, ALICE, BOB)
        lost = [text for text in self.sent if text not in [m["body"] for m in shown]]
        if lost:
            raise Failure(f"the page does not have {lost}")
        say("alice", f"sees {', '.join(c.get('name') or c['conversation'] for c in chats)}; {len(shown)} messages of bob and her")
        said = await asyncio.to_thread(page.history, ALICE, self.room)
        wanted = [text for _, text in GROUP if text]
        if [m["body"] for m in said if m["body"] in wanted] != wanted:
            raise Failure(f"the page has {[m['body'] for m in said]} of the group")
        files = [file for m in said for file in m.get("attachments", [])]
        if len(files) != 1:
            raise Failure(f"the page has {len(files)} pictures of the group")
        kind, size = await asyncio.to_thread(page.file, files[0]["message"], files[0]["index"])
        say("alice", f"sees {len(said)} messages of the group, and its picture: {kind}, {size / 1024:.0f} KiB")
        stream = page.events(status["cursor"])
        text = f"Hello from the web app. ({uuid.uuid4().hex[:6]})"
        await asyncio.to_thread(page.send, ALICE, BOB, text)
        await self.listeners["bob"].message(text, direction="incoming")
        say("alice", f"{text}  {TICKS['delivered']} bob has it")
        answer = f"And hello to the web app. ({uuid.uuid4().hex[:6]})"
        await self.bob.run("send", ALICE, answer)

        def told():
            return next(e for e in stream if e["type"] == "message" and e["message"]["body"] == answer)
        await asyncio.wait_for(asyncio.to_thread(told), 20)
        say("bob", f"{answer}  told to the page by its stream of events")

    # -- The rest ---------------------------------------------------------------------------------

    async def answer(self):
        """Bob answers whatever alice writes, until the demonstration ends."""
        listener, seen = self.listeners["bob"], len(self.listeners["bob"].events)
        answers = ["Bob here. I read you: “{}”", "“{}”, you say? Noted, delivered and archived.",
                   "Still here. Your last one was “{}”.", "Ctrl-D lets you go; until then: “{}” it is."]
        count = 0
        while True:
            event = await listener.wait(lambda e: message(e) and e["type"] == "message"
                                        and message(e)["direction"] == "incoming", "message", 86400, seen)
            seen = listener.events.index(event, seen) + 1
            await asyncio.sleep(0.6)
            await self.bob.run("send", ALICE, answers[count % len(answers)].format(message(event)["body"]))
            count += 1

    async def chat(self):
        """Leave the person at the terminal in `apus chat` with bob."""
        from harness import program
        heading("Your turn: you are alice, bob answers. Open this in a browser, or scan it; or type here.")
        print(flush=True)
        link = await asyncio.create_subprocess_exec(program(), "pair", env=self.alice.environment)
        await link.wait()
        print("    Ctrl-D ends all of it.\n", flush=True)
        environment = {**self.alice.environment, "TERM": os.environ.get("TERM", "dumb")}
        if "NO_COLOR" not in os.environ:
            environment.pop("NO_COLOR")
        others = [asyncio.ensure_future(self.answer()), asyncio.ensure_future(self.small_talk())]
        process = await asyncio.create_subprocess_exec(program(), "chat", BOB, env=environment)
        self.alice.running.append(process)
        try:
            await process.wait()
        finally:
            for other in others:
                other.cancel()
                with contextlib.suppress(asyncio.CancelledError, Failure):
                    await other

    async def watch(self):
        """Fails as soon as the server's process is gone."""
        pid = (self.folder / "server" / "server.pid").read_text().strip()
        while pathlib.Path(f"/proc/{pid}/stat").exists() and " Z " not in pathlib.Path(f"/proc/{pid}/stat").read_text():
            await asyncio.sleep(0.2)
        raise Failure(f"{self.kind} (process {pid}) ended in the middle of the demonstration")

    async def play(self):
        for step in (self.accounts, self.contacts, self.conversation, self.offline, self.cut, self.print_history,
                     self.address, self.group):
            await step()
        url = await self.serve()
        if sys.stdin.isatty() and sys.stdout.isatty():
            await self.chat()
        else:
            await self.look(url)

    async def whole(self):
        await self.begin()
        tasks = [asyncio.ensure_future(self.play()), asyncio.ensure_future(self.watch())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            # When the server is gone, that is the reason, whatever step noticed first.
            if tasks[0] in done and tasks[0].exception() and tasks[1] not in done:
                await asyncio.wait([tasks[1]], timeout=0.5)
            if tasks[1].done():
                tasks[1].result()
            tasks[0].result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def end(self):
        for profile in (self.alice, self.bob, self.literal):
            await profile.end()
        if self.carol:
            with contextlib.suppress(PeerError):
                await self.carol.logout()
        if self.proxy:
            await self.proxy.stop()
        await self.server.stop()


async def body():
    kind = sys.argv[1] if len(sys.argv) > 1 else "prosody"
    with scratch() as folder:
        demo = Demo(kind, folder)
        try:
            await demo.whole()
        except PeerError as error:
            raise Failure(str(error)) from None
        finally:
            # Whatever interrupts us a second time, what we started is stopped first.
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                asyncio.get_running_loop().add_signal_handler(number, lambda: None)
            await demo.end()
    print(f"\n  {paint('✓', '32')} everything is stopped and removed\n", flush=True)


if __name__ == "__main__":
    main(body)
