# SPDX-License-Identifier: Apache-2.0
"""What a message and a chat can do."""

from browser import PHONE, becomes, check, expect, flashes, go, serious, settled, shot
from scene import BO, chat, lived_in, opened


async def copied(page, text):
    return await page.evaluate("navigator.clipboard.readText()") == text


async def actions(suite, browser):
    """What a message and a chat can do, also what the service is only going to have."""
    site = lived_in(everything=True)
    someone, page = await opened(site, browser, chat(BO))
    row = page.locator(".message.own", has_text="And cake")

    async def menu(target, *names):
        await settled(page)
        await target.press("Enter")
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
        await flashes(page, "photos from the lake")
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
        await becomes(lambda: copied(page, "the very best ones"), "not copied")
        await menu(page.locator(".message", has_text="the very best ones"), "Delete for everyone")
        await page.get_by_role("dialog").get_by_role("button", name="Delete for everyone").click()
        await expect(page.locator(".retracted")).to_have_count(1)
        await expect(page.get_by_text("the very best ones")).to_have_count(0)
    async with suite.case("mute for hours, pin and archive from the list; each shows at once"):
        item = page.locator("chat-list .row", has_text="陳美玲")
        for name, then in (("Mute", "8 hours"), ("Pin", None)):
            await item.click(button="right")
            await page.get_by_role("menuitem", name=name, exact=True).click()
            if then:
                await page.get_by_role("menuitem", name=then).click()
            await expect(page.get_by_role("dialog")).to_have_count(0)
            await settled(page)
        await expect(item).to_contain_text("muted")
        await expect(item).to_contain_text("pinned")
        await becomes(lambda: any("muted_until" in change for _, change in site.changes), lambda: str(site.changes))
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
        await settled(page)
        check(await page.title() == before, await page.title())
    async with suite.case("search finds, marks, and jumps to the place"):
        await page.get_by_role("link", name="Search").click()
        await page.locator("apus-search input[type=search]").first.fill("swifts")
        await expect(page.locator(".hit mark").last).to_have_text("swifts")
        await settled(page)
        check(not await serious(page), "axe: serious")
        await page.locator(".hit .row").last.click()
        await flashes(page, "swifts")
    async with suite.case("a group is made with people ticked; nobody is asked for a server"):
        await go(page, site.url + "/#/new")
        await page.get_by_role("button", name="Private group").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Name").fill("Family")
        await dialog.get_by_label("Bo Lindqvist").check()
        await settled(page)
        check(not await serious(page), "axe: serious")
        await dialog.get_by_role("button", name="Create").click()
        await expect(page.locator("apus-chat h1")).to_have_text("Family")
        made = next(call for call in site.calls if call[1] == ["rooms"])[2]
        check(made["kind"] == "group" and made["invite"] == [BO], str(made))
    async with suite.case("pictures are picked and pasted, made smaller, tried again, and go with their words"):
        await go(page, site.url + chat(BO))
        big = await page.evaluate("""async () => {
          const canvas = new OffscreenCanvas(3000, 2000);
          const paint = canvas.getContext("2d");
          for (let i = 0; i < 4000; i++) { paint.fillStyle = `hsl(${i} 80% 50%)`; paint.fillRect(Math.random() * 3000, Math.random() * 2000, 60, 60); }
          return [...new Uint8Array(await (await canvas.convertToBlob({ type: "image/png" })).arrayBuffer())];
        }""")
        site.failing["POST .*/uploads"] = (413, {"code": "too-large", "message": "the file is too large", "retryable": False})
        await page.locator("input[type=file]").set_input_files([{"name": "lake.png", "mimeType": "image/png", "buffer": bytes(big)}])
        await expect(page.locator(".tray li")).to_contain_text("the file is too large")
        await expect(page.locator(".send[type=submit]")).to_be_disabled()
        site.failing.clear()
        await page.locator(".tray").get_by_role("button", name="Try again").click()
        await expect(page.locator(".send[type=submit]")).to_be_enabled()
        await page.locator("textarea").fill("the lake")
        await settled(page)
        check(not await serious(page), "axe: serious")
        await shot(page, "desktop-light-attach")
        await page.keyboard.press("Enter")
        await expect(page.locator(".message", has_text="the lake").last.locator(".picture")).to_be_visible()
        sent = next(iter(site.uploads.values()))
        check(sent["name"] == "lake.jpg", str(sent))
        await expect(page.locator(".tray li")).to_have_count(0)
    async with suite.case("no page threw anything, and no string is missing"):
        missing = await page.evaluate("document.documentElement.dataset.missing ?? ''")
        check(not missing, f"missing strings: {missing}")
        check(not someone.faults, str(someone.faults))
    await someone.close()


async def touch(suite, browser):
    site = lived_in(everything=True)
    async with suite.case("by touch: pulling a message answers it, a long press opens its sheet, an edge does nothing"):
        phone, page = await opened(site, browser, chat(BO), kind=PHONE)
        session = await phone.context.new_cdp_session(page)
        box = await page.locator(".message", has_text="Are you coming").locator(".bubble").bounding_box()
        x, y = box["x"] + 30, box["y"] + 12

        async def finger(kind, *points):
            await session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": a, "y": b} for a, b in points]})

        async def pull(left):
            await finger("touchStart", (left, y))
            for step in range(1, 9):
                await finger("touchMove", (left + step * 12, y))
            await finger("touchEnd")

        await pull(10)
        await expect(page.locator(".composer-context")).to_be_hidden()
        await pull(x)
        await expect(page.locator(".composer-context")).to_contain_text("Are you coming by bike?")
        await finger("touchStart", (x, y - 4))
        await expect(page.get_by_role("menuitem", name="Copy")).to_be_visible()
        await finger("touchEnd")
        await expect(page.get_by_role("dialog")).to_have_count(1)
        await shot(page, "phone-light-message-sheet")
        await phone.close()
