# SPDX-License-Identifier: Apache-2.0
"""The commands `apus rooms …` between two profiles on one server; a part of send.py."""

from harness import Listener, Profile, poll, unwrap
from suite import check


async def one(profile, *arguments):
    return (await profile.lines(*arguments))[0]


async def room_of(profile, room):
    rows = unwrap(await profile.lines("rooms"), "rooms")
    return next((row for row in rows if row["conversation"] == room), {})


async def rooms(alice, me, server, folder, suite, run_id):
    carol = Profile("carol", folder / "carol")
    her = f"carol-{run_id}@localhost"
    await carol.account("register", her, "pass" + run_id, server)
    mine = await Listener(alice).start()
    hers = await Listener(carol).start()
    try:
        async with suite.case("rooms create makes a group and invites"):
            made = await one(alice, "rooms", "create", f"Tea {run_id}", "--invite", her)
            room = made["conversation"]
            check(made["schema"] == "apus.conversation/1" and made["kind"] == "room", f"made {made}")

            async def invited():
                return unwrap(await carol.lines("requests"), "requests")
            found = await poll(invited, bool, "the invitation")
            check([(r["kind"], r["address"]) for r in found] == [("room", room)], f"requests: {found}")
        async with suite.case("requests accept goes into the room, and both talk"):
            await carol.run("requests", "accept", room)
            await carol.run("send", room, f"good morning {run_id}", "--wait", "delivered", "--timeout", "15")
            item = await mine.message(f"good morning {run_id}", direction="incoming")
            check(item["conversation"] == room and item.get("sender_name"), f"heard {item}")
            await alice.run("send", room, f"good evening {run_id}", "--wait", "delivered", "--timeout", "15")
            await hers.message(f"good evening {run_id}", direction="incoming")
            texts = [m["body"] for m in await carol.history(room)]
            check(texts == [f"good morning {run_id}", f"good evening {run_id}"], f"history: {texts}")
        async with suite.case("rooms show tells who is there, rooms change sets the topic"):
            shown = await one(alice, "rooms", "show", room)
            check(shown["schema"] == "apus.room/1" and shown["kind"] == "group" and shown["joined"], f"{shown}")
            check(sorted(m["address"] for m in shown["members"] if m["online"]) == sorted([me, her]), f"{shown}")
            await alice.run("rooms", "change", room, "--topic", f"Cups {run_id}")

            async def topic():
                return (await room_of(carol, room)).get("room", {}).get("topic")
            await poll(topic, lambda text: text == f"Cups {run_id}", "the topic")
        async with suite.case("rooms kick puts somebody out, who sees why and joins again"):
            nick = next(m["nick"] for m in shown["members"] if m["address"] == her)
            await alice.run("rooms", "kick", room, nick, "--reason", "noise")

            async def state():
                return (await room_of(carol, room)).get("room", {})
            out = await poll(state, lambda s: s.get("state") == "out", "the way out")
            check(out["reason"] == "kicked" and out.get("text") == "noise", f"state: {out}")
            await one(carol, "rooms", "join", room)
        async with suite.case("rooms ban, unban and member change who may come in"):
            await alice.run("rooms", "ban", room, her)
            await poll(state, lambda s: s.get("reason") == "banned", "the ban")
            await alice.run("rooms", "unban", room, her)
            changed = await one(alice, "rooms", "member", room, her)
            check(changed["schema"] == "apus.changed-member/1" and changed["change"] == "member", f"{changed}")
            await one(carol, "rooms", "join", room)
        async with suite.case("a channel is found and entered by its name"):
            channel = (await one(alice, "rooms", "create", f"Swift {run_id}", "--channel"))["conversation"]
            found = unwrap(await carol.lines("rooms", "find"), "rooms")
            check(channel in [row["room"] for row in found], f"found {found}")
            joined = await one(carol, "rooms", "join", f"Swift {run_id}")
            check(joined["conversation"] == channel, f"joined {joined}")
            await one(carol, "rooms", "show", f"Swift {run_id}")
            await carol.run("rooms", "leave", f"Swift {run_id}")
            left = await room_of(carol, channel)
            check(left["room"]["wanted"] is False, f"left {left}")
        async with suite.case("rooms destroy ends the group for everybody"):
            await alice.run("rooms", "destroy", room)
            await poll(state, lambda s: s.get("reason") == "destroyed", "the end")
    finally:
        await mine.end()
        await hers.end()
        await carol.end()
