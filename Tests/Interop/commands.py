# SPDX-License-Identifier: Apache-2.0
"""The commands over what the core keeps, each with --json, on one server: commands.py prosody|ejabberd

conversations, search, rooms, upload, mute, requests block and report, profile, export, import, backup, account export and import.
"""

import asyncio
import base64
import sqlite3
import sys
import uuid

from harness import Failure, Listener, Profile, Server, main, poll, scratch
from peer import Peer
from suite import Suite, check


# One pixel.
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


async def one(profile, *arguments, **options):
    """The single object that a command prints, and the schema that it names."""
    values = await profile.lines(*arguments, **options)
    check(len(values) == 1, f"{arguments[0]} printed {len(values)} objects")
    return values[0]


async def refused(profile, *arguments):
    """What a command says that must fail."""
    try:
        await profile.run(*arguments)
    except Failure as failure:
        return str(failure)
    raise Failure(f"{' '.join(arguments)} went through")


async def conversations(suite, alice, listener, bob, run_id):
    async with suite.case("conversations: the last message, what is unread, and what is put away"):
        for number in range(3):
            bob.send_message("alice@localhost", f"{run_id} number {number}", mtype="chat")
        await listener.message(f"{run_id} number 2")
        value = await one(alice, "conversations")
        check(value["schema"] == "apus.conversations/1", f"schema {value.get('schema')}")
        [row] = [c for c in value["conversations"] if c["conversation"] == "bob@localhost"]
        check(row["unread"] == 3 and row["last"]["body"] == f"{run_id} number 2", f"row {row}")
        check(row["stranger"] is True, "bob is no contact and was never written to")
        value = await one(alice, "conversations", "--unread")
        check(len(value["conversations"]) == 1, "--unread lists one")


async def search(suite, alice, listener, bob, run_id):
    async with suite.case("search: words, phrases, Chinese, accents, people; nothing in it is an operator"):
        for text in ("准备吃饭了", "We met in the Café", f"{run_id} quick brown fox", "x' OR 1=1; DROP TABLE message; --"):
            bob.send_message("alice@localhost", text, mtype="chat")
        await listener.message("x' OR 1=1; DROP TABLE message; --")
        for text, expected in (("吃饭", "准备吃饭了"), ("饭", "准备吃饭了"), ("cafe", "We met in the Café"),
                               ('"quick brown"', f"{run_id} quick brown fox"), ("bro", f"{run_id} quick brown fox")):
            value = await one(alice, "search", text)
            check(value["schema"] == "apus.hits/1", f"schema {value.get('schema')}")
            check([h["message"]["body"] for h in value["hits"]] == [expected], f"{text} found {value['hits']}")
            check(any(piece["match"] for piece in value["hits"][0]["excerpt"]), f"{text}: nothing is marked")
        for text in ('"brown quick"', "饭吃", "body:fox", "fox* AND", "NEAR(fox)", "'; DROP TABLE message; --"):
            await alice.lines("search", text)
        check((await one(alice, "search", "quick", "--from", "me"))["hits"] == [], "bob's words are not mine")
        check(len((await one(alice, "search", "quick", "--from", "bob@localhost"))["hits"]) == 1, "--from")
        check(len((await one(alice, "search", "quick", "--in", "bob@localhost"))["hits"]) == 1, "--in")
        check((await one(alice, "search", "quick", "--until", "2020-01-01"))["hits"] == [], "--until")


async def mute(suite, alice):
    async with suite.case("mute: levels, for a time, and off again"):
        value = await one(alice, "mute", "bob@localhost", "--level", "mentions")
        check(value["schema"] == "apus.conversation/1" and value["level"] == "mentions", f"{value}")
        value = await one(alice, "mute", "bob@localhost", "--for", "8h")
        check(value.get("muted_until"), f"{value}")
        value = await one(alice, "mute", "bob@localhost")
        check(value["level"] == "none", f"{value}")
        value = await one(alice, "mute", "bob@localhost", "--off")
        check(value["level"] == "all" and not value.get("muted_until"), f"{value}")
        text = await refused(alice, "mute", "bob@localhost", "--level", "loud")
        check("loud" in text, text)


async def notifications(suite, alice):
    async with suite.case("notifications: shown, changed, refused"):
        value = await one(alice, "notifications")
        check(value["schema"] == "apus.notifications/1" and value["on"] and not value["strangers"], f"{value}")
        value = await one(
            alice, "notifications", "--quiet-hours", "22:00-07:00", "--time-zone", "Asia/Taipei", "--keyword", "tea", "--previews", "name")
        wanted = {"quiet_from": "22:00", "quiet_until": "07:00", "time_zone": "Asia/Taipei", "keywords": ["tea"], "previews": "name"}
        check(all(value.get(name) == what for name, what in wanted.items()), f"{value}")
        value = await one(alice, "notifications", "--quiet-hours", "off", "--no-keywords", "--previews", "all", "--time-zone", "")
        check(value["keywords"] == [] and not value.get("quiet_from") and value["previews"] == "all", f"{value}")
        await refused(alice, "notifications", "--quiet-hours", "25:00-07:00")
        check(not (await one(alice, "notifications")).get("quiet_from"), "what was refused is kept")


async def blocking(suite, alice, bob):
    async with suite.case("requests block: nothing comes any more, and unblock lets it through"):
        value = await one(alice, "requests", "block", "bob@localhost")
        check(value["schema"] == "apus.blocked/1" and value["address"] == "bob@localhost", f"{value}")
        value = await one(alice, "requests", "blocked")
        check([b["address"] for b in value["blocked"]] == ["bob@localhost"], f"{value}")
        bob.send_message("alice@localhost", "not to be seen", mtype="chat")
        await asyncio.sleep(1)
        check(all(m["body"] != "not to be seen" for m in await alice.history("bob@localhost")), "it came all the same")
        value = await one(alice, "requests", "unblock", "bob@localhost")
        check(value["schema"] == "apus.unblocked/1", f"{value}")
        check((await one(alice, "requests", "blocked"))["blocked"] == [], "the list is empty again")
    async with suite.case("requests report: blocked as well, and it says whether the server takes reports"):
        value = await one(alice, "requests", "report", "eve@localhost", "--abuse", "--text", "insults")
        check(value["address"] == "eve@localhost" and value["reported"] in (True, False), f"{value}")
        check("eve@localhost" in [b["address"] for b in (await one(alice, "requests", "blocked"))["blocked"]], "not blocked")
        await alice.run("requests", "unblock", "eve@localhost")


async def profile(suite, alice, kind):
    async with suite.case("profile: what is changed is what others see"):
        value = await one(alice, "profile", "--name", "Alice <&>", "--nickname", "Al", "--url", "https://example.org/a")
        check(value["schema"] == "apus.profile/1" and value["full_name"] == "Alice <&>", f"{value}")
        value = await one(alice, "profile")
        check(value["nickname"] == "Al" and value["urls"] == ["https://example.org/a"], f"{value}")
        value = await one(alice, "profile", "--nickname", "")
        check(not value.get("nickname") and value["full_name"] == "Alice <&>", f"{value}")
        text = await refused(alice, "profile", "bob@localhost", "--name", "Bob")
        check("own" in text, text)


async def rooms(suite, alice, eve, folder):
    name = f"tea-{uuid.uuid4().hex[:8]}"
    async with suite.case("rooms: made, shown, changed, found, entered by somebody else, left and ended"):
        row = await one(alice, "rooms", "create", name, "--channel")
        room = row["conversation"]
        check(row["schema"] == "apus.conversation/1" and row["kind"] == "room" and room.startswith(name), f"{row}")
        value = await one(alice, "rooms", "change", room, "--topic", "cups", "--description", "of tea")
        check(value["schema"] == "apus.changed-room/1", f"{value}")
        value = await one(eve, "rooms", "find")
        check(value["schema"] == "apus.found-rooms/1" and room in [r["room"] for r in value["rooms"]], f"{value}")
        await one(eve, "rooms", "join", room, "--nick", "Eve")
        await one(alice, "rooms", "invite", room, "bob@localhost")

        async def shown():
            return await one(alice, "rooms", "show", room)
        value = await poll(shown, lambda found: "Eve" in [m.get("nick") for m in found["members"]], "eve in the room")
        check(value["schema"] == "apus.room/1" and value["topic"] == "cups" and value["joined"], f"{value}")
        check(value["description"] == "of tea", f"{value}")
    async with suite.case("rooms picture: set by the owner, seen by others, refused to them, taken away"):
        picture, copy = folder / "room.png", folder / "copy.png"
        picture.write_bytes(PICTURE)
        value = await one(alice, "rooms", "picture", room, str(picture))
        check(value["schema"] == "apus.room-picture/1" and value["picture"], f"{value}")

        async def seen():
            return {r["conversation"]: r.get("picture") for r in (await one(eve, "rooms"))["rooms"]}.get(room)
        await poll(seen, lambda found: found == value["picture"], "the picture")
        await one(eve, "rooms", "picture", room, "--save", str(copy))
        check(copy.read_bytes() == PICTURE, "another picture")
        await refused(eve, "rooms", "picture", room, "--remove")
        await one(alice, "rooms", "picture", room, "--remove")
        await poll(seen, lambda found: found is None, "no picture")
    async with suite.case("rooms kick, leave and destroy"):
        value = await one(alice, "rooms", "kick", room, "Eve", "--reason", "enough")
        check(value["schema"] == "apus.changed-member/1" and value["change"] == "kick", f"{value}")

        async def standing():
            return {r["conversation"]: r["room"] for r in (await one(eve, "rooms"))["rooms"]}[room]
        found = await poll(standing, lambda found: found["state"] == "out", "eve out of the room")
        check(found["reason"] == "kicked", f"{found}")
        value = await one(eve, "rooms", "leave", room)
        check(value["schema"] == "apus.left/1", f"{value}")
        value = await one(alice, "rooms", "destroy", room)
        check(value["schema"] == "apus.destroyed-room/1", f"{value}")


async def upload(suite, alice, eve, folder):
    async with suite.case("upload and fetch: a picture goes up, is announced, and comes down as it was"):
        for person, address in ((alice, "alice@localhost"), (eve, "eve@localhost")):
            value = await one(person, "account", "media", address, "--host", "127.0.0.1", "--host", "localhost")
            check(value["schema"] == "apus.media/1" and "localhost" in value["hosts"], f"{value}")
        source, target = folder / "cup.png", folder / "fetched.png"
        source.write_bytes(PICTURE)
        value = await one(alice, "upload", str(source), "eve@localhost", "--caption", "my cup", "--original",
                          "--wait", "acknowledged")
        check(value["schema"] == "apus.sent/1" and value["message"]["state"] in ("acknowledged", "delivered"), f"{value}")

        async def came():
            return [m for m in await eve.history("alice@localhost") if m.get("attachments")]
        [message] = await poll(came, lambda found: len(found) == 1, "the file")
        [file] = message["attachments"]
        check(message["body"] == "my cup" and file["name"] == "cup.png", f"{message}")
        value = await one(eve, "fetch", message["id"], "--output", str(target))
        check(value["schema"] == "apus.file/1" and target.read_bytes() == PICTURE, f"{value}")


async def export(suite, alice, folder, run_id):
    async with suite.case("export and import: JSON comes back in an empty profile, once; HTML and text are whole"):
        whole = [m["body"] for m in await alice.history("bob@localhost")]
        paths = {name: str(folder / f"bob.{name}") for name in ("json", "html", "text")}
        for name, path in paths.items():
            value = await one(alice, "export", "bob@localhost", "--format", name, "-o", path)
            check(value["schema"] == "apus.exported/1" and value["files"] == [path], f"{value}")
        check(f"{run_id} quick brown fox" in open(paths["text"], encoding="utf-8").read(), "the text lacks a message")
        page = open(paths["html"], encoding="utf-8").read()
        check("准备吃饭了" in page and "<script" not in page, "the page lacks a message, or has a script")
        text = await refused(alice, "export", "bob@localhost", "-o", paths["json"])
        check("exist" in text.lower(), text)
        value = await one(alice, "import", paths["json"])
        check(value["schema"] == "apus.imported/1" and value["messages"] == 0, f"all is here already: {value}")
        broken = folder / "broken.json"
        broken.write_text("{}\n")
        text = await refused(alice, "import", str(broken))
        check("no exported conversation" in text, text)
        return whole, paths["json"]


async def elsewhere(suite, server, folder, whole, exported):
    carol = Profile("carol", folder / "carol")
    try:
        async with suite.case("import: another profile gets the conversation, in order, and a second time nothing"):
            await carol.account("add", "carol@localhost", "secret", server)
            value = await one(carol, "import", exported)
            check(value["messages"] == len(whole), f"{value}, {len(whole)} were exported")
            check([m["body"] for m in await carol.history("bob@localhost")] == whole, "another order")
            check((await one(carol, "import", exported))["messages"] == 0, "twice")
    finally:
        await carol.end()


async def backup(suite, alice, folder):
    async with suite.case("backup: whole while the profile is in use, for its owner alone, without secrets"):
        path = folder / "copy.db"
        value = await one(alice, "backup", str(path))
        check(value["schema"] == "apus.backup/1" and value["path"] == str(path), f"{value}")
        check(path.stat().st_mode & 0o777 == 0o600, f"mode {path.stat().st_mode:o}")
        with sqlite3.connect(path) as copy:
            check(copy.execute("PRAGMA quick_check").fetchall() == [("ok",)], "the copy is damaged")
            check(copy.execute("SELECT count(*) FROM message").fetchone()[0] > 5, "messages are missing")
        check(b"alicespassword" not in path.read_bytes(), "a password is in the copy")


async def account(suite, alice, server, folder):
    async with suite.case("account export and import: contacts, profile, blocked and messages reach another account"):
        await alice.run("contacts", "add", "bob@localhost", "--name", "Bob")
        await alice.run("requests", "block", "eve@localhost")
        path = folder / "alice.xml"
        value = await one(alice, "account", "export", "-o", str(path))
        check(value["schema"] == "apus.exported/1", f"{value}")
        text = path.read_text(encoding="utf-8")
        check("alicespassword" not in text and "urn:xmpp:pie:0" in text and "准备吃饭了" in text, "not whole")
        dora = Profile("dora", folder / "dora")
        try:
            await dora.account("add", "dora@localhost", "secret", server)
            value = await one(dora, "account", "import", str(path))
            check(value["schema"] == "apus.imported/1", f"{value}")
            check(value["contacts"] == 1 and value["blocked"] == 1 and value["card"] is True, f"{value}")
            check(value["messages"] > 5, f"{value}")

            async def names():
                return [c.get("name") for c in (await one(dora, "contacts"))["contacts"]]
            await poll(names, lambda found: found == ["Bob"], "the contact")
            check((await one(dora, "profile"))["full_name"] == "Alice <&>", "the profile")
            again = await one(dora, "account", "import", str(path))
            check(again["contacts"] == 0 and again["messages"] == 0 and again["blocked"] == 0, f"{again}")
        finally:
            await dora.end()


async def run(kind, folder, suite):
    run_id = uuid.uuid4().hex[:8]
    server = await Server(
        kind, folder / "server",
        ACCOUNTS="alice:alicespassword bob:secret carol:secret dora:secret eve:secret").start()
    print(f"server {kind} {server.version}", flush=True)
    alice = Profile("alice", folder / "alice")
    eve = Profile("eve", folder / "eve")
    bob = Peer("bob@localhost/slixmpp", "secret", "127.0.0.1", server.port, server.authority)
    await bob.login()
    try:
        await alice.account("add", "alice@localhost", "alicespassword", server)
        listener = await Listener(alice).start()
        await conversations(suite, alice, listener, bob, run_id)
        await search(suite, alice, listener, bob, run_id)
        await mute(suite, alice)
        await notifications(suite, alice)
        await blocking(suite, alice, bob)
        await profile(suite, alice, kind)
        await eve.account("add", "eve@localhost", "secret", server)
        guest = await Listener(eve).start()
        await rooms(suite, alice, eve, folder)
        await upload(suite, alice, eve, folder)
        await guest.end()
        whole, exported = await export(suite, alice, folder, run_id) or ([], "")
        await elsewhere(suite, server, folder, whole, exported)
        await backup(suite, alice, folder)
        await account(suite, alice, server, folder)
        await listener.end()
    finally:
        await alice.end()
        await eve.end()
        await bob.logout()
        await server.stop()


async def body():
    suite = Suite(f"commands on {sys.argv[1]}")
    with scratch() as folder:
        await run(sys.argv[1], folder, suite)
    suite.finish()


if __name__ == "__main__":
    main(body)
