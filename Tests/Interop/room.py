# SPDX-License-Identifier: Apache-2.0
"""The room bot and slixmpp are in one room: room.py prosody|ejabberd PROGRAM"""

import asyncio
import sys
import uuid

from harness import Server, main, scratch
from peer import Peer, PeerError
from suite import Suite, check

USER = "{http://jabber.org/protocol/muc#user}"


class Guest(Peer):
    """A peer that notes what happens in rooms: events `said` and `occupant`."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.register_plugin("xep_0045")
        self.muc = self.plugin["xep_0045"]
        self.add_event_handler("groupchat_message", self._said)
        self.add_event_handler("groupchat_presence", self._occupant)

    def _said(self, message):
        stanza = message.xml.find("{urn:xmpp:sid:0}stanza-id")
        gone = [e for e in message.xml.iter() if e.tag.endswith("}moderated")]
        self._note(event="said", nick=message["from"].resource, body=message["body"], moderated=bool(gone),
                   stanza=stanza.get("id") if stanza is not None else None)

    def _occupant(self, presence):
        x = presence.xml.find(USER + "x")
        codes = [s.get("code") for s in x.findall(USER + "status")] if x is not None else []
        self._note(event="occupant", nick=presence["from"].resource, type=presence["type"],
                   kicked="307" in codes, renamed="303" in codes)

    async def enter(self, room, nick):
        await self.muc.join_muc_wait(room, nick, maxstanzas=0, timeout=20)

    async def set_up(self, room, fields):
        """The owner's configuration; what stays away keeps its value."""
        form = "".join(f"<field var='muc#roomconfig_{name}'><value>{value}</value></field>"
                       for name, value in fields.items())
        ident = uuid.uuid4().hex
        iq = self.Iq()
        iq["type"], iq["to"], iq["id"] = "set", room, ident
        from xml.etree import ElementTree
        iq.append(ElementTree.fromstring(
            "<query xmlns='http://jabber.org/protocol/muc#owner'><x xmlns='jabber:x:data' type='submit'>"
            "<field var='FORM_TYPE'><value>http://jabber.org/protocol/muc#roomconfig</value></field>"
            f"{form}</x></query>"))
        await iq.send(timeout=10)

    def tell(self, room, text):
        self.send_message(mto=room, mbody=text, mtype="groupchat")


async def begin(program, server, room):
    bot = await asyncio.create_subprocess_exec(
        "stdbuf", "-oL", program, "robot@localhost", room, "Robot", "127.0.0.1", str(server.port), server.authority,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL)
    bot.stdin.write(b"secret\n")
    bot.stdin.close()
    return bot


async def until(bot, text, timeout=20):
    """The bot's lines up to the first with that text."""
    async def read():
        while line := await bot.stdout.readline():
            if text in line.decode():
                return line.decode().strip()
        raise PeerError(f"the bot ended without {text!r}")
    return await asyncio.wait_for(read(), timeout)


async def run(kind, program, folder, suite):
    server = await Server(kind, folder / "server", ACCOUNTS="robot:secret bob:secret eli:secret").start()
    bob = Guest("bob@localhost/slixmpp", "secret", "127.0.0.1", server.port, server.authority)
    eli = Guest("eli@localhost/slixmpp", "secret", "127.0.0.1", server.port, server.authority)
    await bob.login()
    await eli.login()
    items = await bob.plugin["xep_0030"].get_items(jid="localhost", timeout=10)
    service = next(str(i[0]) for i in items["disco_items"]["items"] if str(i[0]).startswith(("conference", "rooms")))
    room = f"tea{uuid.uuid4().hex[:6]}@{service}"
    bot = None
    try:
        await bob.enter(room, "Bob")
        await bob.set_up(room, {"persistentroom": "1", "moderatedroom": "0", "membersonly": "0"})
        await bob.muc.set_affiliation(room, "admin", jid="robot@localhost")
        async with suite.case("the bot comes in, and sees who is there"):
            bot = await begin(program, server, room)
            await until(bot, "joined as Robot with 1 others")
            bob.tell(room, "!who")
            await bob.wait("said", {"nick": "Robot", "body": "Bob, Robot"})
        async with suite.case("the bot sees somebody come"):
            await eli.enter(room, "Eli")
            await eli.wait("said", {"nick": "Robot", "body": "Welcome, Eli"})
        async with suite.case("both sides see the other change the nickname"):
            bob.tell(room, "!nick Robbie")
            await bob.wait("occupant", {"nick": "Robot", "renamed": True})
            await bob.wait("occupant", {"nick": "Robbie", "type": "available"})
            await eli.muc.set_self_nick(room, "Elias")
            await until(bot, "Eli is Elias now")
        async with suite.case("a nickname in use is refused, with the reason"):
            bob.tell(room, "!nick Bob")
            answer = await bob.wait("said", {"nick": "Robbie"})
            check("in use" in answer["body"], answer["body"])
        async with suite.case("the subject is set by either side"):
            bob.tell(room, "!subject cake")
            await until(bot, "subject: cake")
            bob.muc.set_subject(room, "tea")
            await until(bot, "subject: tea")
        info = await bob.plugin["xep_0030"].get_info(jid=room, timeout=10)
        if any("message-moderate" in f for f in info["disco_info"]["features"]):
            async with suite.case("the bot takes a message away"):
                eli.tell(room, "buy my tea")
                await bob.wait("said", {"body": "buy my tea"})
                bob.tell(room, "!remove")
                await until(bot, "removed: not here")
        async with suite.case("the bot puts somebody out"):
            bob.tell(room, "!kick Elias")
            await eli.wait("occupant", {"nick": "Elias", "kicked": True})
        async with suite.case("after the server has been away the bot is in the room again"):
            port = str(server.port)
            await server.stop()
            for peer in (bob, eli):
                peer.abort()
            server = await Server(kind, folder / "server", BASE_PORT=port).start()
            # The longer the server was away, the longer the bot waits before it tries again.
            await until(bot, "interrupted", 60)
            await until(bot, "joined", 120)
            bob = Guest("bob@localhost/again", "secret", "127.0.0.1", server.port, server.authority)
            await bob.login()
            await bob.enter(room, "Bob")
            await bob.wait("said", {"nick": "Robbie", "body": "Welcome, Bob"})
        async with suite.case("the bot that is put out ends, and says why"):
            await bob.muc.set_affiliation(room, "none", jid="robot@localhost")
            await bob.muc.set_role(room, "Robbie", "none", reason="enough")
            await until(bot, "put out")
            await asyncio.wait_for(bot.wait(), 10)
            check(bot.returncode == 0, f"the bot ended with {bot.returncode}")
    finally:
        if bot and bot.returncode is None:
            bot.terminate()
            await bot.wait()
        for peer in (bob, eli):
            try:
                await peer.logout()
            except Exception:
                pass
        await server.stop()


async def body():
    kind, program = sys.argv[1:3]
    suite = Suite(f"room bot on {kind}")
    with scratch() as folder:
        await run(kind, program, folder, suite)
    suite.finish()


if __name__ == "__main__":
    main(body)
