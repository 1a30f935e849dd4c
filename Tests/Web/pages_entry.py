# SPDX-License-Identifier: Apache-2.0
"""Registration with a captcha, invitations, our own card, whom we do not hear."""

import base64

from browser import PHONE, becomes, check, expect, go, overflow, serious, settled, shot
from scene import ME, lived_in, opened
from standin import StandIn, picture


async def entry(suite, browser):
    site = StandIn()
    site.accounts = []
    site.form = {"id": "f1", "instructions": "Copy the letters", "fields": [
        {"name": "captcha", "label": "What you read", "required": True, "secret": False, "options": [], "picture": "data:image/png;base64," + base64.b64encode(picture(160, 60, 5)).decode()}]}
    someone, page = await opened(site, browser, kind=PHONE)
    async with suite.case("an invitation is pasted: it brings the server and the token, and the server's captcha is shown"):
        await page.get_by_role("button", name="Use an invitation").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Link of the invitation").fill("no link at all")
        await dialog.get_by_role("button", name="Use it").click()
        await expect(dialog.get_by_role("alert")).to_contain_text("no invitation")
        await settled(page)
        check(not await serious(page), "axe: serious")
        await dialog.get_by_label("Link of the invitation").fill("https://chat.example/invite/#xmpp:zoe@chat.example?register;preauth=TOKEN7;ibr=y")
        await dialog.get_by_role("button", name="Use it").click()
        await expect(page.get_by_label("Address")).to_have_value("zoe@chat.example")
        await page.get_by_label("Password", exact=True).fill("a long password")
        await page.locator("form button[type=submit]").click()
        await expect(page.locator(".captcha")).to_be_visible()
        await becomes(lambda: page.evaluate("document.querySelector('.captcha').naturalWidth === 160"), "the picture is not drawn")
        await settled(page)
        check(not await serious(page) + await overflow(page), "axe: serious, or too wide")
        await shot(page, "phone-light-captcha")
        asked = next(call for call in site.calls if call[1][-1] == "form")[2]
        check(asked["invitation"] == "TOKEN7" and asked["address"] == "zoe@chat.example", str(asked))
        await page.get_by_label("What you read").fill("hills")
        await page.locator("form button[type=submit]").click()
        made = await becomes(lambda: next((call[2] for call in site.calls if call[1][-1] == "register"), None), "nothing was registered")
        check(made["fields"] == {"captcha": "hills"} and made["form"] == "f1", str(made))
    async with suite.case("a picture that says to be something else is not shown"):
        site.form["fields"][0]["picture"] = "data:image/svg+xml;base64,PHN2Zy8+"
        await page.reload()
        await settled(page)
        await page.get_by_role("button", name="Create an account").click()
        await page.get_by_label("Address").fill("zoe@chat.example")
        await page.get_by_label("Password", exact=True).fill("a long password")
        await page.locator("form button[type=submit]").click()
        await expect(page.get_by_label("What you read")).to_be_visible()
        await expect(page.locator(".captcha")).to_have_count(0)
        check(not someone.faults, str(someone.faults))
    await someone.close()
    await ourselves(suite, browser)


async def ourselves(suite, browser):
    site = lived_in(everything=True)
    someone, page = await opened(site, browser, f"/#/settings/account/{ME}", kind=PHONE)
    async with suite.case("our card: fields are saved as they were changed, and a picture is cut by keys"):
        await page.get_by_label("Nickname").fill("Ana from the lake")
        await page.get_by_text("More", exact=True).first.click()
        await page.get_by_label("E-mail").fill("ana@mail.example, a@b.example")
        await page.get_by_role("button", name="Save").first.click()
        await becomes(lambda: site.profile == {"nickname": "Ana from the lake", "emails": ["ana@mail.example", "a@b.example"]}, lambda: str(site.profile))
        await settled(page)
        await page.locator("apus-profile input[type=file]").set_input_files([{"name": "me.png", "mimeType": "image/png", "buffer": picture(200, 320, 3)}])
        await expect(page.locator(".cutter")).to_be_focused()
        await page.keyboard.press("ArrowDown")
        await settled(page)
        check(not await serious(page) + await overflow(page), "axe: serious, or too wide")
        await shot(page, "phone-light-cutter")
        await page.get_by_role("dialog").get_by_role("button", name="Save").click()
        sent = await becomes(lambda: next((call for call in site.calls if call[0] == "PUT" and call[1][-1] == "avatar"), None), "no picture was sent")
        check(sent[3]["Content-Type"] == "image/jpeg", str(sent[3]))
    async with suite.case("who is blocked is listed and let go again"):
        site.blocked = ["x@spam.example", "ads.example"]
        await settled(page)
        await page.get_by_role("button", name="Blocked addresses").click()
        dialog = page.get_by_role("dialog")
        await expect(dialog.locator("li")).to_have_count(2)
        await dialog.get_by_role("button", name="Unblock ads.example").click()
        await expect(dialog.locator("li")).to_have_count(1)
        check(site.blocked == ["x@spam.example"], str(site.blocked))
        await settled(page)
        check(not await serious(page), "axe: serious")
        check(not someone.faults, str(someone.faults))
    await someone.close()
    await rules(suite, browser, site)


async def rules(suite, browser, site):
    someone, page = await opened(site, browser, "/#/settings/notifications")
    async with suite.case("what notifications show, quiet hours and strangers: kept by the service for every browser"):
        await page.get_by_role("radio", name="Name only").click()
        await page.get_by_label("From", exact=True).fill("22:00")
        await page.get_by_label("Until", exact=True).fill("07:00")
        await page.get_by_label("Also for messages of strangers").check()
        await becomes(lambda: all(site.settings.get(name) == value for name, value in (("previews", "name"), ("quiet_from", "22:00"), ("quiet_until", "07:00"), ("strangers", "notify"))), lambda: str(site.settings))
        check(site.settings.get("time_zone"), "no time zone")
        await settled(page)
        check(not await serious(page) + await overflow(page), "axe: serious, or too wide")
        await go(page, site.url + "/#/new")
        await page.get_by_role("button", name="Invite a friend").click()
        await expect(page.get_by_role("dialog").locator("code")).to_contain_text("xmpp:")
        await settled(page)
        check(not await serious(page), "axe: serious")
        check(not someone.faults, str(someone.faults))
    await someone.close()
