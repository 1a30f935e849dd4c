# SPDX-License-Identifier: Apache-2.0
"""By keyboard alone."""

from browser import PHONE, becomes, check, expect, go, settled
from scene import BO, chat, lived_in, opened


async def keyboard(suite, browser):
    site = lived_in()
    someone, page = await opened(site, browser)
    press = page.keyboard.press
    async with suite.case("by keyboard alone: find a chat, write, reply, next chat, unread chat, help"):
        await press("Control+k")
        await expect(page.locator("chat-list input")).to_be_focused()
        await page.keyboard.type("mei")
        await expect(page.locator("chat-list .row")).to_have_count(1)
        await press("Enter")
        await expect(page.locator("apus-chat h1")).to_have_text("陳美玲")
        await settled(page)
        await expect(page.locator("textarea")).to_be_focused()
        await page.keyboard.type("typed by key")
        await press("Shift+Enter")
        await page.keyboard.type("second line")
        await press("Enter")
        await expect(page.locator(".message.own").last).to_contain_text("typed by key\nsecond line")
        await settled(page)
        await press("Shift+Tab")
        for _ in range(12):
            if await page.evaluate("document.activeElement.classList.contains('timeline')"):
                break
            await press("Shift+Tab")
        await press("ArrowUp")
        await press("ArrowUp")
        await expect(page.locator(".message:focus")).to_have_count(1)
        await press("r")
        await expect(page.locator(".composer-context")).to_contain_text("Reply to")
        await press("Escape")
        await expect(page.locator(".composer-context")).to_be_hidden()
        before = page.url
        await press("Alt+ArrowDown")
        await page.wait_for_function("(before) => location.href !== before", arg=before)
        await settled(page)
        before = page.url
        await press("Alt+a")
        await page.wait_for_function("(before) => location.href !== before", arg=before)
        await settled(page)
        await press("Control+/")
        await expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
        await press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)
    async with suite.case("every control can be reached by Tab and shows that it has the focus"):
        await go(page, site.url + chat(BO))
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
        for wanted in ("Emoji", "More", "New chat"):
            check(any(wanted in one for one in seen), f"{wanted} was not reached: {sorted(seen)}")
        check(not invisible, f"no outline: {invisible}")
    async with suite.case("back closes the topmost sheet first, then the chat"):
        phone, page = await opened(site, browser, kind=PHONE)
        await page.locator("chat-list .row").nth(1).click()
        await page.locator(".message").first.wait_for()
        await settled(page)
        await page.get_by_role("button", name="More").last.click()
        await expect(page.get_by_role("dialog")).to_be_visible()
        await settled(page)
        await page.go_back()
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(page.locator("apus-chat")).to_be_visible()
        await page.go_back()
        await expect(page.locator("chat-list")).to_be_visible()
        await expect(page.locator("apus-chat")).to_be_hidden()
        await phone.close()
    await someone.close()
