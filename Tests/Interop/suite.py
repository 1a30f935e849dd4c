# SPDX-License-Identifier: Apache-2.0
"""Named cases with a line each, `ok` or `FAIL`, and a count at the end."""

import contextlib
import sys
import time

from harness import Failure
from peer import PeerError


class Suite:
    """Counts the cases of one suite on one server."""

    def __init__(self, title):
        self.title, self.passed, self.failed = title, 0, 0

    @contextlib.asynccontextmanager
    async def case(self, name):
        start = time.monotonic()
        try:
            yield
        except (Failure, PeerError, AssertionError, OSError) as error:
            self.failed += 1
            text = str(error) or type(error).__name__
            print(f"FAIL {self.title}: {name}: {text}", flush=True)
        else:
            self.passed += 1
            print(f"ok   {self.title}: {name} ({time.monotonic() - start:.1f} s)", flush=True)

    def finish(self):
        print(f"{self.title}: {self.passed} passed, {self.failed} failed", flush=True)
        if self.failed:
            sys.exit(1)


def check(condition, text):
    """An expectation in words."""
    if not condition:
        raise Failure(text)
