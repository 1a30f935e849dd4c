# SPDX-License-Identifier: Apache-2.0
"""A service and a network that fail."""

from browser import becomes, check, expect, go, settled
from scene import BO, ME, chat, lived_in, opened


KEPT = """async () => {
  const open = await new Promise((done) => { const asked = indexedDB.open('apus'); asked.onsuccess = () => done(asked.result); });
  const read = (store, what, ...key) => new Promise((done) => { const asked = open.transaction(store).objectStore(store)[what](...key); asked.onsuccess = () => done(asked.result); });
  const lists = await read('values', 'get', 'lists');
  const pages = await read('pages', 'getAll');
  open.close();
  const files = await (await fetch('/files.json')).json();
  const kept = new Set((await (await caches.open('apus-files')).keys()).map((one) => new URL(one.url).pathname));
  return { lists: lists?.conversations.length ?? 0, pages: pages.map((page) => page.length), missing: files.filter((one) => !kept.has(one)).length, worker: !!navigator.serviceWorker.controller };
}"""


LEFT = """async () => ({
  databases: (await indexedDB.databases()).map((one) => one.name),
  caches: (await Promise.all((await caches.keys()).map(async (name) => (await (await caches.open(name)).keys()).map((one) => one.url)))).flat().filter((one) => one.startsWith(`${location.origin}/api/`)),
  local: { ...localStorage } })"""


async def ready_for_offline(page):
    """The lists, the pages and the files of the app are stored, and the worker stands between page and network."""
    kept = {}

    async def all_there():
        kept.update(await page.evaluate(KEPT))
        return kept["lists"] and len(kept["pages"]) >= 30 and not kept["missing"] and kept["worker"]
    await becomes(all_there, lambda: f"not everything is kept: {kept}")
    return kept


async def unreliable(suite, browser):
    site = lived_in()
    someone, page = await opened(site, browser, chat(BO))
    field = page.locator("textarea")
    async with suite.case("the last 50 messages of the 30 latest conversations are kept, and no others"):
        kept = (await ready_for_offline(page))["pages"]
        check(len(kept) == 30 and max(kept) <= 50, f"{len(kept)} pages, the longest of {max(kept, default=0)}")
    async with suite.case("an xmpp link opens the chat here, and does nothing else"):
        before = len([call for call in site.calls if call[0] != "GET"])
        site.incoming(BO, "ask xmpp:cy@chat.example?message;body=hello")
        await page.locator(".message a[href^='xmpp:']").click()
        await expect(page.locator("apus-chat h1")).to_have_text("Cy")
        await settled(page)
        await page.goto(site.url + "/#/open/xmpp%3Amei%40chat.example")
        await expect(page.locator("apus-chat h1")).to_have_text("陳美玲")
        await settled(page)
        wrote = {call[1][0] for call in [one for one in site.calls if one[0] != "GET"][before:]}
        check(wrote <= {"resolve", "conversations"}, str(wrote))
        await go(page, site.url + chat(BO))
    async with suite.case("T172 an answer that gets lost: the send is repeated with its key, and there is one message"):
        site.failing["POST .*/messages"] = "cut"
        await field.fill("once only")
        await page.keyboard.press("Enter")
        await expect(page.locator(".message.own").last).to_have_attribute("data-state", "queued")
        await becomes(lambda: any(call[0] == "POST" and call[1][-1] == "messages" for call in site.calls), "nothing was sent")
        site.failing.clear()
        await page.evaluate("dispatchEvent(new Event('online'))")
        await expect(page.locator(".message", has_text="once only")).to_have_attribute("data-state", "acknowledged")
        keys = {call[3].get("Idempotency-Key") for call in site.calls if call[0] == "POST" and call[1][-1] == "messages"}
        check(len(keys) == 1, f"{len(keys)} keys")
        check(sum(one["body"] == "once only" for one in site.messages[BO]) == 1, "sent twice")
        await expect(page.locator(".message", has_text="once only")).to_have_count(1)
    async with suite.case("T172 a double click and two tabs: each wish once"):
        other = await someone.page()
        await go(other, site.url + chat(BO))
        await field.fill("double")
        await page.locator(".send[type=submit]").dblclick()
        await expect(page.locator(".message", has_text="double")).to_have_count(1)
        await expect(other.locator(".message", has_text="double")).to_have_count(1)
        await settled(page)
        check(sum(one["body"] == "double" for one in site.messages[BO]) == 1, "sent twice")
        await other.close()
    async with suite.case("offline: the list and the chat are there after a reload, a send waits and goes in order"):
        await ready_for_offline(page)
        await someone.context.set_offline(True)
        await page.reload()
        await page.locator(".message").first.wait_for()
        await expect(page.get_by_text("Core not reachable").first).to_be_visible()
        for text in ("first while away", "second while away"):
            await field.fill(text)
            await page.keyboard.press("Enter")
        await expect(page.locator(".message.own").last).to_have_attribute("data-state", "queued")
        await page.reload()
        await expect(page.locator(".message", has_text="second while away")).to_have_attribute("data-state", "queued")
        await someone.context.set_offline(False)
        await expect(page.locator(".message", has_text="second while away")).to_have_attribute("data-state", "acknowledged")
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
        await expect(page.locator(".message", has_text="while the stream was cut")).to_have_count(1)
    async with suite.case("what passed while the stream was cut is read again: who is there, what was read elsewhere, what is pinned"):
        site.failing["GET .*/events"] = (503, {"code": "leaving", "message": "stopping", "retryable": True})
        site.cut()
        await expect(page.locator(".link-state")).to_have_attribute("data-state", "offline")
        next(one for one in site.contacts if one["address"] == BO)["presence"] = {"availability": "xa", "resources": ["phone"]}
        dana = next(one for one in site.conversations if one["conversation"] == "dana@other.example")
        dana.update(pinned=True, unread=0)
        site.failing.clear()
        await page.evaluate("dispatchEvent(new Event('online'))")
        await expect(page.locator(".chat-header .subtitle")).to_contain_text("away")
        row = page.locator("chat-list .row", has_text="Dana Okafor")
        await expect(row).to_contain_text("pinned")
        await expect(row).not_to_contain_text("unread")
    async with suite.case("eight tabs share one stream, and another takes over when its tab is closed"):
        tabs = [page]
        for _ in range(7):
            tab = await someone.page()
            await go(tab, site.url + "/")
            await tab.locator("chat-list .row").first.wait_for()
            tabs.append(tab)
        await becomes(lambda: len(site.streams) == 1, lambda: f"{len(site.streams)} streams")
        site.incoming("cy@chat.example", "to all tabs")
        for tab in tabs[1:]:
            await expect(tab.locator("chat-list .row", has_text="to all tabs")).to_be_visible()
        former = site.streams[0]
        await page.close()

        def taken_over():
            # The stand-in sees that a stream is gone only when it writes to it.
            site.emit({"type": "typing", "account": ME, "address": BO, "typing": False}, cursor=False)
            return len(site.streams) == 1 and site.streams[0] is not former
        await becomes(taken_over, lambda: f"{len(site.streams)} streams")
        site.incoming("cy@chat.example", "after the change")
        await expect(tabs[3].locator("chat-list .row", has_text="after the change")).to_be_visible()
        page = tabs[1]
    async with suite.case("revoked elsewhere: every tab shows the pairing page and nothing is left in the browser"):
        site.signed_in = False
        site.emit({"type": "signed-out"}, cursor=False)
        for tab in tabs[1:4]:
            await tab.wait_for_selector("apus-pairing")
            await settled(tab)
        nothing = {"databases": [], "caches": [], "local": {}}
        left = {}

        async def erased():
            left.update(await page.evaluate(LEFT))
            return left == nothing
        await becomes(erased, lambda: f"left behind: {left}")
        check(not await page.get_by_text("Bo Lindqvist").count(), "a name is still on screen")
    await someone.close()
