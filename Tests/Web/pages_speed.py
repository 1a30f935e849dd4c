# SPDX-License-Identifier: Apache-2.0
"""Long lists."""

from browser import check, expect, settled
from scene import opened
from standin import StandIn


async def speed(suite, browser):
    site = StandIn()
    for i in range(2000):
        site.conversation(f"p{i}@chat.example", [("in", f"hello {i}", i)], f"Person {i}")
    async with suite.case("2 000 conversations are on screen soon, and only those in sight exist"):
        someone, page = await opened(site, browser)
        painted = await page.evaluate("""() => {
          const load = performance.getEntriesByType('navigation')[0].loadEventEnd;
          return new Promise((done) => new PerformanceObserver((list) => done([list.getEntries().at(-1).startTime, load])).observe({ type: 'largest-contentful-paint', buffered: true }));
        }""")
        rows = await page.locator("chat-list .virtual > li").count()
        check(rows < 60, f"{rows} rows exist")
        print(f"     largest paint {painted[0]:.0f} ms after the start, {painted[0] - painted[1]:.0f} ms after loading")
        await page.locator("chat-list .scroller").evaluate("(view) => { view.scrollTop = view.scrollHeight }")
        await settled(page)
        await expect(page.locator("chat-list .row", has_text="Person 1999")).to_be_visible()
        await someone.close()
