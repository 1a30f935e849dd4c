# SPDX-License-Identifier: Apache-2.0
"""Debian's Chromium under Playwright, as people hold it: a phone or a desk."""

import asyncio
import contextlib
import inspect
import pathlib
import re
import sys
import time

from playwright.async_api import Error, async_playwright, expect

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHOTS = ROOT / "build/screenshots"
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True, "device_scale_factor": 2}
DESK = {"viewport": {"width": 1400, "height": 860}}
# The browser reports what a test provoked on purpose: a request that was refused or cut.
EXPECTED = re.compile(r"Failed to load resource|net::ERR_|status of (4|5)\d\d|Permissions-Policy header: Unrecognized")
# For a machine that builds something at the same time; what is there at once costs nothing. Nowhere is a shorter limit.
PATIENCE = 60
expect.set_options(timeout=PATIENCE * 1000)


@contextlib.asynccontextmanager
async def chromium(*arguments, program="chromium-headless-shell"):
    """Chromium without a window of its own, which Playwright takes, too: it does the same with a quarter less work. The
    `program` with all of the desktop has notifications of the system."""
    async with async_playwright() as playwright:
        arguments = ["--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", *arguments]
        browser = await playwright.chromium.launch(executable_path=f"/usr/bin/{program}", args=arguments)
        try:
            yield browser
        finally:
            await browser.close()


# The pages that are open, for the account of a failure: where each is, what has the focus, and the sheets above it.
OPEN = []
SCENE = """() => [location.hash, document.activeElement?.outerHTML.slice(0, 160), [...document.querySelectorAll('dialog, .toast')].map((one) => one.textContent.slice(0, 80)), history.state]"""


class Failure(Exception):
    """Something that was expected is not so."""


def check(condition, text):
    """An expectation in words."""
    if not condition:
        raise Failure(text)


async def becomes(probe, text, within=PATIENCE):
    """Asks `probe`, a function that may be asynchronous, until its answer is true, and returns that. Whatever a page
    shows comes some time after what caused it, so nothing that a page shows is looked at only once."""
    end = time.monotonic() + within
    while True:
        value = probe()
        if inspect.isawaitable(value):
            value = await value
        if value:
            return value
        if time.monotonic() > end:
            raise Failure(f"{text() if callable(text) else text} (waited {within} s)")
        await asyncio.sleep(0.05)


class Suite:
    """Counts cases and prints a line for each, as the suites of Tests/Interop do."""

    def __init__(self, title):
        self.title, self.passed, self.failed = title, 0, 0

    @contextlib.asynccontextmanager
    async def case(self, name):
        start = time.monotonic()
        try:
            yield
        except (Failure, AssertionError, Error, OSError) as error:
            self.failed += 1
            # What it waited for stands in the first line of the driver's log.
            text, _, log = str(error).split("Aria snapshot")[0].partition("Call log:")
            print(f"FAIL {self.title}: {name}: {text.strip()[:1500]} {' '.join(log.split())[:300]}".rstrip(), flush=True)
            for page in [one for one in OPEN if not one.is_closed()]:
                with contextlib.suppress(Error, asyncio.TimeoutError):
                    print(f"     {page.seat.name}: {await asyncio.wait_for(page.evaluate(SCENE), 5)}", flush=True)
        else:
            self.passed += 1
            print(f"ok   {self.title}: {name} ({time.monotonic() - start:.1f} s)", flush=True)

    def finish(self):
        print(f"{self.title}: {self.passed} passed, {self.failed} failed", flush=True)
        sys.exit(1 if self.failed or not self.passed else 0)


class Seat:
    """One browser profile with its faults: what a page wrote to the console, and what it threw."""

    def __init__(self, context, name):
        self.context, self.name, self.faults, self.asked = context, name, [], set()
        context.on("request", self._asks)
        context.on("requestfinished", self._answered)
        context.on("requestfailed", self._answered)
        context.on("weberror", lambda error: self.faults.append(f"thrown: {error.error}"))
        context.on("console", self._heard)

    def _heard(self, message):
        if message.type in ("error", "warning") and not EXPECTED.search(message.text):
            self.faults.append(f"{message.type}: {message.text}")

    def _asks(self, request):
        # Neither the stream, which never ends, nor what is fetched ahead for times without the service.
        if not re.search(r"/api/v1/events|/messages\?limit=50$", request.url):
            self.asked.add(request)

    def _answered(self, request):
        self.asked.discard(request)

    async def page(self):
        page = await self.context.new_page()
        page.seat = self
        OPEN.append(page)
        return page

    async def close(self):
        await self.context.close()


async def seat(browser, name, kind=DESK, scheme="light", **options):
    options.setdefault("locale", "en-GB")
    context = await browser.new_context(color_scheme=scheme, **{**kind, **options})
    context.set_default_timeout(PATIENCE * 1000)
    return Seat(context, name)


# The page has drawn what its address names, and four frames in a row changed nothing and moved nothing.
DRAWN = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const watcher = new MutationObserver(() => {});
  watcher.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  for (let quiet = 0, frames = 0; quiet < 4; frames++) {
    if (frames > 600) return false;
    await frame();
    const shell = document.querySelector('apus-shell');
    const there = document.readyState === 'complete' && (!shell || shell.dataset.shown === location.hash);
    const moving = document.getAnimations().some((one) => one.playState === 'running' && one.effect.getTiming().iterations !== Infinity);
    // A step of history for each sheet: a closed one's is gone only a moment later.
    const steps = (history.state?.sheets ?? 0) === document.querySelectorAll('dialog[open]').length;
    quiet = watcher.takeRecords().length || !there || !steps || moving ? 0 : quiet + 1;
  }
  return true;
}"""


async def settled(page):
    """Waits until a page is what it is going to be: nothing asked for, nothing being drawn."""
    async def drawn():
        if page.seat.asked:
            return False
        try:
            return await page.evaluate(DRAWN) and not page.seat.asked
        except Error as error:
            if "context was destroyed" in str(error) or "navigation" in str(error):
                return False
            raise
    await becomes(drawn, lambda: f"the page does not come to rest: {[one.url for one in page.seat.asked][:3]}")


async def go(page, address):
    """Goes to an address and waits until it is shown."""
    await page.goto(address)
    await settled(page)


async def flashes(page, text):
    """Waits until the message with this text lights up, which it does for a moment only."""
    await page.locator(".message.flash", has_text=text).wait_for()


async def shot(page, name):
    SHOTS.mkdir(parents=True, exist_ok=True)
    await settled(page)
    await page.screenshot(path=SHOTS / f"{name}.png")


AXE = None


async def serious(page, only=None):
    """What axe calls serious or critical on this page, as lines of text; `only` one rule if given."""
    global AXE
    if AXE is None:
        import axe_playwright_python

        AXE = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
    # By the debugger's own way, so that the page's policy stays as it is.
    if await page.evaluate("typeof axe === 'undefined'"):
        await page.evaluate(AXE)
    return await page.evaluate(
        "async (only) => (await axe.run(document, { resultTypes: ['violations'], ...(only ? { runOnly: [only] } : {}) })).violations"
        ".filter((one) => ['serious', 'critical'].includes(one.impact))"
        ".map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.target.join(' ') + ' ' + (node.any[0]?.message ?? '')).join(' | ')}`)", only)


OVERFLOW = """() => {
  const wide = document.documentElement.clientWidth;
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0 || element.closest('.visually-hidden, .skip, svg')) continue;
    if (getComputedStyle(element).visibility === 'hidden') continue;
    // What a box around it cuts off, as an ellipsis does, does not reach out.
    let clipped = false;
    for (let around = element.parentElement; around && around !== document.body; around = around.parentElement) {
      const frame = around.getBoundingClientRect();
      if (getComputedStyle(around).overflowX !== 'visible' && frame.right <= wide + 1 && frame.left >= -1) clipped = true;
    }
    if (clipped && element.tagName !== 'BUTTON') continue;
    if (box.right > wide + 1 || box.left < -1) found.push(`${element.tagName}.${element.className} ${Math.round(box.left)}..${Math.round(box.right)}`);
  }
  return found.slice(0, 5);
}"""


async def overflow(page):
    """Elements that reach out of the page at the side."""
    return await page.evaluate(OVERFLOW)


__all__ = ["DESK", "PATIENCE", "PHONE", "ROOT", "SHOTS", "Error", "Failure", "Suite", "becomes", "check", "chromium", "expect", "flashes", "go", "overflow", "seat",
           "serious", "settled", "shot"]
