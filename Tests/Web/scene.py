# SPDX-License-Identifier: Apache-2.0
"""A profile that looks like one in use, and ways through its pages."""

from browser import DESK, go, seat, settled
from standin import StandIn, picture

ME, BO, ROOM = "ana@chat.example", "bo@chat.example", "choir@rooms.example"
MARK = '"><img src=x onerror="window.hit=1"><script>window.hit=1</script><b>mark</b>'


def chat(peer, *more):
    return "/#/chat/" + "/".join([ME.replace("@", "%40"), peer.replace("@", "%40"), *more])


async def opened(site, browser, path="/", kind=DESK, name="ana", **options):
    """A browser that is signed in, with a page that has drawn."""
    someone = await seat(browser, name, kind, **options)
    page = await someone.page()
    await page.goto(site.url + path)
    await page.wait_for_selector("apus-shell")
    await settled(page)
    return someone, page


SCREENS = (
    ("list", "/#/chats", "chat-list .row"), ("chat", chat(BO), ".message"), ("details", chat(BO, "details"), ".portrait"),
    ("failed", chat("eli@other.example"), ".failure"), ("people", "/#/people", ".request"), ("new", "/#/new", "apus-new-chat .actions"),
    ("contact", f"/#/contact/{ME}/{BO}", "apus-details"), ("settings", "/#/settings", "apus-settings-list"),
    ("appearance", "/#/settings/appearance", ".segments"), ("notifications", "/#/settings/notifications", ".settings-page .card"),
    ("devices", "/#/settings/devices", ".device"), ("connection", "/#/settings/connection", ".state-line"),
    ("account", f"/#/settings/account/{ME}", "apus-account .action-row"), ("add-account", "/#/settings/add-account", "apus-first-run form"),
    ("about", "/#/settings/about", ".settings-page .facts"))


async def screens(page, url, all_of_them=SCREENS):
    """Walks through every screen; yields the name of each once it is drawn."""
    for name, path, there in all_of_them:
        await go(page, url + path)
        await page.locator(there).first.wait_for(state="visible")
        yield name


def lived_in(everything=False):
    """With `everything` there are files, a room and channels, too."""
    s = StandIn()
    s.contact("bo@chat.example", "Bo Lindqvist", "online", "on the train")
    s.contact("cy@chat.example", "Cy", "away")
    s.contact("mei@chat.example", "陳美玲", "online", "準備吃飯了")
    s.contact("dana@other.example", "Dana Okafor", "dnd", "writing")
    s.contact("eli@other.example", "Eli", "offline")
    s.contact("noor@chat.example", "نور الهاشمي", "xa")
    s.contact("far@other.example", None, "unknown", subscription="none", asked=True)
    s.requests.append({"account": s.me, "address": "x@spam.example", "kind": "contact", "text": "Hi dear, I have an offer for you", "received_at": s.now(hours=3)})
    s.requests.append({"account": s.me, "address": "finn@other.example", "text": "It is Finn from the choir", "received_at": s.now(days=1)})
    s.conversation("bo@chat.example", [
        ("in", "Hi! Did you get the photos from the lake?", 1500), ("out", "Yes, they are great", 1496),
        ("out", "The one with the swifts is my favourite. They came so low over the water that I could hear their wings.", 1495),
        ("in", "Thanks 😊", 1490), ("in", "🎉", 1489),
        ("in", "Plan for tomorrow:\n*Train* at 9:40, then _coffee_ at the harbour.\n> bring the map\nDetails: https://chat.example/trips/harbour?day=tomorrow&map=1", 130),
        ("out", "Perfect. I will bring `map.pdf` and the keys", 125, "displayed"), ("out", "And cake", 124, "delivered"),
        ("in", "Are you coming by bike?", 4), ("in", "It looks like rain later", 3)], "Bo Lindqvist", unread=2)
    s.conversation("mei@chat.example", [("in", "晚上一起吃飯嗎？", 62), ("out", "好啊，六點在車站見", 60, "displayed")], "陳美玲")
    s.conversation("cy@chat.example", [("in", "ok", 300), ("out", "Sent you the file, please have a look when you find the time for it", 290, "acknowledged")], "Cy", pinned=True)
    s.conversation("dana@other.example", [("in", "See you on Thursday", 1700)], "Dana Okafor", unread=14, level="none")
    s.conversation("noor@chat.example", [("in", "شكرا جزيلا! أراك غدا في المكتبة", 2900), ("out", "على الرحب والسعة", 2890, "displayed")], "نور الهاشمي")
    s.conversation("eli@other.example", [("in", "Call me", 9000), ("out", "Will do", 8990, "failed", )], "Eli")
    s.messages["eli@other.example"][-1]["failure"] = {"code": "refused", "message": "the server of other.example does not answer", "hint": "try again later", "retryable": True}
    if everything:
        with_files(s)
        with_room(s)
    for i in range(30):
        s.conversation(f"person{i}@chat.example", [("in", f"Message number {i}", 12000 + i * 700)], f"Person {i}")
    return s


def with_files(s):
    """Pictures, a sound and a paper in the chat with Bo."""
    for i in range(7):
        s.files[f"p{i}"] = ("image/png", picture(240, 160 if i % 2 else 300, i))
    s.files["doc"] = ("application/octet-stream", b"%PDF-1.4")
    stored = s.messages[BO]
    shot = lambda i: {"id": f"p{i}", "name": f"lake-{i}.png", "type": "image/png", "size": 48_000 + i, "width": 240, "height": 160 if i % 2 else 300}
    for i, (direction, text, files, age) in enumerate((
            ("in", "The lake this morning", [shot(0), shot(1), shot(2)], 90_000), ("out", "", [shot(3)], 45_000), ("in", "The programme", [{"id": "doc", "name": "programme.pdf", "type": "application/pdf", "size": 240_112}], 1600),
            ("in", "", [{"id": "v", "name": "voice.ogg", "type": "audio/ogg", "size": 9_000, "duration_ms": 12_000}], 1550), ("in", "Swifts!", [shot(4), shot(5)], 1520))):
        message = s.make(BO, direction, text, age, attachments=files)
        message["position"] = -10 + i
        stored.insert(i, message)


def with_room(s):
    """A room with a moderator's rights for us, and an invitation to another one."""
    people = [("Ana", s.me, "owner", "moderator", True), ("Bo", BO, "admin", "moderator", True), ("Cy", "cy@chat.example", "member", "participant", True),
              ("陳美玲", "mei@chat.example", "member", "participant", False), ("Dana", "dana@other.example", "none", "visitor", True), ("spammer", "x@spam.example", "outcast", None, False)]
    members = [{"nick": nick, "address": address, "affiliation": affiliation, "online": online, **({"role": role} if role and online else {})} for nick, address, affiliation, role, online in people]
    s.rooms[ROOM] = {"account": s.me, "room": ROOM, "kind": "group", "name": "Choir", "topic": "Rehearsal on Thursday at seven", "nick": "Ana", "joined": True, "members": members}
    s.conversation(ROOM, [("in", "Who brings the scores?", 210), ("in", "Not me this time", 209), ("in", "I can, if somebody has the key", 205), ("out", "I have it", 200, "delivered"),
                          ("in", "Ana, can you open the hall at half past six?", 12), ("in", "buy cheap things at my shop", 11), ("in", "Twelve of us today", 10)],
                   "Choir", unread=0, kind="room", room={"state": "joined", "wanted": True, "topic": "Rehearsal on Thursday at seven", "nick": "Ana", "kind": "group"})
    for message, nick in zip(s.messages[ROOM], ("Bo", "Bo", "Cy", "Ana", "陳美玲", "Dana", "Cy")):
        message.update(sender=f"{ROOM}/{nick}", sender_name=nick)
    s.messages[ROOM][4]["mention"] = True
    s.requests.append({"account": s.me, "address": "books@rooms.example", "kind": "room", "inviter": "dana@other.example", "text": "We read one a month", "received_at": s.now(hours=1)})
    s.channels = [{"address": "swift@rooms.example", "name": "Swift", "description": "Everything about the language, and the birds", "people": 120, "language": "en", "open": True, "shows_address": False},
                  {"address": "town@rooms.example", "name": "Town square", "people": 41, "language": "de", "open": True, "shows_address": True},
                  {"address": "board@rooms.example", "name": "Board", "people": 5, "open": False, "shows_address": True}]
