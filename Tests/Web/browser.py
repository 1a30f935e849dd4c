# SPDX-License-Identifier: Apache-2.0
"""Debian's Chromium under Playwright, as people hold it: a phone or a desk."""

import contextlib
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
expect.set_options(timeout=8000)


@contextlib.asynccontextmanager
async def chromium(*arguments):
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", *arguments])
        try:
            yield browser
        finally:
            await browser.close()


class Failure(Exception):
    """Something that was expected is not so."""


def check(condition, text):
    """An expectation in words."""
    if not condition:
        raise Failure(text)


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
            text = str(error).split("Call log")[0].split("Aria snapshot")[0].strip()
            print(f"FAIL {self.title}: {name}: {text[:1500]}", flush=True)
        else:
            self.passed += 1
            print(f"ok   {self.title}: {name} ({time.monotonic() - start:.1f} s)", flush=True)

    def finish(self):
        print(f"{self.title}: {self.passed} passed, {self.failed} failed", flush=True)
        sys.exit(1 if self.failed or not self.passed else 0)


class Seat:
    """One browser profile with its faults: what a page wrote to the console, and what it threw."""

    def __init__(self, context, name):
        self.context, self.name, self.faults = context, name, []
        context.on("weberror", lambda error: self.faults.append(f"thrown: {error.error}"))
        context.on("console", self._heard)

    def _heard(self, message):
        if message.type in ("error", "warning") and not EXPECTED.search(message.text):
            self.faults.append(f"{message.type}: {message.text}")

    async def page(self):
        return await self.context.new_page()

    async def close(self):
        await self.context.close()


async def seat(browser, name, kind=DESK, scheme="light", **options):
    options.setdefault("locale", "en-GB")
    context = await browser.new_context(color_scheme=scheme, **{**kind, **options})
    context.set_default_timeout(10_000)
    return Seat(context, name)


async def shot(page, name):
    SHOTS.mkdir(parents=True, exist_ok=True)
    await page.wait_for_timeout(250)
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


__all__ = ["DESK", "PHONE", "ROOT", "SHOTS", "Error", "Failure", "Suite", "check", "chromium", "expect", "overflow", "seat", "serious", "shot"]
