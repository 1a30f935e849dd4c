# SPDX-License-Identifier: Apache-2.0
"""Notifications."""

import asyncio
import json

from browser import DESK, PATIENCE, becomes, check, chromium, expect, go, seat, settled
from scene import BO, MARK, ME, lived_in

# The browser's own push service is far away: this one answers at once.
PUSH = """
  const made = { endpoint: 'https://push.example/x', toJSON: () => ({ endpoint: 'https://push.example/x', keys: { p256dh: 'p', auth: 'a' } }), unsubscribe: async () => { window.sub = null; return true; } };
  PushManager.prototype.subscribe = async (options) => { window.asked = options; window.sub = made; localStorage.sub = 'yes'; return made; };
  PushManager.prototype.getSubscription = async () => (window.sub ?? (localStorage.sub ? made : null));
"""


async def notices(suite, _):
    """Notifications: in the page, by the system, and by push when no page is open."""
    async with chromium(program="chromium") as browser:
        await notified(suite, browser)


async def notified(suite, browser):
    site = lived_in(everything=True)
    someone = await seat(browser, "ana", DESK)
    await someone.context.add_init_script(PUSH)
    await someone.context.grant_permissions(["notifications"], origin=site.url)
    page = await someone.page()
    await go(page, site.url + "/#/settings/notifications")
    async with suite.case("push is turned on by a tap, given to the service, and again at the next start"):
        await page.get_by_role("button", name="Turn on").click()
        await expect(page.get_by_text("even while no page is open")).to_be_visible()
        await becomes(lambda: site.push == {"endpoint": "https://push.example/x", "keys": {"p256dh": "p", "auth": "a"}}, lambda: str(site.push))
        check(await page.evaluate("window.asked.userVisibleOnly && window.asked.applicationServerKey.length === 65"), "asked for otherwise")
        site.push = None
        await page.reload()
        await expect(page.get_by_text("even while no page is open")).to_be_visible()
        await becomes(lambda: site.push, "it was not sent again")
    async with suite.case("a push is shown as text, one for each chat; a message in a hidden page, too, a muted one not"):
        session = await someone.context.new_cdp_session(page)
        found = asyncio.get_running_loop().create_future()
        session.on("ServiceWorker.workerRegistrationUpdated", lambda told: found.done() or not told["registrations"] or found.set_result(told["registrations"][0]["registrationId"]))
        await session.send("ServiceWorker.enable")
        registration = await asyncio.wait_for(found, PATIENCE)

        async def notifications(*fields):
            read = ", ".join(f"one.{field}" for field in fields)
            return await page.evaluate(f"navigator.serviceWorker.getRegistration().then((one) => one.getNotifications()).then((all) => all.map((one) => [{read}]))")

        async def shows(wanted, *fields):
            return wanted in await notifications(*fields)

        # One after the other: the worker handles pushes that come together in no order.
        for body in ("one", MARK):
            data = json.dumps({"type": "message", "account": ME, "conversation": BO, "name": "Bo", "body": body, "message": "1", "unread": 3})
            await session.send("ServiceWorker.deliverPushMessage", {"origin": site.url, "registrationId": registration, "data": data})
            await becomes(lambda: shows([body], "body"), f"not shown: {body}")
        await session.send("ServiceWorker.deliverPushMessage", {"origin": site.url, "registrationId": registration, "data": "no JSON"})
        await becomes(lambda: shows(["apus"], "tag"), "a push without sense shows nothing")
        shown = await notifications("title", "body", "tag", "data.to")
        place = f"{ME.replace('@', '%40')}/{BO.replace('@', '%40')}"
        check(sorted(shown) == sorted([["Bo", MARK, place, f"#/chat/{place}"], ["Apus", "", "apus", ""]]), str(shown))
        await page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })")
        site.incoming("dana@other.example", "to a muted chat")
        site.incoming("mei@chat.example", "to a hidden page")
        await becomes(lambda: shows(["to a hidden page"], "body"), "nothing is shown for a hidden page")
        check(["to a muted chat"] not in await notifications("body"), "a muted chat is announced")
        await settled(page)
        check(await page.title() == "(3) Apus", await page.title())
        check(not someone.faults, str(someone.faults))
    await someone.close()
