# SPDX-License-Identifier: Apache-2.0
"""The pages against the stand-in: faults on command, hostile text, long histories, every width. Names of parts as
arguments run only those."""

import asyncio
import re
import sys
import time

from browser import Suite, chromium
from pages_actions import actions, touch
from pages_entry import entry
from pages_faults import unreliable
from pages_files import files
from pages_hostile import hostile
from pages_keys import keyboard
from pages_looks import looks
from pages_notices import notices
from pages_reading import reading
from pages_rooms import rooms
from pages_speed import speed

PARTS = {one.__name__: one for one in (looks, hostile, unreliable, reading, actions, touch, rooms, files, entry, notices, keyboard, speed)}


async def main():
    wanted = sys.argv[1:]
    suite = Suite("web pages")
    async with chromium() as browser:
        async def run(names):
            for name in names:
                if wanted and name not in wanted:
                    continue
                start = time.monotonic()
                try:
                    await PARTS[name](suite, browser)
                except Exception as error:
                    suite.failed += 1
                    print(f"FAIL {suite.title}: {name} broke off: {type(error).__name__}: {re.sub(chr(10), ' ', str(error))[:400]}")
                print(f"     {name}: {time.monotonic() - start:.1f} s", flush=True)

        # The paint is measured alone, the rest goes side by side.
        await run(["speed"])
        await asyncio.gather(run(["looks"]), run([name for name in PARTS if name not in ("looks", "speed")]))
    suite.finish()


if __name__ == "__main__":
    asyncio.run(main())
