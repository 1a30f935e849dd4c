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
from pages_looks import looks, looks_phone, narrow
from pages_notices import notices
from pages_reading import reading
from pages_rooms import rooms
from pages_speed import speed

# The longest first, so that they do not come last.
PARTS = {one.__name__: one for one in (
    looks, looks_phone, unreliable, narrow, actions, rooms, hostile, files, entry, reading, keyboard, notices, touch, speed)}
# Each has contexts and a stand-in of its own. They wait for frames and answers more than they work.
LANES = 3


async def main():
    wanted = sys.argv[1:]
    suite = Suite("web pages")
    began = time.monotonic()
    async with chromium() as browser:
        waiting = [name for name in PARTS if not wanted or name in wanted]

        async def lane():
            while waiting:
                name, start = waiting.pop(0), time.monotonic()
                try:
                    await PARTS[name](suite, browser)
                except Exception as error:
                    suite.failed += 1
                    print(f"FAIL {suite.title}: {name} broke off: {type(error).__name__}: {re.sub(chr(10), ' ', str(error))[:400]}")
                print(f"     {name}: {time.monotonic() - start:.1f} s", flush=True)

        await asyncio.gather(*(lane() for _ in range(LANES)))
    print(f"     all: {time.monotonic() - began:.1f} s")
    suite.finish()


if __name__ == "__main__":
    asyncio.run(main())
