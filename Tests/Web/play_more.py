# SPDX-License-Identifier: Apache-2.0
"""What two people do together besides talking: pictures, and a group."""

import re

from browser import PHONE, expect, go, settled, shot
from standin import picture


def bubble(page, text):
    return page.locator(".message", has_text=text)


async def write(page, text):
    await page.locator("textarea").fill(text)
    await page.locator(".send[type=submit]").click()


async def send_pictures(suite, ana, bo, page_a, page_b):
    """In the chat that both have open. No link leads to this machine, where the test server's upload service is, until
    its owner says so; and its files come with a certificate of the test's own authority."""
    for person in (ana, bo):
        await person.profile.run("account", "media", person.address, "--host", "localhost")
        await person.profile.run("account", "trust", person.address, "--ca", person.server.authority)
    async with suite.case("pictures go from the phone with a caption; the desk sees them in place and on the whole screen"):
        await page_a.locator("input[type=file]").set_input_files(
            [{"name": f"lake-{i}.png", "mimeType": "image/png", "buffer": picture(480, 320, i)} for i in (1, 4)])
        await expect(page_a.locator(".send[type=submit]")).to_be_enabled()
        await write(page_a, "The lake this morning")
        # Each is a message of its own, the first with the words.
        row = bubble(page_b, "The lake this morning").last
        await expect(row.locator(".picture img")).to_have_count(1)
        await expect(page_b.locator(".picture img")).to_have_count(2)
        await page_b.wait_for_function("() => [...document.querySelectorAll('.picture img')].every((one) => one.naturalWidth > 0)")
        await settled(page_b)
        await row.locator(".picture").first.click()
        await expect(page_b.locator("dialog.viewer img")).to_be_visible()
        await shot(page_b, "desktop-dark-viewer")
        await page_b.keyboard.press("Escape")
        await expect(page_b.locator("dialog")).to_have_count(0)
        await settled(page_b)
    async with suite.case("a picture is answered with a quote, and the answer gets a reaction"):
        await row.focus()
        await page_b.keyboard.press("Enter")
        await page_b.get_by_role("menuitem", name="Reply", exact=True).click()
        await write(page_b, "So calm! Which side is that?")
        await expect(bubble(page_a, "Which side is that").last.locator(".quote")).to_contain_text("The lake this morning")
        await write(page_a, "The far one, by the old mill")
        answer = bubble(page_b, "by the old mill").last
        await answer.focus()
        await page_b.keyboard.press("Enter")
        await page_b.get_by_role("button", name="❤️", exact=True).click()
        await expect(bubble(page_a, "by the old mill").last.locator(".reaction")).to_contain_text("❤️")


async def make_group(suite, ana, bo, page_a, page_b):
    before_a, before_b = page_a.url, page_b.url
    async with suite.case("a group is made on the phone; the invitation is among the requests at the desk, and leads into it"):
        await go(page_a, f"{ana.url}/#/new")
        await page_a.get_by_role("button", name="Private group").click()
        dialog = page_a.get_by_role("dialog")
        await dialog.get_by_label("Name").fill("Family")
        await dialog.get_by_label("Bo Lindqvist").check()
        await shot(page_a, "phone-light-new-group")
        await dialog.get_by_role("button", name="Create").click()
        await expect(page_a.locator("apus-chat h1")).to_have_text("Family")
        await write(page_a, "Who is coming on Sunday?")
        await expect(bubble(page_a, "Who is coming on Sunday?")).to_have_attribute("data-state", re.compile("acknowledged|delivered|displayed"))
        await go(page_b, f"{bo.url}/#/people")
        await page_b.locator(".request", has_text="invites you").get_by_role("button", name="Join").click()
        await page_b.wait_for_selector("apus-chat textarea")
        await write(page_b, "I am, with cake")
        await expect(bubble(page_a, "I am, with cake")).to_have_count(1)
        await expect(bubble(page_b, "Who is coming on Sunday?")).to_have_count(1)
        for page, name in ((page_a, "phone-light-room"), (page_b, "desktop-dark-room")):
            await expect(page.locator(".chat-header .subtitle")).to_contain_text("2 people")
            await shot(page, name)
    async with suite.case("the one who made the group changes its topic; both see it"):
        await go(page_a, page_a.url.split("/details")[0] + "/details")
        await page_a.get_by_role("button", name="Change the topic").click()
        await page_a.get_by_role("dialog").get_by_label("Topic").fill("Sunday at the lake")
        await page_a.get_by_role("dialog").get_by_role("button", name="Save").click()
        await expect(page_b.locator(".chat-header .subtitle")).to_contain_text("Sunday at the lake")
        await shot(page_a, "phone-light-room-details")
    await go(page_a, before_a)
    await go(page_b, before_b)


async def read_captcha(suite, browser, zoe, ask_for_account):
    """A server that makes accounts for whoever reads a picture; ejabberd is one at a host of its own."""
    if zoe.server.kind != "ejabberd":
        return
    zoe.address = "zoe@captcha.localhost"
    try:
        await zoe.start()
        async with suite.case("a server that wants a picture read: it is shown, what is read in it is sent, and the account is there"):
            someone, page = await zoe.browser(browser, PHONE)
            await page.wait_for_selector("apus-first-run")
            await ask_for_account(page, zoe, register=True)
            field = page.locator(".server-form label", has=page.locator(".captcha"))
            await expect(field).to_be_visible()
            await field.locator("input").fill((zoe.server.folder / "captcha.text").read_text())
            await page.locator("form button[type=submit]").click()
            await expect(page.get_by_text("No chats yet")).to_be_visible()
            await someone.close()
    finally:
        await zoe.end()


__all__ = ["make_group", "read_captcha", "send_pictures"]
