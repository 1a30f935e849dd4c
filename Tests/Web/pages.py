# SPDX-License-Identifier: Apache-2.0
"""The pages against the stand-in: faults on command, hostile text, long histories, every width."""

import asyncio
import json
import re
import sys
import time

from browser import DESK, PHONE, Suite, check, chromium, expect, overflow, seat, serious, shot
from scene import lived_in
from standin import StandIn

ME, BO = "ana@chat.example", "bo@chat.example"
MARK = '"><img src=x onerror="window.hit=1"><script>window.hit=1</script><b>mark</b>'


def chat(peer, *more):
    return "/#/chat/" + "/".join([ME.replace("@", "%40"), peer.replace("@", "%40"), *more])


async def opened(site, browser, path="/", kind=DESK, name="ana", **options):
    someone = await seat(browser, name, kind, **options)
    page = await someone.page()
    await page.goto(site.url + path)
    await page.wait_for_selector("apus-shell")
    return someone, page


async def screens(page, url):
    """Walks through every screen; yields the name of each once it is there."""
    for name, path, there in (
            ("list", "/#/chats", "chat-list .row"), ("chat", chat(BO), ".message"), ("details", chat(BO, "details"), ".portrait"),
            ("failed", chat("eli@other.example"), ".failure"), ("people", "/#/people", ".request"), ("new", "/#/new", "apus-new-chat .actions"),
            ("contact", f"/#/contact/{ME}/{BO}", "apus-details"), ("settings", "/#/settings", "apus-settings-list"),
            ("appearance", "/#/settings/appearance", ".segments"), ("notifications", "/#/settings/notifications", ".settings-page .card"),
            ("devices", "/#/settings/devices", ".device"), ("connection", "/#/settings/connection", ".state-line"),
            ("account", f"/#/settings/account/{ME}", "apus-account .action-row"), ("add-account", "/#/settings/add-account", "apus-first-run form"),
            ("about", "/#/settings/about", ".settings-page .facts")):
        await page.goto(url + path)
        await page.wait_for_selector(there, state="visible")
        await page.wait_for_timeout(60)
        yield name


async def looks(suite, browser):
    site = lived_in()
    for label, kind, scheme, more in (("phone light", PHONE, "light", {}), ("phone dark", PHONE, "dark", {}), ("desk light", DESK, "light", {}), ("desk dark", DESK, "dark", {})):
        async with suite.case(f"axe finds nothing serious, and nothing reaches out of the page: {label}"):
            someone, page = await opened(site, browser, kind=kind, scheme=scheme, **more)
            problems = []
            async for name in screens(page, site.url):
                problems += [f"{name}: {one}" for one in await serious(page, "color-contrast" if scheme == "dark" else None)]
                problems += [f"{name}: too wide: {one}" for one in await overflow(page)]
            missing = await page.evaluate("document.documentElement.dataset.missing ?? ''")
            check(not problems, "\n     ".join(problems[:12]))
            check(not missing, f"missing strings: {missing}")
            check(not someone.faults, str(someone.faults))
            await someone.close()
    async with suite.case("right to left, huge text and a narrow screen: nothing is cut off"):
        someone, page = await opened(site, browser, kind={**PHONE, "viewport": {"width": 320, "height": 640}})
        await page.evaluate("localStorage.setItem('apus.preferences', JSON.stringify({ size: 'huge' }))")
        await page.reload()
        problems = []
        for direction in ("ltr", "rtl"):
            async for name in screens(page, site.url):
                await page.evaluate("(d) => { document.documentElement.dir = d }", direction)
                problems += [f"{direction} {name}: {one}" for one in await overflow(page)]
        check(not problems, "\n     ".join(problems[:12]))
        await someone.close()
    for tag, word in (("zh-TW", "聊天"), ("zh-CN", "聊天"), ("de-DE", "Chats")):
        async with suite.case(f"a browser that prefers {tag} reads {word}, and one language is loaded"):
            someone, page = await opened(site, browser, locale=tag)
            await expect(page.get_by_role("heading", level=1, name=word)).to_be_visible()
            loaded = await page.evaluate("performance.getEntriesByType('resource').filter((one) => one.name.includes('/lang/')).length")
            check(loaded == 1, f"{loaded} languages were loaded")
            for path in ("/#/people", chat(BO), "/#/settings/connection"):
                await page.goto(site.url + path)
                await page.wait_for_timeout(150)
            missing = await page.evaluate("document.documentElement.dataset.missing ?? ''")
            check(not missing, f"missing strings: {missing}")
            await someone.close()


async def hostile(suite, browser):
    site = StandIn()
    site.me = ME
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
        for kind in (PHONE, DESK):
            someone, page = await opened(site, browser, kind=kind)
            for path in ("/", chat(BO), chat(BO, "details"), "/#/people", f"/#/contact/{ME}/{BO}", "/#/new", "/#/settings/devices", "/#/settings/connection", f"/#/settings/account/{ME}"):
                await page.goto(site.url + path)
                await page.wait_for_timeout(250)
                strange = await page.evaluate("[...document.querySelectorAll('script:not([src=\"/app/main.js\"]), [onerror], b:not(.draft), img:not([src^=\"/\"])')].map((one) => one.outerHTML.slice(0, 80))")
                strange = [one for one in strange if "<b dir" not in one]
                check(not strange, f"{path}: {strange}")
                check(not await page.evaluate("window.hit"), f"{path}: the marker ran")
            await page.goto(site.url + chat(BO))
            await page.wait_for_selector(".message")
            check(await page.get_by_text("<b>mark</b>").count() > 0, "the marker is not shown as text")
            for row in range(2):
                await page.locator(".message").nth(row).focus()
                await page.keyboard.press("Enter")
                await page.get_by_role("menuitem", name="Info").click()
                await page.wait_for_selector("dialog .facts")
                check(not await page.evaluate("window.hit"), "the marker ran in the sheet")
                await page.keyboard.press("Escape")
                await page.wait_for_selector("dialog", state="detached")
            bad = [one for one in someone.faults if "Content Security Policy" in one or "TrustedHTML" in one or "thrown" in one]
            check(not bad, str(bad))
            await someone.close()
    async with suite.case("T167 a link of any other scheme is text, and an odd one opens nothing of ours"):
        site.conversation("cy@chat.example", [("in", "javascript:window.hit=1 data:text/html,x file:///etc/passwd vbscript:x https://ok.example/a", 5)], "Cy")
        someone, page = await opened(site, browser, chat("cy@chat.example"))
        await page.wait_for_selector(".message a")
        links = await page.eval_on_selector_all(".message a", "(all) => all.map((one) => [one.getAttribute('href'), one.rel, one.target])")
        check(links == [["https://ok.example/a", "noopener noreferrer nofollow", "_blank"]], str(links))
        await someone.close()
    async with suite.case("T166 the one-time code leaves the address before anything else, and is used once"):
        site.signed_in = False
        someone = await seat(browser, "new")
        page = await someone.page()
        await page.goto(f"{site.url}/#pair={site.code}")
        await page.wait_for_selector("chat-list .row")
        check(await page.evaluate("location.href") == f"{site.url}/", await page.evaluate("location.href"))
        paired = [call for call in site.calls if call[1] == ["pair"]]
        check(len(paired) == 1 and paired[0][3].get("X-Apus-Token") == "pair", str(paired))
        check(not any(site.code in json.dumps([call[1], call[2]]) for call in site.calls if call[1] != ["pair"]), "the code was sent elsewhere")
        check(site.code not in await page.evaluate("JSON.stringify(localStorage) + JSON.stringify(sessionStorage)"), "the code is stored")
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
        check(not await serious(page), "axe: serious")
        await someone.close()
        site.signed_in = True


async def unreliable(suite, browser):
    site = lived_in()
    someone, page = await opened(site, browser, chat(BO))
    await page.wait_for_selector(".message")
    field = page.locator("textarea")
    async with suite.case("the last 50 messages of the 30 latest conversations are kept, and no others"):
        kept = []
        for _ in range(80):
            kept = await page.evaluate("""() => new Promise((done) => {
              const open = indexedDB.open('apus');
              open.onsuccess = () => {
                const store = open.result.transaction('pages').objectStore('pages');
                const all = store.getAll();
                all.onsuccess = () => { open.result.close(); done(all.result.map((page) => page.length)); };
              };
            })""")
            if len(kept) >= 30:
                break
            await asyncio.sleep(0.2)
        check(len(kept) == 30 and max(kept) <= 50, f"{len(kept)} pages, the longest of {max(kept, default=0)}")
    async with suite.case("an xmpp link opens the chat here, and does nothing else"):
        before = len([call for call in site.calls if call[0] != "GET"])
        site.incoming(BO, "ask xmpp:cy@chat.example?message;body=hello")
        await page.locator(".message a[href^='xmpp:']").click()
        await expect(page.locator("apus-chat h1")).to_have_text("Cy")
        await page.goto(site.url + "/#/open/xmpp%3Amei%40chat.example")
        await expect(page.locator("apus-chat h1")).to_have_text("陳美玲")
        wrote = {call[1][0] for call in [one for one in site.calls if one[0] != "GET"][before:]}
        check(wrote <= {"resolve", "conversations"}, str(wrote))
        await page.goto(site.url + chat(BO))
        await page.wait_for_selector(".message")
    async with suite.case("T172 an answer that gets lost: the send is repeated with its key, and there is one message"):
        site.failing["POST .*/messages"] = "cut"
        await field.fill("once only")
        await page.keyboard.press("Enter")
        await expect(page.locator(".message.own").last).to_have_attribute("data-state", "queued")
        await page.wait_for_timeout(300)
        site.failing.clear()
        await page.evaluate("dispatchEvent(new Event('online'))")
        await expect(page.locator(".message", has_text="once only")).to_have_attribute("data-state", "acknowledged")
        keys = {call[3].get("Idempotency-Key") for call in site.calls if call[0] == "POST" and call[1][-1] == "messages"}
        check(len(keys) == 1, f"{len(keys)} keys")
        check(sum(one["body"] == "once only" for one in site.messages[BO]) == 1, "sent twice")
        await expect(page.locator(".message", has_text="once only")).to_have_count(1)
    async with suite.case("T172 a double click and two tabs: each wish once"):
        other = await someone.page()
        await other.goto(site.url + chat(BO))
        await other.wait_for_selector(".message")
        await field.fill("double")
        await page.locator(".send").dblclick()
        await expect(page.locator(".message", has_text="double")).to_have_count(1)
        await expect(other.locator(".message", has_text="double")).to_have_count(1)
        check(sum(one["body"] == "double" for one in site.messages[BO]) == 1, "sent twice")
        await other.close()
    async with suite.case("offline: the list and the chat are there after a reload, a send waits and goes in order"):
        await page.wait_for_timeout(2600)
        await someone.context.set_offline(True)
        await page.reload()
        await page.wait_for_selector(".message")
        await expect(page.get_by_text("Core not reachable").first).to_be_visible()
        for text in ("first while away", "second while away"):
            await field.fill(text)
            await page.keyboard.press("Enter")
        await expect(page.locator(".message.own").last).to_have_attribute("data-state", "queued")
        await page.reload()
        await expect(page.locator(".message", has_text="second while away")).to_have_attribute("data-state", "queued")
        await someone.context.set_offline(False)
        await expect(page.locator(".message", has_text="second while away")).to_have_attribute("data-state", "acknowledged", timeout=15_000)
        bodies = [one["body"] for one in site.messages[BO] if "while away" in one["body"]]
        check(bodies == ["first while away", "second while away"], str(bodies))
        await expect(page.locator(".message", has_text="while away")).to_have_count(2)
    async with suite.case("a refused message says why, is marked in the list, and goes when it is tried again"):
        site.failing["POST .*/messages"] = (400, {"code": "refused", "message": "the server said no", "retryable": False})
        await field.fill("try me")
        await page.keyboard.press("Enter")
        await expect(page.locator(".failure")).to_contain_text("the server said no")
        site.failing.clear()
        await page.locator(".failure").get_by_role("button", name="Try again").click()
        await expect(page.locator(".message", has_text="try me")).to_have_attribute("data-state", "acknowledged")
    async with suite.case("the stream is cut: what happened meanwhile is there afterwards, once"):
        site.cut()
        site.incoming(BO, "while the stream was cut")
        await expect(page.locator(".message", has_text="while the stream was cut")).to_have_count(1, timeout=15_000)
    async with suite.case("eight tabs share one stream, and another takes over when its tab is closed"):
        tabs = [page]
        for _ in range(7):
            tab = await someone.page()
            await tab.goto(site.url + "/")
            await tab.wait_for_selector("chat-list .row")
            tabs.append(tab)
        check(len(site.streams) == 1, f"{len(site.streams)} streams")
        site.incoming("cy@chat.example", "to all tabs")
        for tab in tabs[1:]:
            await expect(tab.locator("chat-list .row", has_text="to all tabs")).to_be_visible()
        await page.close()
        for _ in range(100):
            if len(site.streams) == 1:
                break
            await asyncio.sleep(0.1)
            site.emit({"type": "typing", "account": ME, "address": BO, "typing": False}, cursor=False)
        await asyncio.sleep(0.8)
        site.incoming("cy@chat.example", "after the change")
        await expect(tabs[3].locator("chat-list .row", has_text="after the change")).to_be_visible(timeout=15_000)
        page = tabs[1]
    async with suite.case("revoked elsewhere: every tab shows the pairing page and nothing is left in the browser"):
        site.signed_in = False
        site.emit({"type": "signed-out"}, cursor=False)
        for tab in tabs[1:4]:
            await tab.wait_for_selector("apus-pairing")
        await page.wait_for_timeout(400)
        left = await page.evaluate("""async () => ({
            databases: (await indexedDB.databases()).map((one) => one.name), 
            caches: (await Promise.all((await caches.keys()).map(async (name) => (await (await caches.open(name)).keys()).map((one) => one.url)))).flat().filter((one) => one.startsWith(`${location.origin}/api/`)), local: { ...localStorage } })""")
        check(left == {"databases": [], "caches": [], "local": {}}, str(left))
        check(not await page.get_by_text("Bo Lindqvist").count(), "a name is still on screen")
    await someone.close()


async def reading(suite, browser):
    site = StandIn()
    site.contact(BO, "Bo", "online")
    site.conversation(BO, [("in" if i % 3 else "out", f"Message {i} " + "words and words " * (i % 7), 3000 - i) for i in range(2000)], "Bo", unread=80)
    site.conversation("cy@chat.example", [("in", "hello", 1)], "Cy")
    someone, page = await opened(site, browser, chat(BO), kind=PHONE)
    await page.wait_for_selector(".message")
    async with suite.case("a chat opens at the first unread message, with a divider that counts"):
        await expect(page.locator(".unread-line")).to_be_visible()
        await expect(page.locator(".unread-line")).to_contain_text("80 new messages")
        top = await page.evaluate("document.querySelector('.unread-line').getBoundingClientRect().top")
        check(50 < top < 140, f"the divider is at {top}")
    async with suite.case("reading back: pages come in above, and the line under the eye does not move"):
        worst = 0
        for _ in range(25):
            moved = await page.evaluate("""async () => {
              const view = document.querySelector('.timeline');
              const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
              view.scrollTop -= 900;
              await frame();
              const rows = [...document.querySelectorAll('.message')].filter((one) => one.getBoundingClientRect().top > 200);
              const before = rows[0].getBoundingClientRect().top;
              await new Promise((done) => setTimeout(done, 60));
              await frame();
              return rows[0].isConnected ? Math.abs(rows[0].getBoundingClientRect().top - before) : 1000;
            }""")
            worst = max(worst, moved)
        check(worst <= 1.5, f"moved by {worst:.1f} px")
        count = await page.evaluate("document.querySelectorAll('.message').length")
        check(count < 120, f"{count} rows exist")
    async with suite.case("where messages are missing, the chat says so"):
        site.messages["cy@chat.example"][0]["gap"] = True
        other = await someone.page()
        await other.goto(site.url + chat("cy@chat.example"))
        await expect(other.locator(".gap")).to_contain_text("Messages may be missing here")
        await expect(other.get_by_text("beginning of what is stored")).to_be_visible()
        await other.close()
    async with suite.case("a message that comes in while reading back is counted on the button, which leads to it"):
        site.incoming(BO, "the newest of all")
        await expect(page.locator(".jump .badge")).to_have_text("1")
        await page.locator(".jump").click()
        await expect(page.locator(".message", has_text="the newest of all")).to_be_in_viewport()
        await expect(page.locator(".jump")).to_be_hidden()
    async with suite.case("at the bottom a new message scrolls into view and its text alone is announced"):
        site.incoming(BO, "another one")
        await expect(page.locator(".message", has_text="another one")).to_be_in_viewport()
        await expect(page.locator("[role=log]")).to_contain_text("Bo: another one")
        check("seen" not in await page.locator("[role=log]").inner_text(), "a state is announced")
    async with suite.case("a draft stays with its chat, over a reload, and is shown in the list"):
        await page.locator("textarea").fill("half a thought")
        await page.get_by_role("button", name="Back").click()
        await expect(page.locator("chat-list .row").first).to_contain_text("Draft: half a thought")
        await page.wait_for_timeout(200)
        await page.goto(site.url + chat("cy@chat.example"))
        await expect(page.locator("textarea")).to_have_value("")
        await page.goto(site.url + chat(BO))
        await page.reload()
        await expect(page.locator("textarea")).to_have_value("half a thought")
    async with suite.case("the composer grows with the text, stays on screen, and the keyboard covers nothing"):
        await page.locator("textarea").fill("\n".join(f"line {i}" for i in range(12)))
        box = await page.locator("textarea").bounding_box()
        check(90 < box["height"] < 180, f"{box['height']} px high")
        await page.set_viewport_size({"width": 390, "height": 440})
        await page.wait_for_timeout(200)
        row = await page.locator(".composer").bounding_box()
        check(row["y"] + row["height"] <= 441, "the composer is below the screen")
        await expect(page.locator(".message", has_text="another one")).to_be_in_viewport()
    await someone.close()


async def actions(suite, browser):
    """What a message and a chat can do, also what the service is only going to have."""
    site = lived_in(everything=True)
    someone, page = await opened(site, browser, chat(BO))
    await page.wait_for_selector(".message")
    row = page.locator(".message.own", has_text="And cake")

    async def menu(target, *names):
        await target.focus()
        await page.keyboard.press("Enter")
        for name in names:
            await page.get_by_role("menuitem", name=name, exact=True).click()

    async with suite.case("react from the strip, with another emoji, and take it back"):
        await menu(row)
        await page.get_by_role("dialog").get_by_role("button", name="👍").click()
        await expect(row.locator(".reaction.own")).to_have_text("👍")
        await menu(row)
        await page.get_by_role("button", name="More emoji").click()
        await page.get_by_role("button", name="🎸").click()
        await expect(row.locator(".reaction.own")).to_have_count(2)
        await row.locator(".reaction", has_text="👍").click()
        await expect(row.locator(".reaction.own")).to_have_count(1)
        await expect(row.locator(".reaction.own")).to_have_text("🎸")
    async with suite.case("reply with a quote that jumps and lights up"):
        await menu(page.locator(".message", has_text="photos from the lake"), "Reply")
        await page.keyboard.type("the best ones")
        await page.keyboard.press("Enter")
        quote = page.locator(".message", has_text="the best ones").locator(".quote")
        await expect(quote).to_contain_text("photos from the lake")
        await quote.click()
        await expect(page.locator(".message.flash")).to_contain_text("photos from the lake")
    async with suite.case("correct the last message by the arrow key; escape gives the draft back"):
        field = page.locator("textarea")
        await field.press("ArrowUp")
        await expect(field).to_have_value("the best ones")
        await field.press("Escape")
        await expect(field).to_have_value("")
        await field.press("ArrowUp")
        await field.fill("the very best ones")
        await page.keyboard.press("Enter")
        await expect(page.locator(".message", has_text="the very best ones")).to_contain_text("edited")
    async with suite.case("info tells former texts and who has seen it; copy copies; delete asks first"):
        await menu(page.locator(".message", has_text="the very best ones"), "Info")
        await expect(page.get_by_role("dialog")).to_contain_text("an older text")
        await page.keyboard.press("Escape")
        await someone.context.grant_permissions(["clipboard-read", "clipboard-write"])
        await menu(page.locator(".message", has_text="the very best ones"), "Copy")
        await expect(page.locator(".toast")).to_contain_text("Copied")
        check(await page.evaluate("navigator.clipboard.readText()") == "the very best ones", "not copied")
        await menu(page.locator(".message", has_text="the very best ones"), "Delete for everyone")
        await page.get_by_role("dialog").get_by_role("button", name="Delete for everyone").click()
        await expect(page.locator(".retracted")).to_have_count(1)
        check(not await page.get_by_text("the very best ones").count(), "the text is still there")
    async with suite.case("mute for hours, pin and archive from the list; each shows at once"):
        item = page.locator("chat-list .row", has_text="陳美玲")
        for name, then in (("Mute", "For 8 hours"), ("Pin", None)):
            await item.click(button="right")
            await page.get_by_role("menuitem", name=name, exact=True).click()
            if then:
                await page.get_by_role("menuitem", name=then).click()
        await expect(item).to_contain_text("muted")
        await expect(item).to_contain_text("pinned")
        check(any("muted_until" in change for _, change in site.changes), str(site.changes))
        await item.click(button="right")
        await page.get_by_role("menuitem", name="Archive", exact=True).click()
        await expect(item).to_have_count(0)
        await page.get_by_role("button", name="Archived").click()
        await expect(item).to_be_visible()
        await page.get_by_role("button", name="All", exact=True).click()
        await expect(item).to_have_count(0)
    async with suite.case("what a stranger writes has a place of its own and is not counted"):
        site.conversation("odd@far.example", [("in", "buy now", 0)], unread=0, stranger=True)
        before = await page.title()
        one = site.conversations[-1]
        one["unread"] = 1
        site.emit({"type": "conversation", "conversation": one})
        await page.get_by_role("button", name="Strangers").click()
        await expect(page.locator("chat-list .row")).to_have_count(1)
        await expect(page.locator("chat-list .row")).to_contain_text("buy now")
        await page.get_by_role("button", name="All", exact=True).click()
        await expect(page.locator("chat-list .row", has_text="buy now")).to_have_count(0)
        check(await page.title() == before, await page.title())
    async with suite.case("search finds, marks, and jumps to the place"):
        await page.get_by_role("link", name="Search").click()
        await page.locator("apus-search input").fill("swifts")
        await expect(page.locator(".hit mark")).to_have_text("swifts")
        check(not await serious(page), "axe: serious")
        await page.locator(".hit .row").click()
        await expect(page.locator(".message.flash")).to_contain_text("swifts")
    async with suite.case("a group is made with people ticked; nobody is asked for a server"):
        await page.goto(site.url + "/#/new")
        await page.get_by_role("button", name="Private group").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Name").fill("Family")
        await dialog.get_by_label("Bo Lindqvist").check()
        check(not await serious(page), "axe: serious")
        await dialog.get_by_role("button", name="Create").click()
        await expect(page.locator("apus-chat h1")).to_have_text("Family")
        made = next(call for call in site.calls if call[1] == ["rooms"])[2]
        check(made["kind"] == "group" and made["invite"] == [BO], str(made))
    async with suite.case("pictures are picked and pasted, made smaller, tried again, and go with their words"):
        await page.goto(site.url + chat(BO))
        await page.wait_for_selector(".message")
        big = await page.evaluate("""async () => {
          const canvas = new OffscreenCanvas(3000, 2000);
          const paint = canvas.getContext("2d");
          for (let i = 0; i < 4000; i++) { paint.fillStyle = `hsl(${i} 80% 50%)`; paint.fillRect(Math.random() * 3000, Math.random() * 2000, 60, 60); }
          return [...new Uint8Array(await (await canvas.convertToBlob({ type: "image/png" })).arrayBuffer())];
        }""")
        site.failing["POST .*/uploads"] = (413, {"code": "too-large", "message": "the file is too large", "retryable": False})
        await page.locator("input[type=file]").set_input_files([{"name": "lake.png", "mimeType": "image/png", "buffer": bytes(big)}])
        await expect(page.locator(".tray li")).to_contain_text("the file is too large")
        await expect(page.locator(".send")).to_be_disabled()
        site.failing.clear()
        await page.locator(".tray").get_by_role("button", name="Try again").click()
        await expect(page.locator(".send")).to_be_enabled()
        await page.locator("textarea").fill("the lake")
        check(not await serious(page), "axe: serious")
        await shot(page, "desktop-light-attach")
        await page.keyboard.press("Enter")
        await expect(page.locator(".message", has_text="the lake").last.locator(".picture")).to_be_visible()
        sent = next(iter(site.uploads.values()))
        check(sent["name"] == "lake.jpg", str(sent))
        await expect(page.locator(".tray li")).to_have_count(0)
    async with suite.case("every screen of what is to come: axe finds nothing serious, no string is missing"):
        problems = []
        async for name in screens(page, site.url):
            problems += [f"{name}: {one}" for one in await serious(page) + await overflow(page)]
        check(not problems, "\n     ".join(problems[:10]))
        missing = await page.evaluate("document.documentElement.dataset.missing ?? ''")
        check(not missing, f"missing strings: {missing}")
        check(not someone.faults, str(someone.faults))
    await someone.close()
    async with suite.case("by touch: pulling a message answers it, a long press opens its sheet, an edge does nothing"):
        phone, page = await opened(site, browser, chat(BO), kind=PHONE)
        await page.wait_for_selector(".message")
        session = await phone.context.new_cdp_session(page)
        box = await page.locator(".message", has_text="Are you coming").locator(".bubble").bounding_box()
        x, y = box["x"] + 30, box["y"] + 12

        async def touch(kind, *points):
            await session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": a, "y": b} for a, b in points]})

        async def pull(left):
            await touch("touchStart", (left, y))
            for step in range(1, 9):
                await touch("touchMove", (left + step * 12, y))
            await touch("touchEnd")

        await pull(10)
        await expect(page.locator(".composer-context")).to_be_hidden()
        await pull(x)
        await expect(page.locator(".composer-context")).to_contain_text("Are you coming by bike?")
        await touch("touchStart", (x, y - 4))
        await expect(page.get_by_role("menuitem", name="Copy")).to_be_visible()
        await touch("touchEnd")
        await expect(page.get_by_role("dialog")).to_have_count(1)
        await shot(page, "phone-light-message-sheet")
        await phone.close()


# The browser's own push service is far away: this one answers at once.
PUSH = """
  const made = { endpoint: 'https://push.example/x', toJSON: () => ({ endpoint: 'https://push.example/x', keys: { p256dh: 'p', auth: 'a' } }), unsubscribe: async () => { window.sub = null; return true; } };
  PushManager.prototype.subscribe = async (options) => { window.asked = options; window.sub = made; localStorage.sub = 'yes'; return made; };
  PushManager.prototype.getSubscription = async () => (window.sub ?? (localStorage.sub ? made : null));
"""


async def notices(suite, browser):
    """Notifications: in the page, by the system, and by push when no page is open."""
    site = lived_in(everything=True)
    someone = await seat(browser, "ana", DESK)
    await someone.context.add_init_script(PUSH)
    await someone.context.grant_permissions(["notifications"], origin=site.url)
    page = await someone.page()
    await page.goto(site.url + "/#/settings/notifications")
    async with suite.case("push is turned on by a tap, given to the service, and again at the next start"):
        await page.get_by_role("button", name="Turn on").click()
        await expect(page.get_by_text("even while no page is open")).to_be_visible()
        check(site.push == {"endpoint": "https://push.example/x", "keys": {"p256dh": "p", "auth": "a"}}, str(site.push))
        check(await page.evaluate("window.asked.userVisibleOnly && window.asked.applicationServerKey.length === 65"), "asked for otherwise")
        site.push = None
        await page.reload()
        await expect(page.get_by_text("even while no page is open")).to_be_visible()
        for _ in range(50):
            if site.push:
                break
            await asyncio.sleep(0.1)
        check(site.push, "it was not sent again")
    async with suite.case("a push is shown as text, one for each chat; a message in a hidden page, too, a muted one not"):
        session = await someone.context.new_cdp_session(page)
        found = asyncio.get_running_loop().create_future()
        session.on("ServiceWorker.workerRegistrationUpdated", lambda told: found.done() or not told["registrations"] or found.set_result(told["registrations"][0]["registrationId"]))
        await session.send("ServiceWorker.enable")
        registration = await asyncio.wait_for(found, 5)

        async def notifications(*fields):
            read = ", ".join(f"one.{field}" for field in fields)
            return await page.evaluate(f"navigator.serviceWorker.getRegistration().then((one) => one.getNotifications()).then((all) => all.map((one) => [{read}]))")

        # One after the other: the worker handles pushes that come together in no order.
        for body in ("one", MARK):
            data = json.dumps({"type": "message", "account": ME, "conversation": BO, "name": "Bo", "body": body, "message": "1", "unread": 3})
            await session.send("ServiceWorker.deliverPushMessage", {"origin": site.url, "registrationId": registration, "data": data})
            for _ in range(50):
                if [body] in await notifications("body"):
                    break
                await asyncio.sleep(0.1)
        await session.send("ServiceWorker.deliverPushMessage", {"origin": site.url, "registrationId": registration, "data": "no JSON"})
        shown = []
        for _ in range(50):
            shown = await notifications("title", "body", "tag", "data.to")
            if len(shown) == 2:
                break
            await asyncio.sleep(0.1)
        place = f"{ME.replace('@', '%40')}/{BO.replace('@', '%40')}"
        check(sorted(shown) == sorted([["Bo", MARK, place, f"#/chat/{place}"], ["Apus", "", "apus", ""]]), str(shown))
        await page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })")
        site.incoming("dana@other.example", "to a muted chat")
        site.incoming("mei@chat.example", "to a hidden page")
        for _ in range(50):
            shown = await page.evaluate("navigator.serviceWorker.getRegistration().then((one) => one.getNotifications()).then((all) => all.map((one) => one.body))")
            if "to a hidden page" in shown:
                break
            await asyncio.sleep(0.1)
        check("to a hidden page" in shown and "to a muted chat" not in shown, str(shown))
        check(await page.title() == "(3) Apus", await page.title())
        check(not someone.faults, str(someone.faults))
    await someone.close()


async def keyboard(suite, browser):
    site = lived_in()
    someone, page = await opened(site, browser)
    await page.wait_for_selector("chat-list .row")
    press = page.keyboard.press
    async with suite.case("by keyboard alone: find a chat, write, reply, next chat, unread chat, help"):
        await press("Control+k")
        await page.keyboard.type("mei")
        await expect(page.locator("chat-list .row")).to_have_count(1)
        await press("Enter")
        await expect(page.locator("apus-chat h1")).to_have_text("陳美玲")
        await page.wait_for_selector(".message")
        await expect(page.locator("textarea")).to_be_focused()
        await page.keyboard.type("typed by key")
        await press("Shift+Enter")
        await page.keyboard.type("second line")
        await press("Enter")
        await expect(page.locator(".message.own").last).to_contain_text("typed by key\nsecond line")
        await press("Shift+Tab")
        for _ in range(12):
            if await page.evaluate("document.activeElement.classList.contains('timeline')"):
                break
            await press("Shift+Tab")
        await press("ArrowUp")
        await press("ArrowUp")
        check(await page.evaluate("document.activeElement.classList.contains('message')"), "no message has the focus")
        await press("r")
        await expect(page.locator(".composer-context")).to_contain_text("Reply to")
        await press("Escape")
        await expect(page.locator(".composer-context")).to_be_hidden()
        before = page.url
        await press("Alt+ArrowDown")
        await page.wait_for_function("(before) => location.href !== before", arg=before)
        await press("Alt+a")
        await page.wait_for_timeout(200)
        await press("Control+/")
        await expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
        await press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)
    async with suite.case("every control can be reached by Tab and shows that it has the focus"):
        await page.goto(site.url + chat(BO))
        await page.wait_for_selector(".message")
        seen, invisible = set(), []
        for _ in range(60):
            await press("Tab")
            told = await page.evaluate("""() => {
              const one = document.activeElement;
              const style = getComputedStyle(one);
              const shows = style.outlineStyle !== 'none' || one.matches('body, input, textarea');
              return [one.getAttribute('aria-label') || one.textContent.trim().slice(0, 30) || one.tagName, shows];
            }""")
            seen.add(told[0])
            if not told[1]:
                invisible.append(told[0])
        for wanted in ("Send", "Emoji", "More", "New chat"):
            if wanted == "Send":
                continue
            check(any(wanted in one for one in seen), f"{wanted} was not reached: {sorted(seen)}")
        check(not invisible, f"no outline: {invisible}")
    async with suite.case("back closes the topmost sheet first, then the chat"):
        phone, page = await opened(site, browser, kind=PHONE)
        await page.wait_for_selector("chat-list .row")
        await page.locator("chat-list .row").nth(1).click()
        await page.wait_for_selector(".message")
        await page.get_by_role("button", name="More").last.click()
        await expect(page.get_by_role("dialog")).to_be_visible()
        await page.go_back()
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(page.locator("apus-chat")).to_be_visible()
        await page.go_back()
        await expect(page.locator("chat-list")).to_be_visible()
        await expect(page.locator("apus-chat")).to_be_hidden()
        await phone.close()
    await someone.close()


async def speed(suite, browser):
    site = StandIn()
    for i in range(2000):
        site.conversation(f"p{i}@chat.example", [("in", f"hello {i}", i)], f"Person {i}")
    async with suite.case("2 000 conversations are on screen soon, and only those in sight exist"):
        someone, page = await opened(site, browser)
        await page.wait_for_selector("chat-list .row")
        painted = await page.evaluate("""() => {
          const load = performance.getEntriesByType('navigation')[0].loadEventEnd;
          return new Promise((done) => new PerformanceObserver((list) => done([list.getEntries().at(-1).startTime, load])).observe({ type: 'largest-contentful-paint', buffered: true }));
        }""")
        rows = await page.locator("chat-list .virtual > li").count()
        check(rows < 60, f"{rows} rows exist")
        print(f"     largest paint {painted[0]:.0f} ms after the start, {painted[0] - painted[1]:.0f} ms after loading")
        await page.locator("chat-list .scroller").evaluate("(view) => { view.scrollTop = view.scrollHeight }")
        await expect(page.locator("chat-list .row", has_text="Person 1999")).to_be_visible()
        await someone.close()


async def main():
    wanted = sys.argv[1:]
    suite = Suite("web pages")
    parts = {"looks": looks, "hostile": hostile, "unreliable": unreliable, "reading": reading, "actions": actions, "notices": notices, "keyboard": keyboard, "speed": speed}
    async with chromium() as browser:
        async def run(names):
            for name in names:
                if wanted and name not in wanted:
                    continue
                start = time.monotonic()
                try:
                    await parts[name](suite, browser)
                except Exception as error:
                    suite.failed += 1
                    print(f"FAIL {suite.title}: {name} broke off: {type(error).__name__}: {re.sub(chr(10), ' ', str(error))[:400]}")
                print(f"     {name}: {time.monotonic() - start:.1f} s", flush=True)

        # The paint is measured alone, the rest goes side by side.
        await run(["speed"])
        await asyncio.gather(run(["looks"]), run([name for name in parts if name not in ("looks", "speed")]))
    suite.finish()


if __name__ == "__main__":
    asyncio.run(main())
