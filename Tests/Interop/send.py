# SPDX-License-Identifier: Apache-2.0
"""apus and slixmpp talk over one server: send.py prosody|ejabberd"""

import asyncio
import sys
import uuid

from groups import rooms
from harness import Failure, Listener, Profile, Server, main, poll, scratch
from peer import Peer
from suite import Suite, check


def bodies(peer, prefix):
    return [e["body"] for e in peer.events if e["event"] == "message" and e["body"].startswith(prefix)]


async def count(peer, prefix, expected, settle=0.7, timeout=30):
    """The bodies with that prefix, once there are `expected` and a moment later (for duplicates)."""
    async def look():
        return bodies(peer, prefix)
    await poll(look, lambda found: len(found) >= expected, f"{expected} messages {prefix}", timeout)
    await asyncio.sleep(settle)
    return bodies(peer, prefix)


async def run(kind, folder, suite):
    run_id = uuid.uuid4().hex[:8]
    server = await Server(kind, folder / "server", ACCOUNTS="bob:secret").start()
    print(f"server {kind} {server.version}", flush=True)
    alice = Profile("alice", folder / "alice")
    literal = Profile("literal", folder / "literal")
    bob = Peer("bob@localhost/slixmpp", "secret", "127.0.0.1", server.port, server.authority)
    await bob.login()
    me, friend = "alice@localhost", "bob@localhost"
    try:
        async with suite.case("an account is registered in-band"):
            await alice.account("register", me, "pass" + run_id, server)
        async with suite.case("registering it again is refused, with the reason"):
            other = Profile("other", folder / "other")
            try:
                await other.account("register", me, "pass" + run_id, server)
                raise Failure("the second registration went through")
            except Failure as failure:
                check("ended with" in str(failure) and "taken" in str(failure) or "exist" in str(failure)
                      or "conflict" in str(failure), f"the error does not say why: {failure}")
            finally:
                await other.end()
        async with suite.case("a wrong password is refused, with the reason"):
            other = Profile("wrong", folder / "wrong")
            try:
                await other.account("add", me, "not the password", server)
                await other.run("send", friend, "never", "--timeout", "10")
                raise Failure("the login went through")
            except Failure as failure:
                check("password" in str(failure).lower(), f"the error does not name the password: {failure}")
            finally:
                await other.end()

        async with suite.case("send reaches slixmpp and returns when acknowledged"):
            text = f"hello {run_id} «ünï» <&> 🐦"
            await alice.run("send", friend, text)
            event = await bob.wait("message", {"body": text})
            check(event["from"].startswith(me), f"sent by {event['from']}")
        async with suite.case("text from standard input"):
            text = f"line one {run_id}\nline two"
            await alice.run("send", friend, "-", text=text)
            await bob.wait("message", {"body": text})
        async with suite.case("--wait delivered returns on slixmpp's receipt"):
            await alice.run("send", friend, f"receipt {run_id}", "--wait", "delivered", "--timeout", "15")
        async with suite.case("--id makes a repeated call send once"):
            for _ in range(3):
                await alice.run("send", friend, f"once {run_id}", "--id", f"key-{run_id}")
            found = await count(bob, f"once {run_id}", 1)
            check(len(found) == 1, f"arrived {len(found)} times")

        listener = await Listener(alice).start()
        async with suite.case("slixmpp reaches listen, and gets a receipt"):
            ident = bob.say(me, f"answer {run_id}", receipt=True)
            item = await listener.message(f"answer {run_id}", direction="incoming")
            check(item["sender"].startswith(friend), f"from {item['sender']}")
            await bob.wait("receipt", {"of": ident})
        async with suite.case("ten processes send at once while listen runs"):
            await asyncio.gather(*(alice.run("send", friend, f"many {run_id} {i}") for i in range(10)))
            found = await count(bob, f"many {run_id}", 10)
            check(sorted(found) == sorted(f"many {run_id} {i}" for i in range(10)), f"arrived: {found}")
        async with suite.case("history has both directions, in order, each once"):
            items = [m for m in await alice.history(friend) if run_id in m["body"]]
            texts = [m["body"] for m in items]
            check(len(texts) == len(set(texts)) == 15, f"{len(texts)} items: {texts}")
            check(texts.index(f"hello {run_id} «ünï» <&> 🐦") < texts.index(f"answer {run_id}"), f"order: {texts}")
            check(all(m["state"] in ("acknowledged", "delivered", "displayed") for m in items
                      if m["direction"] == "outgoing"), f"states: {[m['state'] for m in items]}")
        async with suite.case("history agrees with the server's archive"):
            stored = {m["id"]: m["body"] for m in await bob.archive() if run_id in m["body"]}
            own = {m["body"] for m in await alice.history(friend) if run_id in m["body"]}
            check(set(stored.values()) == own, f"archive {sorted(stored.values())}, history {sorted(own)}")
        async with suite.case("adding a contact: slixmpp accepts, presence is seen"):
            await alice.run("contacts", "add", friend)
            await bob.wait("subscription", {"type": "subscribe", "from": me})
            bob.send_presence(pto=me, ptype="subscribed")
            await listener.wait(lambda e: e.get("type") == "contact" and e["contact"]["address"] == friend
                                and e["contact"]["presence"]["availability"] == "online", "presence of bob")
        async with suite.case("slixmpp's request is listed and accepted"):
            bob.send_presence(pto=me, ptype="subscribe")

            async def listed():
                return "bob@localhost" in await alice.run("requests")
            contact_to = [c for c in await contacts(alice) if c["address"] == friend]
            check(contact_to, "bob is in no contact list")
            try:
                await poll(listed, bool, "request of bob", timeout=3)
                await alice.run("requests", "accept", friend)
            except Failure:
                pass  # accepted at once: bob is a known contact
            await bob.wait("subscription", {"type": "subscribed", "from": me})
        await listener.end()

        await rooms(alice, me, server, folder, suite, run_id)

        async with suite.case("ten processes send at once when none holds the profile"):
            await asyncio.gather(*(alice.run("send", friend, f"alone {run_id} {i}") for i in range(10)))
            found = await count(bob, f"alone {run_id}", 10)
            check(sorted(found) == sorted(f"alone {run_id} {i}" for i in range(10)), f"arrived: {found}")
        async with suite.case("a message for an absent reader waits on the server"):
            bob.say(me, f"waiting {run_id}")
            await asyncio.sleep(0.5)
            listener = await Listener(alice).start()
            try:
                await listener.message(f"waiting {run_id}", direction="incoming")
            finally:
                await listener.end()
        async with suite.case("listen --exec runs a command for each message"):
            target = folder / "executed"
            script = folder / "on-message"
            script.write_text(f"#!/bin/sh\ncat >> {target}\n")
            script.chmod(0o755)
            listener = await Listener(alice).start("--exec", str(script))
            try:
                bob.say(me, f"command {run_id}")

                async def executed():
                    return target.read_text() if target.exists() else ""
                await poll(executed, lambda t: f"command {run_id}" in t, "call of the command")
            finally:
                await listener.end()

        async with suite.case("direct TLS"):
            direct = Profile("direct", folder / "direct")
            try:
                await direct.account("add", me, "pass" + run_id, server, server.direct_port, "--direct-tls")
                await direct.run("send", friend, f"direct {run_id}")
                await bob.wait("message", {"body": f"direct {run_id}"})
            finally:
                await direct.end()
        async with suite.case("login as alice@127.0.0.1, an address for a domain"):
            await literal.account("register", "alice@127.0.0.1", "pass" + run_id, server)
            await literal.run("send", "alice@127.0.0.1", f"to myself {run_id}")
    finally:
        for profile in (alice, literal):
            await profile.end()
        await bob.logout()
        await server.stop()


async def contacts(profile):
    from harness import unwrap
    return unwrap(await profile.lines("contacts"), "contacts")


async def body():
    kind = sys.argv[1]
    suite = Suite(f"send on {kind}")
    with scratch() as folder:
        await run(kind, folder, suite)
    suite.finish()


if __name__ == "__main__":
    main(body)
