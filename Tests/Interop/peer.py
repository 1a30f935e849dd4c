# SPDX-License-Identifier: Apache-2.0
"""An independent XMPP client (slixmpp) for interoperability tests.

As a module: `Peer` with awaitable calls. As a program: one JSON object per line on standard input
is a command, one JSON object per line on standard output is its reply or an event.

    {"do": "login", "jid": "bob@localhost/peer", "password": "secret",
     "host": "127.0.0.1", "port": 5222, "ca": "ca.crt", "direct": false}
    {"do": "register", ...as login...}          make the account in-band, stay logged out
    {"do": "send", "to": "alice@localhost", "body": "hello", "receipt": true, "state": "active"}
    {"do": "presence", "type": null, "to": null, "show": "away", "status": "...", "priority": 5}
    {"do": "roster"}, {"do": "remove", "jid": ...}
    {"do": "subscribe" | "accept" | "decline" | "withdraw", "jid": "alice@localhost"}
    {"do": "archive", "with": "alice@localhost"}
    {"do": "wait", "event": "message", "match": {"body": "hello"}, "timeout": 10}
    {"do": "disco" | "version" | "time" | "ping", "to": "alice@localhost/x"}
    More with "extensions": true in the login: see extensions.py.
    {"do": "raw", "xml": "<presence/>"}, {"do": "abort"}, {"do": "logout"}

A reply is {"reply": NAME, ...} or {"error": TEXT, "reply": NAME}; a command's "id" comes back in it.
Events: message, receipt, state, presence, subscription, disconnected. `wait` looks at events that
no earlier `wait` has consumed, so order of arrival does not matter.
"""

import asyncio
import json
import logging
import ssl
import sys
import uuid
import xml.etree.ElementTree as ElementTree

import extensions
import slixmpp
from slixmpp.exceptions import IqError, IqTimeout

PLUGINS = [
    "xep_0030", "xep_0085", "xep_0092", "xep_0184", "xep_0199", "xep_0202", "xep_0203",
    "xep_0280", "xep_0297", "xep_0313", "xep_0334", "xep_0359",
]


class PeerError(Exception):
    """A command of the peer that did not work, in words."""


class Peer(slixmpp.ClientXMPP):
    """One account. Events are kept in `events` in the order of arrival."""

    def __init__(self, jid, password, host, port, ca, direct=False, register=False, receipts=True):
        super().__init__(jid, password)
        self.address = (host, port)
        self.direct = direct
        self.registering = register
        self.registration = None
        self.receipts = receipts
        self.ca_certs = ca
        self.events = []
        self.changed = asyncio.Condition()
        self.listener = None
        self.online = asyncio.get_event_loop().create_future()
        self.shown = asyncio.Event()
        self.auto_authorize = None  # requests are answered by hand
        self.auto_subscribe = False
        for name in PLUGINS:
            self.register_plugin(name)
        if register:
            self.register_plugin("xep_0066")
            self.register_plugin("xep_0004")
            self.register_plugin("xep_0077")
            self.plugin["xep_0077"].force_registration = True
            self.add_event_handler("register", self._on_register)
        self.plugin["xep_0184"].auto_ack = receipts
        self.add_event_handler("session_start", self._on_start)
        self.add_event_handler("failed_all_auth", lambda _: self._fail("the server refused the login"))
        self.add_event_handler("connection_failed", lambda e: self._fail(f"connection failed: {e}"))
        self.add_event_handler("disconnected", self._on_disconnected)
        self.add_event_handler("message", self._on_message)
        self.add_event_handler("message_error", self._on_message)
        self.add_event_handler("receipt_received", self._on_receipt)
        self.add_event_handler("carbon_received", lambda m: self._on_carbon("received", m["carbon_received"]))
        self.add_event_handler("carbon_sent", lambda m: self._on_carbon("sent", m["carbon_sent"]))
        for name in ("presence_available", "presence_unavailable", "presence_error"):
            self.add_event_handler(name, self._on_presence)
        for name in ("subscribe", "subscribed", "unsubscribe", "unsubscribed"):
            self.add_event_handler("presence_" + name, self._on_subscription)

    def get_ssl_context(self):
        """TLS 1.2 or later, the given authority only."""
        context = ssl.create_default_context(cafile=self.ca_certs)
        context.check_hostname = False
        return context

    # -- Being online -----------------------------------------------------------------------------

    async def login(self, timeout=20):
        """Connect and return when the session has begun, and the server knows that one is available."""
        host, port = self.address
        self.enable_direct_tls, self.enable_starttls = self.direct, not self.direct
        self.enable_plaintext = False
        self.auto_reconnect = False
        self.connect(host, port)
        await asyncio.wait_for(asyncio.shield(self.online), timeout)

    def _fail(self, reason):
        if not self.online.done():
            self.online.set_exception(PeerError(reason))

    async def _on_start(self, _):
        try:
            await self.get_roster()
            await self.plugin["xep_0280"].enable()
        except (IqError, IqTimeout):
            pass
        self.send_presence()
        # What comes before a server has handled the presence may stay with it (ejabberd); it shows us our own.
        try:
            await asyncio.wait_for(self.shown.wait(), 5)
        except asyncio.TimeoutError:
            pass
        if not self.online.done():
            self.online.set_result(True)

    async def _on_register(self, _):
        iq = self.Iq()
        iq["type"] = "set"
        iq["register"]["username"] = self.boundjid.user
        iq["register"]["password"] = self.password
        try:
            await iq.send(timeout=10)
            self.registration = True
        except IqError as error:
            self.registration = error.iq["error"]["condition"]
        except IqTimeout:
            self.registration = "no answer"
        if self.registration is not True:
            self._fail(f"registration refused: {self.registration}")
            self.abort()

    def _on_disconnected(self, reason):
        self._fail(f"disconnected: {reason or 'no reason'}")
        self._note(event="disconnected", reason=str(reason) if reason else None)

    async def logout(self):
        """An orderly end: unavailable, stream end, socket closed."""
        await self.disconnect(wait=2.0)

    # -- Events -----------------------------------------------------------------------------------

    def _note(self, **event):
        self.events.append(event)
        if self.listener:
            self.listener(event)
        asyncio.ensure_future(self._wake())

    async def _wake(self):
        async with self.changed:
            self.changed.notify_all()

    async def wait(self, event, match=None, timeout=15):
        """The first unconsumed event of that name whose fields equal those of `match`."""
        match = match or {}

        def find():
            for index, candidate in enumerate(self.events):
                if candidate["event"] == event and all(candidate.get(k) == v for k, v in match.items()):
                    return index
            return None

        async with self.changed:
            try:
                await asyncio.wait_for(self.changed.wait_for(lambda: find() is not None), timeout)
            except asyncio.TimeoutError:
                raise PeerError(f"no {event} {match} within {timeout} s; seen: {self.events[-6:]}") from None
            return self.events.pop(find())

    def _describe(self, message):
        delay = message.xml.find("{urn:xmpp:delay}delay")
        origin = message.xml.find("{urn:xmpp:sid:0}origin-id")
        stanza = message.xml.find("{urn:xmpp:sid:0}stanza-id")
        return {
            "from": str(message["from"]), "to": str(message["to"]), "type": message["type"],
            "id": message["id"], "body": message["body"],
            "stamp": delay.get("stamp") if delay is not None else None,
            "origin": origin.get("id") if origin is not None else None,
            "stanza": stanza.get("id") if stanza is not None else None,
            "wantsReceipt": message.xml.find("{urn:xmpp:receipts}request") is not None,
        }

    def _on_message(self, message):
        states = [c.tag.partition("}")[2] for c in message.xml if c.tag.startswith(
            "{http://jabber.org/protocol/chatstates}")]
        if states:
            self._note(event="state", state=states[0], **{"from": str(message["from"])})
        if message["type"] == "error":
            self._note(event="message", error=message["error"]["condition"], **self._describe(message))
        elif message.xml.find("{jabber:client}body") is not None:
            self._note(event="message", **self._describe(message))

    def _on_receipt(self, message):
        self._note(event="receipt", of=message["receipt"], **{"from": str(message["from"])})

    def _on_carbon(self, kind, message):
        if message["body"]:
            self._note(event="carbon", kind=kind, **self._describe(message))

    def _on_presence(self, presence):
        if presence["type"] == "available" and presence["from"] == self.boundjid:
            self.shown.set()
        self._note(event="presence", type=presence["type"], status=presence["status"],
                   priority=presence["priority"], **{"from": str(presence["from"])})

    def _on_subscription(self, presence):
        self._note(event="subscription", type=presence["type"], **{"from": presence["from"].bare})

    # -- Doing things -----------------------------------------------------------------------------

    def say(self, to, body, receipt=False, state=None, ident=None):
        """Send one chat message, return its id."""
        message = self.make_message(mto=to, mbody=body, mtype="chat")
        message["id"] = ident or uuid.uuid4().hex
        message["origin_id"]["id"] = message["id"]
        if receipt:
            message["request_receipt"] = True
        if state:
            message["chat_state"] = state
        message.send()
        return message["id"]

    async def archive(self, other=None, limit=None, after=None, page=100):
        """All messages of the account's archive on the server, oldest first; those behind the id `after`."""
        found = []
        while True:
            iq = await self._archive_page(other, {"max": page, **({"after": after} if after else {})})
            results = iq["mam"]["results"]
            for entry in results:
                result = entry["mam_result"]
                forwarded = result["forwarded"]
                found.append({**self._describe(forwarded["stanza"]), "archive": result["id"],
                              "stamp": forwarded["delay"].xml.get("stamp")})
            fin = iq["mam_fin"]
            complete = fin.xml.get("complete") == "true"
            if complete or not results or (limit and len(found) >= limit):
                return found
            after = fin["rsm"]["last"]

    async def _archive_page(self, other, rsm, tries=10):
        """One page; a server that refuses for the moment (an error of type `wait`) is asked again."""
        while True:
            tries -= 1
            try:
                return await self.plugin["xep_0313"].retrieve(
                    with_jid=slixmpp.JID(other) if other else None, rsm=rsm, timeout=60)
            except IqError as error:
                if not tries or error.iq["error"]["type"] != "wait":
                    raise
            await asyncio.sleep(1)

    async def items(self):
        """The roster as the server holds it."""
        query = self.Iq()
        query["type"] = "get"
        query.enable("roster")
        reply = await query.send(timeout=10)
        return [{"jid": str(jid), "name": item["name"], "subscription": item["subscription"],
                 "ask": item["ask"] or None, "groups": list(item["groups"])}
                for jid, item in reply["roster"]["items"].items()]


# -- The program ----------------------------------------------------------------------------------


def make(command, register=False):
    peer = Peer(command["jid"], command["password"], command.get("host", "127.0.0.1"), command["port"],
                command["ca"], command.get("direct", False), register, command.get("receipts", True))
    if command.get("extensions"):
        extensions.install(peer)
    return peer


SUBSCRIPTION = {"subscribe": "subscribe", "accept": "subscribed", "decline": "unsubscribed",
                "withdraw": "unsubscribe"}


async def perform(state, command, emit):
    """Carry out one command; returns the fields of its reply."""
    do = command["do"]
    if do in ("login", "register"):
        peer = make(command, register=do == "register")
        peer.listener = emit
        await peer.login(command.get("timeout", 20))
        if do == "register":
            await peer.logout()
            return {"jid": peer.boundjid.bare}
        state["peer"] = peer
        return {"jid": str(peer.boundjid)}
    peer = state.get("peer")
    if peer is None:
        raise PeerError("log in first")
    if do == "send":
        return {"message": peer.say(command["to"], command["body"], command.get("receipt", False),
                                    command.get("state"), command.get("message"))}
    if do == "presence":
        peer.send_presence(ptype=command.get("type"), pto=command.get("to"), pshow=command.get("show"),
                           pstatus=command.get("status"), ppriority=command.get("priority"))
        return {}
    if do in SUBSCRIPTION:
        peer.send_presence(pto=command["jid"], ptype=SUBSCRIPTION[do])
        return {}
    if do == "roster":
        return {"items": await peer.items()}
    if do == "remove":
        await peer.del_roster_item(command["jid"])
        return {}
    if do == "archive":
        return {"messages": await peer.archive(command.get("with"), command.get("limit"))}
    if do == "wait":
        return {"event": await peer.wait(command["event"], command.get("match"), command.get("timeout", 15))}
    if do == "disco":
        info = await peer.plugin["xep_0030"].get_info(jid=command["to"], timeout=10)
        return {"features": sorted(info["disco_info"]["features"]),
                "identities": [list(i) for i in info["disco_info"]["identities"]]}
    if do == "version":
        reply = await peer.plugin["xep_0092"].get_version(command["to"], timeout=10)
        return {"name": reply["software_version"]["name"], "version": reply["software_version"]["version"]}
    if do == "time":
        reply = await peer.plugin["xep_0202"].get_entity_time(command["to"], timeout=10)
        return {"utc": str(reply["entity_time"]["utc"])}
    if do == "ping":
        return {"seconds": await peer.plugin["xep_0199"].ping(command["to"], timeout=10)}
    if do == "raw":
        peer.send_raw(command["xml"])
        return {}
    if do == "abort":
        peer.abort()
        return {}
    if do == "logout":
        await peer.logout()
        return {}
    if (reply := await extensions.perform(peer, command)) is not None:
        return reply
    raise PeerError(f"unknown command {do!r}")


async def main():
    logging.basicConfig(level=logging.DEBUG if "--debug" in sys.argv else logging.CRITICAL, stream=sys.stderr)
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 24)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)

    def emit(value):
        print(json.dumps(value, ensure_ascii=False), flush=True)

    state = {}
    while line := await reader.readline():
        if not line.strip():
            continue
        name, ident = None, None
        try:
            command = json.loads(line)
            name, ident = command.get("do"), command.get("id")
            reply = {"reply": name, **await perform(state, command, emit)}
        except (IqError, IqTimeout) as error:
            condition = error.iq["error"]["condition"] if isinstance(error, IqError) else "timeout"
            reply = {"reply": name, "error": condition}
        except (PeerError, KeyError, ValueError, OSError, asyncio.TimeoutError,
                ElementTree.ParseError) as error:
            reply = {"reply": name, "error": str(error) or type(error).__name__}
        if ident is not None:
            reply["id"] = ident
        emit(reply)
    if state.get("peer"):
        await state["peer"].logout()


if __name__ == "__main__":
    asyncio.run(main())
