# SPDX-License-Identifier: Apache-2.0
"""`apus notify` on a session bus of its own, with a stand-in for the desktop: notify.py prosody|ejabberd

The stand-in does what the Desktop Notifications Specification asks of a desktop: it records what is shown and taken away,
and clicks.
"""

import asyncio
import contextlib
import json
import pathlib
import struct
import sys
import urllib.parse
import zlib

from dbus_next.aio import MessageBus
from dbus_next.service import ServiceInterface, method, signal

import extensions
from harness import Profile, Server, main, poll, scratch
from peer import Peer
from suite import Suite, check

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"


class Desktop(ServiceInterface):
    def __init__(self):
        super().__init__(NAME)
        self.shown, self.gone, self.last = [], [], 0
        self.capabilities = ["body", "body-markup", "actions", "icon-static"]

    @method()
    def GetCapabilities(self) -> "as":
        return self.capabilities

    @method()
    def Notify(self, app: "s", replaces: "u", icon: "s", title: "s", body: "s", actions: "as", hints: "a{sv}",
               timeout: "i") -> "u":
        if not replaces:
            self.last += 1
        number = replaces or self.last
        self.shown.append({"number": number, "title": title, "body": body, "actions": actions[::2], "replaces": replaces,
                           "urgency": hints["urgency"].value,
                           "picture": hints["image-path"].value if "image-path" in hints else None,
                           "others": sorted({"image-data", "image_data", "icon_data"} & hints.keys()) + [icon] * bool(icon)})
        return number

    @method()
    def CloseNotification(self, number: "u"):
        self.gone.append(number)

    @signal()
    def ActionInvoked(self, number: "u", action: "s") -> "us":
        return [number, action]

    async def showing(self, count):
        async def found():
            return self.shown
        return (await poll(found, lambda shown: len(shown) >= count, f"notification {count}"))[count - 1]

    async def without(self, number):
        async def found():
            return self.gone
        await poll(found, lambda gone: number in gone, "the withdrawal")


@contextlib.asynccontextmanager
async def session_bus():
    """A bus of one's own, with its address; ends with the test."""
    daemon = await asyncio.create_subprocess_exec(
        "dbus-daemon", "--session", "--nofork", "--print-address", stdout=asyncio.subprocess.PIPE,
        stdin=asyncio.subprocess.DEVNULL)
    try:
        yield daemon, (await asyncio.wait_for(daemon.stdout.readline(), 10)).decode().strip()
    finally:
        if daemon.returncode is None:
            daemon.terminate()
            await daemon.wait()


async def talk(suite, alice, bob, desktop, clicked):
    async with suite.case("a message is shown as text, whatever it holds; the next one takes its place"):
        bob.send_message("alice@localhost", "<b>one</b> & two", mtype="chat")
        first = await desktop.showing(1)
        check(first["body"] == "&lt;b&gt;one&lt;/b&gt; &amp; two" and first["replaces"] == 0, f"{first}")
        check(first["title"] == "bob@localhost" and first["actions"] == ["default", "read"], f"{first}")
        bob.send_message("alice@localhost", "three", mtype="chat")
        second = await desktop.showing(2)
        check(second["replaces"] == first["number"] and second["body"] == "three\n2 messages", f"{second}")
    async with suite.case("a click runs the command, which learns of whom"):
        desktop.ActionInvoked(first["number"], "default")

        async def told():
            return clicked.read_text().strip() if clicked.exists() else ""
        text = await poll(told, bool, "the command")
        check(text == "alice@localhost bob@localhost", text)
    async with suite.case("what is read elsewhere in the profile is taken away"):
        await alice.run("chat", "bob@localhost", text="")
        await desktop.without(first["number"])
    async with suite.case("one that is marked as read is taken away, and what came is read"):
        bob.send_message("alice@localhost", "four", mtype="chat")
        third = await desktop.showing(3)
        check(third["replaces"] == 0 and third["body"] == "four", f"{third}")
        desktop.ActionInvoked(third["number"], "read")
        await desktop.without(third["number"])
        [row] = (await alice.lines("conversations"))[0]["conversations"]
        check(row["unread"] == 0, f"{row['unread']} unread")
    async with suite.case("the rules say how much is shown: a name, or that something came"):
        await alice.run("notifications", "--previews", "none")
        bob.send_message("alice@localhost", "secret", mtype="chat")
        fourth = await desktop.showing(4)
        check((fourth["title"], fourth["body"]) == ("A message", ""), f"{fourth}")
        await alice.run("notifications", "--previews", "all", "--keyword", "tea")
        bob.send_message("alice@localhost", "tea?", mtype="chat")
        fifth = await desktop.showing(5)
        check(fifth["urgency"] == 2 and fifth["body"].startswith("tea?"), f"{fifth}")
    async with suite.case("nothing is shown of a conversation that is muted, and what stood there goes"):
        await alice.run("mute", "bob@localhost")
        await desktop.without(fifth["number"])
        bob.send_message("alice@localhost", "unseen", mtype="chat")
        await poll(lambda: alice.history("bob@localhost"), lambda found: found[-1]["body"] == "unseen", "the message")
        await asyncio.sleep(0.5)
        check(len(desktop.shown) == 5, f"{desktop.shown[5:]}")
    async with suite.case("somebody who asks to see one's presence is announced"):
        bob.send_presence_subscription("alice@localhost")
        sixth = await desktop.showing(6)
        check(sixth["title"] == "bob@localhost" and sixth["actions"] == ["default"], f"{sixth}")
        await alice.run("requests", "decline", "bob@localhost")
        await desktop.without(sixth["number"])


def portrait(mark):
    """A PNG of one colour with a text in it that has nothing to do with its pixels."""
    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
    rows = (b"\0" + bytes([200, 40, 90]) * 96) * 96
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 96, 96, 8, 2, 0, 0, 0))
            + chunk(b"tEXt", b"Comment\0" + mark) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


async def pictures(suite, alice, bob, desktop):
    mark = b"what-only-the-sender-wrote"
    avatars = bob.plugin["xep_0084"]
    await alice.run("contacts", "add", "bob@localhost")
    await bob.wait("subscription", {"type": "subscribe"})
    bob.send_presence(pto="alice@localhost", ptype="subscribed")
    # A server tells of pictures where it sees the presence of who wants them.
    bob.send_presence_subscription("alice@localhost")

    async def mutual():
        await alice.run("requests", "accept", "bob@localhost", accept=range(256))
        [contact] = (await alice.lines("contacts"))[0]["contacts"]
        return contact["subscription"]
    await poll(mutual, lambda found: found == "both", "both subscriptions")
    await avatars.publish_avatar(portrait(mark), timeout=10)
    await avatars.publish_avatar_metadata(
        [{"id": avatars.generate_id(portrait(mark)), "type": "image/png", "bytes": len(portrait(mark))}], timeout=10)
    await alice.run("mute", "bob@localhost", "--off")

    async def known():
        return (await alice.lines("conversations"))[0]["conversations"][0].get("picture")
    await poll(known, bool, "the picture of bob")
    before = len(desktop.shown)
    async with suite.case("the picture of the other side is a file of our own making"):
        bob.send_message("alice@localhost", "look", mtype="chat")
        shown = await desktop.showing(before + 1)
        check((shown["picture"] or "").startswith("file:///") and not shown["others"], f"{shown}")
        file = pathlib.Path(urllib.parse.unquote(shown["picture"][len("file://"):]))
        content = file.read_bytes()
        check(content[:3] in (b"\xff\xd8\xff", b"\x89PN") and mark not in content, f"{content[:80]}")
        check(file.stat().st_mode & 0o777 == 0o600 and file.parent.stat().st_mode & 0o777 == 0o700, f"{file} is open")
        check([one.name for one in file.parent.iterdir()] == [file.name], f"{list(file.parent.iterdir())}")
    async with suite.case("where the rules hide a name there is no picture either"):
        await alice.run("notifications", "--previews", "none")
        bob.send_message("alice@localhost", "and now", mtype="chat")
        shown = await desktop.showing(before + 2)
        check(shown["title"] == "A message" and shown["picture"] is None and not shown["others"], f"{shown}")
        await alice.run("notifications", "--previews", "name")
        bob.send_message("alice@localhost", "and then", mtype="chat")
        shown = await desktop.showing(before + 3)
        check(shown["title"] != "A message" and shown["picture"] is not None, f"{shown}")


async def run(kind, folder, suite):
    server = await Server(kind, folder / "server", ACCOUNTS="alice:secret bob:secret").start()
    alice = Profile("alice", folder / "alice")
    alice.environment.pop("DBUS_SESSION_BUS_ADDRESS", None)
    bob = Peer("bob@localhost/slixmpp", "secret", "127.0.0.1", server.port, server.authority)
    extensions.install(bob)
    await bob.login()
    clicked = folder / "clicked"
    try:
        await alice.account("add", "alice@localhost", "secret", server)
        await alice.run("notifications", "--strangers", "on")
        async with suite.case("without a desktop it says so"):
            process = await alice.spawn("notify")
            check(await asyncio.wait_for(process.wait(), 20) != 0, "it ended well")
            check("no desktop" in alice.errors(), alice.errors())
        async with session_bus() as (daemon, address):
            bus = await MessageBus(bus_address=address).connect()
            desktop = Desktop()
            bus.export(PATH, desktop)
            await bus.request_name(NAME)
            alice.environment |= {"DBUS_SESSION_BUS_ADDRESS": address, "APUS_KEYRING": "off"}
            notify = await alice.spawn("notify", "--json", "--open", f'echo "$APUS_ACCOUNT $APUS_FROM" > {clicked}')
            lines = []

            async def read():
                while line := await notify.stdout.readline():
                    lines.append(json.loads(line))
            reader = asyncio.ensure_future(read())

            async def state():
                status = (await alice.lines("status"))[0]
                return status["accounts"][0]["connection"]["state"]
            await poll(state, lambda found: found == "online", "being online")
            await asyncio.sleep(0.3)
            await talk(suite, alice, bob, desktop, clicked)
            await pictures(suite, alice, bob, desktop)
            async with suite.case("with --json it says all that, as it happens"):
                types = {line.get("type") for line in lines}
                check({"announcement", "announcement-removed", "unread"} <= types, f"{types}")
                check(any(line.get("schema") == "apus.opened/1" for line in lines), "no click among them")
            bus.disconnect()
            async with suite.case("the end of the desktop session ends it, with a word"):
                daemon.terminate()
                check(await asyncio.wait_for(notify.wait(), 10) != 0, "it ended well")
                check("desktop session has ended" in alice.errors(), alice.errors()[-300:])
            await reader
    finally:
        await alice.end()
        await bob.logout()
        await server.stop()


async def body():
    kind = sys.argv[1] if len(sys.argv) > 1 else "prosody"
    suite = Suite(f"notify on {kind}")
    with scratch() as folder:
        await run(kind, folder, suite)
    suite.finish()


if __name__ == "__main__":
    main(body)
