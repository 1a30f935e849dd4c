# SPDX-License-Identifier: Apache-2.0
"""Text from strangers, codes and links."""

import json

from browser import DESK, PHONE, check, expect, go, seat, serious, settled
from scene import BO, MARK, ME, ROOM, chat, opened
from standin import StandIn, picture


STRANGE = """() => [...document.querySelectorAll('script:not([src="/app/main.js"]), [onerror], b:not(.draft, [dir]), img:not([src^="/"], [src^="blob:"])')].map((one) => one.outerHTML.slice(0, 80))"""


def poison(site):
    """The marker in every field that can come from somebody else."""
    people = [("Ana", ME, "owner", "moderator"), (MARK, MARK, "member", "participant")]
    site.rooms[ROOM] = {"account": ME, "room": ROOM, "kind": "channel", "name": MARK, "topic": MARK, "description": MARK, "nick": "Ana", "joined": True,
                        "members": [{"nick": nick, "address": address, "affiliation": affiliation, "role": role, "online": True} for nick, address, affiliation, role in people]}
    site.conversation(ROOM, [("in", MARK, 5), ("in", "", 4)], MARK, kind="room", draft=MARK, mentions=1, room={"state": "out", "reason": MARK, "text": MARK, "wanted": True, "nick": MARK, "topic": MARK})
    said, taken = site.messages[ROOM]
    said.update(sender=f"{ROOM}/{MARK}", sender_name=MARK, mention=True)
    taken.update(sender=f"{ROOM}/{MARK}", sender_name=MARK, retracted=site.now(), moderation={"by": MARK, "reason": MARK})
    site.requests.append({"account": ME, "address": ROOM, "kind": "room", "inviter": MARK, "text": MARK, "received_at": site.now()})
    site.channels = [{"address": ROOM, "name": MARK, "description": MARK, "people": 3, "shows_address": True}]
    site.blocked = [MARK]
    site.profile = {name: MARK for name in ("name", "nickname", "title", "organization", "note", "address")} | {"emails": [MARK], "phones": [MARK], "links": [MARK]}
    site.files["p"] = ("image/png", picture(9, 9, 1))


async def hostile(suite, browser):
    site = StandIn()
    site.me = ME
    poison(site)
    site.accounts = [site.account(ME, "failed", error={"code": MARK, "message": MARK, "hint": MARK, "retryable": False})]
    site.contact(BO, MARK, "online", MARK, groups=[MARK])
    site.contacts[0]["presence"]["resources"] = [MARK]
    site.requests.append({"account": ME, "address": "x@" + MARK, "text": MARK, "received_at": site.now()})
    site.conversation(BO, [("in", MARK, 9), ("in", f"{MARK}\n> {MARK}\n```\n{MARK}\n```\n*{MARK}*\nhttps://a.example/{MARK}", 8), ("out", MARK, 7, "failed")], MARK, unread=1, topic=MARK)
    last = site.messages[BO][-1]
    last["failure"] = {"code": MARK, "message": MARK, "hint": MARK, "retryable": True}
    site.messages[BO][0].update(reply={"message": "m1", "sender": MARK, "sender_name": MARK, "body": MARK}, sender_name=MARK,
                                reactions=[{"emoji": MARK, "count": 2, "people": [MARK], "own": True}], origin_id=MARK, edited=site.now(),
                                attachments=[{"id": MARK, "name": MARK, "type": MARK, "size": 3}, {"id": "p", "name": MARK, "type": "image/png", "width": 9, "height": 9}])
    site.sessions[1]["label"] = MARK
    async with suite.case("T167 markup in every field stays text, on every screen"):
        someone, page = await opened(site, browser, kind=DESK)
        for path in ("/", chat(BO), chat(BO, "details"), "/#/people", f"/#/contact/{ME}/{BO}", "/#/new", "/#/settings/devices", "/#/settings/connection", f"/#/settings/account/{ME}", chat(ROOM), chat(ROOM, "details")):
            await go(page, site.url + path)
            strange = await page.evaluate(STRANGE)
            check(not strange, f"{path}: {strange}")
            check(not await page.evaluate("window.hit"), f"{path}: the marker ran")
        await go(page, site.url + chat(BO))
        check(await page.get_by_text("<b>mark</b>").count() > 0, "the marker is not shown as text")
        for row in range(2):
            await page.locator(".message").nth(row).press("Enter")
            await page.get_by_role("menuitem", name="Info").click()
            await page.wait_for_selector("dialog .facts")
            await settled(page)
            check(not await page.evaluate("window.hit"), "the marker ran in the sheet")
            await page.keyboard.press("Escape")
            await page.wait_for_selector("dialog", state="detached")
            await settled(page)
        # What opens above the pages.
        for path, button in (("/#/new", "Find channels"), (f"/#/settings/account/{ME}", "Blocked addresses"), (chat(BO, "details"), "Pictures and files")):
            await go(page, site.url + path)
            await page.get_by_role("button", name=button).click()
            await page.locator("dialog").get_by_text("<b>mark</b>").first.or_(page.locator(".gallery-grid img")).first.wait_for()
            await settled(page)
            strange = await page.evaluate(STRANGE)
            check(not strange and not await page.evaluate("window.hit"), f"{button}: {strange}")
            await page.keyboard.press("Escape")
            await page.wait_for_selector("dialog", state="detached")
            await settled(page)
        bad = [one for one in someone.faults if "Content Security Policy" in one or "TrustedHTML" in one or "thrown" in one]
        check(not bad, str(bad))
        await someone.close()
    async with suite.case("T167 a link of any other scheme is text, and an odd one opens nothing of ours"):
        site.conversation("cy@chat.example", [("in", "javascript:window.hit=1 data:text/html,x file:///etc/passwd vbscript:x https://ok.example/a", 5)], "Cy")
        someone, page = await opened(site, browser, chat("cy@chat.example"))
        await page.locator(".message a").first.wait_for()
        links = await page.eval_on_selector_all(".message a", "(all) => all.map((one) => [one.getAttribute('href'), one.rel, one.target])")
        check(links == [["https://ok.example/a", "noopener noreferrer nofollow", "_blank"]], str(links))
        await someone.close()
    async with suite.case("T166 the one-time code leaves the address before anything else, and is used once"):
        site.signed_in = False
        someone = await seat(browser, "new")
        page = await someone.page()
        # While more is asked for than the code, which takes as long as the person likes.
        site.needs_password = True
        await page.goto(f"{site.url}/#pair={site.code}")
        await page.locator("input[name=password]").wait_for(state="visible")
        check(await page.evaluate("location.href") == f"{site.url}/", await page.evaluate("location.href"))
        site.needs_password = False
        await page.goto("about:blank")
        await page.goto(f"{site.url}/#pair={site.code}")
        await page.locator("chat-list .row").first.wait_for()
        await settled(page)
        check(await page.evaluate("location.href") == f"{site.url}/", await page.evaluate("location.href"))
        paired = [call for call in site.calls if call[1] == ["pair"]]
        check(len(paired) == 1 and paired[0][3].get("X-Apus-Token") == "pair", str(paired))
        check(not any(site.code in json.dumps([call[1], call[2]]) for call in site.calls if call[1] != ["pair"]), "the code was sent elsewhere")
        check(site.code not in await page.evaluate("JSON.stringify(localStorage) + JSON.stringify(sessionStorage)"), "the code is stored")
        for _ in range(2):
            await page.go_back()
            check(site.code not in page.url, "the code is in the history")
        await someone.close()
    async with suite.case("a wrong code says so, and the page tells who can read what"):
        site.signed_in = False
        someone = await seat(browser, "new", PHONE)
        page = await someone.page()
        await page.goto(f"{site.url}/#pair=wrong")
        await expect(page.get_by_role("alert").filter(has_text="wrong, used up or too old")).to_be_visible()
        await expect(page.get_by_role("heading", name="Who can read what")).to_be_visible()
        await settled(page)
        check(not await serious(page), "axe: serious")
        await someone.close()
        site.signed_in = True
