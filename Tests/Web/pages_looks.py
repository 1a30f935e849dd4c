# SPDX-License-Identifier: Apache-2.0
"""Every screen in every look."""

from browser import DESK, PHONE, check, expect, go, overflow, serious, settled
from scene import BO, chat, lived_in, opened, screens


async def looks(suite, browser):
    await look(suite, browser, "desk", DESK)


async def looks_phone(suite, browser):
    await look(suite, browser, "phone", PHONE)


async def look(suite, browser, label, kind):
    site = lived_in(everything=True)
    async with suite.case(f"axe finds nothing serious in light or dark, and nothing reaches out of the page: {label}"):
        someone, page = await opened(site, browser, kind=kind)
        problems = []
        async for name in screens(page, site.url):
            problems += [f"{name}: {one}" for one in await serious(page)]
            problems += [f"{name}: too wide: {one}" for one in await overflow(page)]
            await page.emulate_media(color_scheme="dark")
            await settled(page)
            problems += [f"{name}, dark: {one}" for one in await serious(page, "color-contrast")]
            await page.emulate_media(color_scheme="light")
        missing = await page.evaluate("document.documentElement.dataset.missing ?? ''")
        check(not problems, "\n     ".join(problems[:12]))
        check(not missing, f"missing strings: {missing}")
        check(not someone.faults, str(someone.faults))
        await someone.close()


async def narrow(suite, browser):
    site = lived_in(everything=True)
    async with suite.case("right to left, huge text and a narrow screen: nothing is cut off"):
        someone, page = await opened(site, browser, kind={**PHONE, "viewport": {"width": 320, "height": 640}})
        await page.evaluate("localStorage.setItem('apus.preferences', JSON.stringify({ size: 'huge' }))")
        await page.reload()
        problems = []
        async for name in screens(page, site.url):
            for direction in ("ltr", "rtl"):
                await page.evaluate("(d) => { document.documentElement.dir = d }", direction)
                await settled(page)
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
                await go(page, site.url + path)
            missing = await page.evaluate("document.documentElement.dataset.missing ?? ''")
            check(not missing, f"missing strings: {missing}")
            await someone.close()
