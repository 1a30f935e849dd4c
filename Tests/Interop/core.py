# SPDX-License-Identifier: Apache-2.0
"""The profile's socket as a face of apus uses it: one JSON object a line (Sources/ChatAPI/Wire/WireFrame.swift)."""

import asyncio
import json


class CoreGone(Exception):
    """The process that held the profile has ended, or never was."""


class CoreRefused(Exception):
    """The core answered a call with an error."""


def seconds(value):
    """A span of time as the protocol writes it: two halves of a number of attoseconds."""
    return [0, int(value * 10**18)]


class Core:
    """One connection to the process that holds a profile; calls may overlap."""

    def __init__(self, profile):
        self.path = profile.folder / "run" / "apus" / "default.sock"
        self.calls, self.next = {}, 0
        self.writer = self.reader = None

    async def open(self):
        try:
            self.stream, self.writer = await asyncio.open_unix_connection(str(self.path), limit=1 << 24)
        except OSError as error:
            raise CoreGone(str(error)) from None
        self._write({"type": "hello", "versions": [1], "program": "interop"})
        line = await self.stream.readline()
        if not line or json.loads(line)["type"] != "welcome":
            raise CoreGone(f"not welcome: {line!r}")
        self.reader = asyncio.ensure_future(self._read())
        return self

    def _write(self, frame):
        self.writer.write(json.dumps(frame).encode() + b"\n")

    async def _read(self):
        try:
            while line := await self.stream.readline():
                frame = json.loads(line)
                waiting = self.calls.pop(frame.get("id"), None) if frame["type"] in ("reply", "failure") else None
                if waiting is None or waiting.done():
                    continue
                if frame["type"] == "reply":
                    waiting.set_result(frame.get("result"))
                else:
                    waiting.set_exception(CoreRefused(frame["error"]))
        except (OSError, ValueError):
            pass
        for waiting in self.calls.values():
            if not waiting.done():
                waiting.set_exception(CoreGone("the core has gone"))
        self.calls.clear()

    async def call(self, method, **params):
        if self.reader is None or self.reader.done():
            raise CoreGone("not connected")
        self.next += 1
        answer = asyncio.get_running_loop().create_future()
        self.calls[self.next] = answer
        try:
            self._write({"type": "call", "id": self.next, "method": method, "params": params})
            await self.writer.drain()
        except OSError:
            raise CoreGone("the core has gone") from None
        return await answer

    def close(self):
        if self.writer is not None:
            self.writer.close()
        if self.reader is not None:
            self.reader.cancel()
