# SPDX-License-Identifier: Apache-2.0
"""The demonstration itself under test: demo_test.py prosody|ejabberd

It must end with 0 and show this run's conversation; when its server is killed, or it is interrupted
itself, it must end with another status and a clear error; in each case nothing keeps listening.
"""

import asyncio
import os
import pathlib
import re
import signal
import sys

from harness import ROOT, Failure, listening_ports, main
from suite import Suite, check

DEMO = ROOT / "Tests" / "Interop" / "demo.py"


async def start(kind):
    # A session of its own: Ctrl-C reaches a whole process group, and we send it one.
    return await asyncio.create_subprocess_exec(
        sys.executable, "-u", str(DEMO), kind, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE, start_new_session=True, env={**os.environ, "NO_COLOR": "1"})


async def until(process, pattern, timeout=60):
    """Read lines until one matches; returns the match."""
    async def read():
        while line := await process.stdout.readline():
            if match := re.search(pattern, line.decode()):
                return match
        raise Failure(f"ended before printing {pattern!r}: {(await process.stderr.read()).decode()}")
    return await asyncio.wait_for(read(), timeout)



async def body():
    kind = sys.argv[1]
    suite = Suite(f"demonstration on {kind}")

    async with suite.case("shows the main job and ends with 0"):
        process = await start(kind)
        output, errors = await asyncio.wait_for(process.communicate(), 180)
        text = output.decode()
        check(process.returncode == 0, f"status {process.returncode}: {errors.decode()}\n{text}")
        for word in ("registered", "online", "delivered", "offline", "is back and has it", "cut off",
                     "old stream goes on", "archive id", "alice@127.0.0.1", "signed in by the link", "stream of events",
                     "everything is stopped"):
            check(word in text, f"{word!r} is missing in:\n{text}")
        check(len(re.findall(r"^ +\d\d:\d\d:\d\d ", text, re.M)) >= 6, f"the history is short:\n{text}")
        port = re.search(r"on 127\.0\.0\.1:(\d+)", text)[1]
        check(f":{int(port):04X}" not in {p[-5:] for p in listening_ports()}, f"port {port} still listens")

    async with suite.case("a server killed midway is a clear error"):
        process = await start(kind)
        pid = int((await until(process, r"process (\d+)"))[1])
        await until(process, r"They (become|talk)")
        os.kill(pid, signal.SIGKILL)
        output, errors = await asyncio.wait_for(process.communicate(), 60)
        check(process.returncode not in (0, None), "it ended with 0")
        check(f"{kind} (process {pid}) ended" in errors.decode(), f"the error: {errors.decode()}")
        check("Traceback" not in errors.decode(), f"the error is a traceback: {errors.decode()}")

    async with suite.case("Ctrl-C stops and removes everything"):
        process = await start(kind)
        match = await until(process, r"127\.0\.0\.1:(\d+), process (\d+)")
        await until(process, r"They (become|talk)")
        os.killpg(process.pid, signal.SIGINT)
        await asyncio.wait_for(process.communicate(), 60)
        check(process.returncode == 130, f"status {process.returncode}")
        check(not pathlib.Path(f"/proc/{match[2]}/cmdline").exists()
              or not pathlib.Path(f"/proc/{match[2]}/cmdline").read_bytes(), "the server is still there")
        check(f":{int(match[1]):04X}" not in {p[-5:] for p in listening_ports()}, "the server's port is still open")
    suite.finish()


if __name__ == "__main__":
    main(body)
