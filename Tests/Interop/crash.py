# SPDX-License-Identifier: Apache-2.0
"""kill -9 between queuing and acknowledgement: crash.py prosody|ejabberd [N]

Each round: `apus listen` holds alice's profile and talks to the server through a proxy; a message
to bob is queued; the process is killed before it hears an acknowledgement; a new one is started and
brings the outbox to rest. At the end every message must have come to bob exactly once, and stand
exactly once in his archive on the server. How the rounds differ, by turns:

  answer withheld   the proxy sends the stanza on and keeps the server's answer (counted in its log)
  nothing sent on   the proxy keeps the stanza too
  any moment        killed some milliseconds after the message was queued, nothing is kept
  stream forgotten  like the first, but the server has given up the old stream before the restart
"""

import asyncio
import collections
import json
import random
import sys
import uuid

from harness import Listener, Profile, Server, main, poll, scratch
from peer import Peer
from proxy import Proxy
from suite import Suite, check

FORGET_AFTER = 4  # seconds; SMACKS_TIMEOUT of the server
KINDS = ["withheld", "withheld", "hole", "withheld", "moment", "withheld", "forgotten", "withheld", "withheld", "moment"]


def has(peer, text):
    return any(e["event"] == "message" and e["body"] == text for e in peer.events)


async def holds(condition, timeout, pause=0.01):
    loop = asyncio.get_running_loop()
    end = loop.time() + timeout
    while loop.time() < end:
        if condition():
            return True
        await asyncio.sleep(pause)
    return condition()


async def one_round(number, kind, text, alice, listener, proxy, bob, dice):
    """Queue `text`, kill the process that holds the profile; returns a new one."""
    label = f"{number}:{text}"
    if kind in ("withheld", "forgotten"):
        proxy.arm("withhold", label)
    elif kind == "hole":
        proxy.arm("hole", label)
    await alice.run("send", "bob@localhost", text, "--wait", "queued", "--id", text)
    if kind in ("withheld", "forgotten"):
        arrived = await holds(lambda: has(bob, text) and proxy.withheld > 0, 10)
        check(arrived, f"round {number}: the stanza never reached bob, or nothing was withheld")
    elif kind == "hole":
        await asyncio.sleep(0.1)
    else:
        await asyncio.sleep(dice.random() * 0.02)
    listener.kill()
    await listener.process.wait()
    await listener.end()
    # The log notes the end of the connection with its counts before the mode changes.
    await holds(lambda: not proxy.links, 5)
    proxy.arm("pass", label)
    if kind == "forgotten":
        await asyncio.sleep(FORGET_AFTER + 1.5)
    return await Listener(alice).start()


def proven(log):
    """Labels of rounds in which the stanza went out and no byte of an answer came back."""
    found = set()
    for line in log.read_text().splitlines():
        entry = json.loads(line)
        if (entry["what"] == "closed" and entry["mode"] == "withhold" and entry["forwarded"] > 0
                and entry["withheld"] > 0 and entry["returned"] == 0):
            found.add(entry["label"])
    return found


async def run(kind, rounds, folder, suite):
    run_id, dice = uuid.uuid4().hex[:8], random.Random()
    server = await Server(kind, folder / "server", ACCOUNTS="alice:secret bob:secret",
                          SMACKS_TIMEOUT=str(FORGET_AFTER)).start()
    print(f"server {kind} {server.version}", flush=True)
    proxy = await Proxy(server.port, folder / "proxy.log").start()
    alice = Profile("alice", folder / "alice")
    bob = Peer("bob@localhost/slixmpp", "secret", "127.0.0.1", server.port, server.authority)
    await bob.login()
    texts, used = [], collections.Counter()
    try:
        await alice.account("add", "alice@localhost", "secret", server, proxy.port)
        listener = await Listener(alice).start()
        async with suite.case(f"{rounds} times killed between queuing and acknowledgement"):
            for number in range(rounds):
                round_kind = KINDS[number % len(KINDS)]
                text = f"crash {run_id} {number} {uuid.uuid4().hex[:6]}"
                texts.append(text)
                used[round_kind] += 1
                listener = await one_round(number, round_kind, text, alice, listener, proxy, bob, dice)

            async def states():
                items = await alice.history("bob@localhost")
                return {m["body"]: m["state"] for m in items if run_id in m["body"]}
            at_rest = ("acknowledged", "delivered", "displayed")
            await poll(states, lambda s: len(s) == rounds and all(v in at_rest for v in s.values()),
                       "rest of the outbox", timeout=60, pause=0.5)
            await asyncio.sleep(2)
        print(f"     {kind}: rounds by kind: {dict(used)}", flush=True)
        async with suite.case("each came to the receiver exactly once"):
            seen = collections.Counter(e["body"] for e in bob.events if e["event"] == "message" and run_id in e["body"])
            wrong = {t: seen[t] for t in texts if seen[t] != 1}
            check(not wrong, f"counts other than 1: {wrong}")
        async with suite.case("each stands in the server's archive exactly once"):
            stored = collections.Counter(m["body"] for m in await bob.archive() if run_id in m["body"])
            wrong = {t: stored[t] for t in texts if stored[t] != 1}
            check(not wrong, f"counts other than 1: {wrong}")
        async with suite.case("each stands in the sender's history exactly once"):
            own = collections.Counter(m["body"] for m in await alice.history("bob@localhost") if run_id in m["body"])
            wrong = {t: own[t] for t in texts if own[t] != 1}
            check(not wrong, f"counts other than 1: {wrong}")
        await listener.end()
        labels = proven(folder / "proxy.log")
        needed = rounds // 2
        async with suite.case(f"in at least {needed} rounds the stanza had gone out and no answer had come back"):
            check(len(labels) >= needed, f"only {len(labels)} in the proxy's log")
        print(f"     {kind}: forwarded and withheld in {len(labels)} of {rounds} rounds (proxy log)", flush=True)
    finally:
        await alice.end()
        await bob.logout()
        await proxy.stop()
        await server.stop()


async def body():
    kind = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    suite = Suite(f"crash on {kind}")
    with scratch() as folder:
        await run(kind, rounds, folder, suite)
    suite.finish()


if __name__ == "__main__":
    main(body)
