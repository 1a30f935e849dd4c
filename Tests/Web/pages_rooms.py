# SPDX-License-Identifier: Apache-2.0
"""Rooms: who is in them, what is said to whom, what moderators do, the ways in and out."""

from browser import DESK, PHONE, becomes, check, expect, go, overflow, serious, settled, shot
from scene import ME, ROOM, chat, lived_in, opened
from standin import picture


async def rooms(suite, browser):
    site = lived_in(everything=True)
    someone, page = await opened(site, browser, chat(ROOM))
    dialog = page.get_by_role("dialog")

    def changed(method, *path):
        return [one[2] for one in site.changes if len(one) == 3 and one[0] == method and one[1][:1] == ["rooms"] and tuple(one[1][3:]) == path]

    async def member(name, *actions):
        await settled(page)
        await page.get_by_role("button", name=f"More: {name}").click()
        for action in actions:
            await page.get_by_role("menuitem", name=action, exact=True).click()

    async with suite.case("a room: rows instead of bubbles, each name in its own colour, people and topic on top, mentions marked"):
        await expect(page.locator(".chat-header .subtitle")).to_have_text("4 people · Rehearsal on Thursday at seven")
        await expect(page.locator("apus-chat[data-density=compact]")).to_have_count(1)
        colours = await page.eval_on_selector_all(".sender", "(all) => all.map((one) => [one.textContent, getComputedStyle(one).color])")
        by_name = {name: {colour for other, colour in colours if other == name} for name, _ in colours}
        check(len(by_name) >= 4 and all(len(one) == 1 for one in by_name.values()) and len({next(iter(one)) for one in by_name.values()}) == len(by_name), str(by_name))
        await expect(page.locator(".message.mentioned")).to_contain_text("open the hall")
        check(not await serious(page) + await overflow(page), str(await serious(page) + await overflow(page)))
        await shot(page, "desktop-light-room")
    async with suite.case("names are completed with @ and with Tab, and written plain; a click on a name mentions it"):
        field = page.locator("textarea")
        await field.press_sequentially("@b")
        await expect(page.get_by_role("option")).to_have_count(1)
        await expect(page.get_by_role("option", name="Bo")).to_be_visible()
        await page.keyboard.press("Enter")
        await expect(field).to_have_value("Bo, ")
        await field.press_sequentially("ask d")
        await page.keyboard.press("Tab")
        await expect(field).to_have_value("Bo, ask Dana ")
        await page.locator(".sender", has_text="Cy").first.click()
        await expect(field).to_have_value("Bo, ask Dana Cy ")
        await field.fill("@")
        await expect(page.get_by_role("option").first).to_be_visible()
        check(not await serious(page), "axe: serious")
        await page.keyboard.press("Escape")
        await field.fill("")
    async with suite.case("a moderator removes a message with a reason, and puts its writer out"):
        await settled(page)
        await page.locator(".message", has_text="buy cheap things").press("Enter")
        await page.get_by_role("menuitem", name="Remove for everyone").click()
        await dialog.get_by_label("Reason").fill("advertising")
        await dialog.get_by_role("button", name="Remove", exact=True).click()
        await expect(page.locator(".retracted")).to_have_count(1)
        await becomes(lambda: any(call[1][-1] == "retraction" and call[2].get("reason") == "advertising" for call in site.calls), "no reason was sent")
        await member("Dana", "Put out")
        await dialog.get_by_role("button", name="Put out").click()
        await expect(page.get_by_role("button", name="More: Dana")).to_have_count(0)
        check(changed("PATCH", "members", "Dana") == [{"role": "none"}], str(changed("PATCH", "members", "Dana")))
    async with suite.case("an owner makes an administrator, changes the topic, and invites somebody by address"):
        await member("Cy", "Make administrator")
        await expect(page.locator(".members li", has_text="Cy")).to_contain_text("administrator")
        await settled(page)
        await page.get_by_role("button", name="Change the topic").click()
        await dialog.get_by_label("Topic").fill("Concert on Friday")
        await dialog.get_by_role("button", name="Save").click()
        await expect(page.locator(".chat-header .subtitle")).to_contain_text("Concert on Friday")
        await settled(page)
        await page.get_by_role("button", name="Invite people").click()
        await dialog.get_by_label("Other addresses").fill("zoe@far.example")
        await dialog.get_by_role("button", name="Invite people").click()
        await expect(dialog).to_have_count(0)
        check(changed("POST", "invitations") == [{"addresses": ["zoe@far.example"]}], str(changed("POST", "invitations")))
    async with suite.case("an owner gives the room a picture, cut by keys alone, and takes it back"):
        await settled(page)
        check(await page.get_by_role("button", name="Remove the picture").count() == 0, "there is nothing to remove")
        async with page.expect_file_chooser() as chooser:
            await page.get_by_role("button", name="Choose a picture").press("Enter")
        await (await chooser.value).set_files([{"name": "choir.png", "mimeType": "image/png", "buffer": picture(320, 200, 5)}])
        await expect(page.locator(".cutter")).to_be_focused()
        await page.keyboard.press("ArrowRight")
        await settled(page)
        check(not await serious(page), "axe: serious")
        await dialog.get_by_role("button", name="Save").press("Enter")
        await expect(dialog).to_have_count(0)
        sent = await becomes(lambda: next((call for call in site.calls if call[0] == "PUT" and call[1] == ["rooms", ME, ROOM, "avatar"]), None), "no picture was sent")
        check(sent[3]["Content-Type"] == "image/jpeg", str(sent[3]))
        remove = page.get_by_role("button", name="Remove the picture")
        await expect(remove).to_have_count(1)
        await settled(page)
        check(not await serious(page) + await overflow(page), "axe: serious, or too wide")
        await shot(page, "desktop-light-room-picture")
        await remove.press("Enter")
        await becomes(lambda: changed("DELETE", "avatar") == [{}], lambda: str(site.changes))
        await expect(remove).to_have_count(0)
    async with suite.case("level and mute until from the details; both show and are sent"):
        await settled(page)
        await page.get_by_role("radio", name="Mentions").click()
        await page.get_by_role("radio", name="8 hours").click()
        await expect(page.locator(".muted-until")).to_contain_text("Muted until")
        await becomes(lambda: (ROOM, {"level": "mentions"}) in site.changes and any(one[0] == ROOM and "muted_until" in one[1] for one in site.changes if len(one) == 2), lambda: str(site.changes))
        await shot(page, "desktop-light-room-details")
    async with suite.case("put out of a room: the chat says why, nothing can be written, and the way back is a button"):
        site.rooms[ROOM]["joined"] = False
        row = next(one for one in site.conversations if one["conversation"] == ROOM)
        row["room"] = {"state": "out", "reason": "kicked", "text": "calm down", "wanted": False}
        site.emit({"type": "conversation", "conversation": row})
        await expect(page.locator(".standing")).to_contain_text("A moderator put you out.")
        await expect(page.locator(".standing")).to_contain_text("calm down")
        await expect(page.locator("textarea")).to_be_hidden()
        await settled(page)
        check(not await serious(page), "axe: serious")
        await page.get_by_role("button", name="Join again").click()
        await expect(page.locator("textarea")).to_be_visible()
        await expect(page.locator(".standing")).to_be_hidden()
    async with suite.case("leaving asks first; the room is gone from the list"):
        await settled(page)
        await page.get_by_role("button", name="Leave the room").click()
        await dialog.get_by_role("button", name="Leave the room").click()
        await expect(page.locator("chat-list .row", has_text="Choir")).to_have_count(0)
        await expect(page.locator("apus-chat")).to_have_count(0)
    async with suite.case("an invitation into a room is among the requests, and leads there"):
        await go(page, site.url + "/#/people")
        card = page.locator(".request", has_text="books@rooms.example")
        await expect(card).to_contain_text("Dana Okafor invites you")
        await card.get_by_role("button", name="Join").click()
        await expect(page.locator("apus-chat h1")).to_have_text("books@rooms.example")
        await expect(card).to_have_count(0)
    async with suite.case("no page threw anything"):
        check(not someone.faults, str(someone.faults))
    await someone.close()
    await channels(suite, browser, site)


async def channels(suite, browser, site):
    for label, kind in (("phone", PHONE), ("desktop", DESK)):
        async with suite.case(f"channels are found, one that shows the address warns before, and one is entered: {label}"):
            someone, page = await opened(site, browser, "/#/new", kind=kind)
            await page.get_by_role("button", name="Find channels").click()
            dialog = page.get_by_role("dialog").first
            await expect(dialog.locator(".channels li")).to_have_count(3)
            await settled(page)
            check(not await serious(page) + await overflow(page), "axe: serious, or too wide")
            await shot(page, f"{label}-light-channels")
            await dialog.get_by_label("Topic or name").fill("town")
            await page.keyboard.press("Enter")
            await expect(dialog.locator(".channels li")).to_have_count(1)
            await dialog.locator(".channels button").click()
            await expect(page.get_by_role("heading", name="Join and show your address?")).to_be_visible()
            await page.get_by_role("dialog").last.get_by_role("button", name="Join").click()
            await expect(page.locator("apus-chat h1")).to_have_text("town")
            await expect(page.get_by_role("dialog")).to_have_count(0)
            check(not someone.faults, str(someone.faults))
            await someone.close()
