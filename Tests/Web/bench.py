# SPDX-License-Identifier: Apache-2.0
"""How fast the web app is: first paint with 2 000 conversations, scrolling through 100 000 messages and the whole list.

Frames are judged by the DevTools trace, not by counting callbacks: a frame that was dropped is one that somebody saw."""

import asyncio
import json
import time

from browser import DESK, PHONE, chromium, go
from real import Person
from scene import BO, chat, opened
from standin import StandIn

from harness import Server, scratch  # noqa: E402
from peer import Peer  # noqa: E402

CATEGORIES = "disabled-by-default-devtools.timeline,disabled-by-default-devtools.timeline.frame,devtools.timeline.frame,devtools.timeline,benchmark"


# What a frame is made of, as the trace calls it. Thread time, so that other work on the machine does not count.
PHASES = {"FireAnimationFrame": "script", "EventDispatch": "script", "UpdateLayoutTree": "style", "Layout": "layout", "PrePaint": "paint", "Paint": "paint",
          "Layerize": "paint", "Commit": "paint", "RasterTask": "raster"}
COSTS = {}


def add_costs(events, frames):
    """Milliseconds of thread time for each phase and frame, the largest of several runs."""
    sums = {}
    for event in events:
        phase = PHASES.get(event["name"])
        # Style and layout that a script forces are inside the script's own time, too.
        if phase and "tdur" in event:
            sums[phase] = sums.get(phase, 0) + event["tdur"] / 1000
    for phase, total in sums.items():
        COSTS[phase] = max(COSTS.get(phase, 0), round(total / frames, 2))


async def traced(page, work, frames=0):
    """Runs `work` under the trace; returns seconds, frames shown, frames dropped, long tasks."""
    session = await page.context.new_cdp_session(page)
    events, done = [], asyncio.Event()
    session.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    session.on("Tracing.tracingComplete", lambda _: done.set())
    await session.send("Tracing.start", {"categories": CATEGORIES, "transferMode": "ReportEvents"})
    start = time.monotonic()
    await work()
    span = time.monotonic() - start
    await session.send("Tracing.end")
    await done.wait()
    if frames:
        add_costs(events, frames)
    states = [event["args"]["frame_reporter"]["state"] for event in events
              if event["name"] == "PipelineReporter" and event.get("args", {}).get("frame_reporter")]
    shown = sum(state.startswith("STATE_PRESENTED") for state in states)
    dropped = sum(state == "STATE_DROPPED" for state in states)
    long = sum(event["name"] == "RunTask" and event.get("dur", 0) > 50_000 for event in events)
    return span, shown, dropped, long


async def heap(page):
    session = await page.context.new_cdp_session(page)
    await session.send("HeapProfiler.collectGarbage")
    return await page.evaluate("performance.memory.usedJSHeapSize") / 1e6


SCROLL = """async ([selector, step, frames]) => {
  const view = document.querySelector(selector);
  const times = [];
  let last = performance.now();
  for (let i = 0; i < frames; i++) {
    await new Promise((done) => requestAnimationFrame(done));
    const now = performance.now();
    times.push(now - last);
    last = now;
    view.scrollTop += step;
  }
  times.sort((a, b) => a - b);
  return { rate: 1000 / (times.reduce((a, b) => a + b) / times.length), worst: times.at(-1), p95: times[Math.floor(times.length * 0.95)] };
}"""


# Resolves with the time of the frame in which the last message has this text.
SEEN = """(text) => new Promise((done) => {
  const look = () => {
    const there = [...document.querySelectorAll('.message')].at(-1)?.textContent.includes(text);
    requestAnimationFrame(there ? () => done(performance.timeOrigin + performance.now()) : look);
  };
  look();
})"""


async def arrival(results):
    """From an independent client's call to the frame after the one that shows it: its server, the service, the page."""
    with scratch() as folder:
        server = await Server("prosody", folder / "server", ACCOUNTS="ana:secret bo:secret").start()
        person = Person("ana", folder / "ana", server)
        bo = Peer("bo@localhost/x", "secret", "127.0.0.1", server.port, server.authority)
        try:
            await person.profile.account("add", "ana@localhost", "secret", server)
            await person.start()
            await bo.login()
            bo.send_message(mto="ana@localhost", mbody="the first", mtype="chat")
            async with chromium() as browser:
                someone, page = await person.browser(browser, DESK)
                # Bo is a stranger, whose chats have a place of their own.
                await go(page, f"{person.url}/#/chat/ana%40localhost/bo%40localhost")
                await page.locator(".message", has_text="the first").wait_for()
                times = []
                for i in range(30):
                    shown = asyncio.ensure_future(page.evaluate(SEEN, f"number {i}."))
                    await asyncio.sleep(0.2)
                    start = time.time()
                    bo.send_message(mto="ana@localhost", mbody=f"number {i}.", mtype="chat")
                    times.append(await shown - start * 1000)
                times.sort()
                results["a message is on screen after, ms: median, worst of 30"] = [round(times[15]), round(times[-1])]
            await bo.logout()
        finally:
            await person.end()
            await server.stop()


async def main():
    results = {}
    async with chromium("--enable-precise-memory-info") as browser:
        site = StandIn()
        for i in range(2000):
            site.conversation(f"p{i}@chat.example", [("in", f"hello {i}", i)], f"Person {i}")
        paints = []
        for _ in range(5):
            someone, page = await opened(site, browser, kind=PHONE)
            await page.wait_for_selector("chat-list .row")
            paints.append(await page.evaluate("""() => new Promise((done) => new PerformanceObserver((list) =>
                done(list.getEntries().at(-1).startTime - performance.getEntriesByType('navigation')[0].loadEventEnd))
                .observe({ type: 'largest-contentful-paint', buffered: true }))"""))
            await someone.close()
        results["2 000 conversations: largest paint after load, ms"] = round(sorted(paints)[2])

        someone, page = await opened(site, browser)
        await page.wait_for_selector("chat-list .row")
        measured = {}
        span, shown, dropped, long = await traced(page, lambda: scroll(page, measured, "chat-list .scroller", 240, 500))
        results["list, 2 000 rows: frames a second"] = round(measured["rate"], 1)
        results["list: dropped frames, long tasks"] = [dropped, long]
        await someone.close()

        site.contact(BO, "Bo", "online")
        site.conversation(BO, [("in" if i % 3 else "out", f"Message {i} " + "words and words " * (i % 9), 100_000 - i) for i in range(100_000)], "Bo")
        for label, kind in (("desk", DESK), ("phone", PHONE)):
            someone, page = await opened(site, browser, chat(BO), kind=kind)
            await page.wait_for_selector(".message")
            await page.wait_for_timeout(500)
            before = await heap(page)
            rates, drops, longs = [], 0, 0
            for _ in range(6):
                span, shown, dropped, long = await traced(page, lambda: scroll(page, measured, ".timeline", -180, 400), 400)
                rates.append(measured["rate"])
                drops += dropped
                longs += long
            results[f"{label}: milliseconds of thread time a frame"] = dict(COSTS)
            COSTS.clear()
            after = await heap(page)
            state = await page.evaluate("[document.querySelectorAll('.message').length, document.querySelector('.message').innerText]")
            results[f"{label}, 100 000 messages: frames a second, worst of 6 runs"] = round(min(rates), 1)
            results[f"{label}: dropped frames, long tasks, worst frame ms"] = [drops, longs, round(measured["worst"])]
            results[f"{label}: heap before and after, MB; rows that exist"] = [round(before, 1), round(after, 1), state[0]]
            print(label, state)
            await someone.close()
    await arrival(results)
    print(json.dumps(results, indent=1))


async def scroll(page, measured, selector, step, frames):
    measured.update(await page.evaluate(SCROLL, [selector, step, frames]))


if __name__ == "__main__":
    asyncio.run(main())
