# SPDX-License-Identifier: Apache-2.0
"""Servers, `apus` profiles and their processes for the suites and the demonstration."""

import asyncio
import contextlib
import json
import os
import pathlib
import shlex
import shutil
import signal
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SERVER = ROOT / "Scripts" / "server"


class Failure(Exception):
    """Something that was expected did not happen; the text says what and where to look."""


def program():
    """The release build of apus, or what APUS names."""
    path = pathlib.Path(os.environ.get("APUS") or ROOT / ".build" / "release" / "apus")
    if not path.exists():
        raise Failure(f"{path} is missing; run: swift build -c release")
    return str(path)


def listening_ports():
    """Every (address, port) in state LISTEN, as the kernel prints them."""
    found = set()
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(OSError), open(name, encoding="ascii") as table:
            for line in list(table)[1:]:
                fields = line.split()
                if fields[3] == "0A":
                    found.add(fields[1])
    return found


@contextlib.contextmanager
def scratch():
    """A private folder with a short path (Unix sockets), removed at the end unless KEEP is set."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="apus-", dir=os.environ.get("TMPDIR", "/tmp")))
    path.chmod(0o700)
    try:
        yield path
    finally:
        if os.environ.get("KEEP"):
            print(f"kept: {path}", file=sys.stderr)
        else:
            shutil.rmtree(path, ignore_errors=True)


class Server:
    """Prosody or ejabberd in a folder of its own; ends with this process at the latest."""

    def __init__(self, kind, folder, **options):
        self.kind, self.folder, self.options = kind, pathlib.Path(folder), options
        self.values = {}

    async def start(self):
        await self._call("start", self.kind, str(self.folder),
                         env={**os.environ, "OWNER": str(os.getpid()), **self.options})
        for line in (self.folder / "server.env").read_text().splitlines():
            name, _, value = line.partition("=")
            self.values[name] = shlex.split(value)[0] if value != "''" else ""
        return self

    async def stop(self):
        if (self.folder / "server.env").exists():
            await self._call("stop", str(self.folder))

    async def register(self, user, password, domain="localhost"):
        await self._call("register", str(self.folder), user, password, domain)

    def kill(self):
        """End the server at once, as a power failure does."""
        os.kill(int((self.folder / "server.pid").read_text()), signal.SIGKILL)

    async def _call(self, *arguments, env=None):
        process = await asyncio.create_subprocess_exec(
            str(SERVER), *arguments, env=env, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        output, errors = await process.communicate()
        if process.returncode:
            raise Failure(f"{self.kind}: {errors.decode().strip() or output.decode().strip()}")
        return output.decode()

    @property
    def port(self):
        return int(self.values["C2S_PORT"])

    @property
    def direct_port(self):
        return int(self.values["C2S_TLS_PORT"])

    @property
    def authority(self):
        return self.values["CA_FILE"]

    @property
    def version(self):
        return self.values["VERSION"]


class Profile:
    """One person's profile of apus: its own XDG folders, and the processes run on it."""

    def __init__(self, name, folder):
        self.name, self.folder = name, pathlib.Path(folder)
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")}
        for variable, part in (("HOME", "home"), ("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "config"),
                               ("XDG_STATE_HOME", "state"), ("XDG_CACHE_HOME", "cache"), ("XDG_RUNTIME_DIR", "run")):
            path = self.folder / part
            path.mkdir(parents=True, exist_ok=True)
            path.chmod(0o700)
            self.environment[variable] = str(path)
        self.environment["NO_COLOR"] = "1"
        self.running = []

    async def spawn(self, *arguments, stdin=asyncio.subprocess.DEVNULL):
        """Start `apus ARGUMENTS` and return its process."""
        errors = open(self.folder / "stderr.log", "ab")
        process = await asyncio.create_subprocess_exec(
            program(), *arguments, env=self.environment, stdin=stdin, cwd=self.folder,
            stdout=asyncio.subprocess.PIPE, stderr=errors, limit=1 << 22)
        errors.close()
        self.running.append(process)
        return process

    async def run(self, *arguments, text=None, timeout=60, accept=(0,)):
        """Run `apus ARGUMENTS` to its end; returns its standard output."""
        process = await asyncio.create_subprocess_exec(
            program(), *arguments, env=self.environment, cwd=self.folder,
            stdin=asyncio.subprocess.PIPE if text is not None else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        self.running.append(process)
        try:
            output, errors = await asyncio.wait_for(
                process.communicate(text.encode() if text is not None else None), timeout)
        except asyncio.TimeoutError:
            process.kill()
            await process.wait()
            raise Failure(f"{self.name}: `apus {' '.join(arguments)}` took over {timeout} s") from None
        finally:
            self.running.remove(process)
        if process.returncode not in accept:
            raise Failure(f"{self.name}: `apus {' '.join(arguments)}` ended with {process.returncode}: "
                          f"{errors.decode(errors='replace').strip() or output.decode(errors='replace').strip()}")
        return output.decode()

    async def lines(self, *arguments, **options):
        """The JSON objects that `apus ARGUMENTS --json` prints."""
        output = await self.run(*arguments, "--json", **options)
        return [json.loads(line) for line in output.splitlines() if line.strip()]

    async def account(self, verb, address, password, server, port=None, *more):
        """`account add` or `account register` at the given server's authority and port."""
        secret = self.folder / "password"
        secret.touch(mode=0o600)
        secret.write_text(password)
        try:
            return await self.run("account", verb, address, "--password-file", str(secret), "--host", "127.0.0.1",
                                  "--port", str(port or server.port), "--ca", server.authority, *more)
        finally:
            secret.unlink()

    async def history(self, other, limit=1000, **options):
        return unwrap(await self.lines("history", other, "--limit", str(limit), **options), "messages")

    async def end(self):
        for process in self.running:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.terminate()
        for process in self.running:
            try:
                await asyncio.wait_for(process.wait(), 5)
            except asyncio.TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        self.running.clear()

    def errors(self):
        """What the long-running processes wrote to standard error."""
        path = self.folder / "stderr.log"
        return path.read_text(errors="replace") if path.exists() else ""


def unwrap(values, key):
    """A list printed as one object with a member `key`, as one array, or as one object per line."""
    if len(values) == 1 and isinstance(values[0], dict) and isinstance(values[0].get(key), list):
        return values[0][key]
    if len(values) == 1 and isinstance(values[0], list):
        return values[0]
    return values


class Listener:
    """`apus listen --json`: holds the profile, its events in order."""

    def __init__(self, profile):
        self.profile, self.events = profile, []
        self.changed = asyncio.Condition()

    async def start(self, *arguments, online=True, timeout=30):
        self.process = await self.profile.spawn("listen", "--json", *arguments)
        self.reader = asyncio.ensure_future(self._read())
        if online:
            await self.wait(lambda e: phase(e) == "online", "being online", timeout)
            # ejabberd can lose a message from its offline storage that comes while it is taking in our first
            # presence (it stays in the archive), so give the server a moment before anybody writes to us.
            await asyncio.sleep(0.3)
        return self

    async def _read(self):
        while line := await self.process.stdout.readline():
            with contextlib.suppress(ValueError):
                async with self.changed:
                    self.events.append(json.loads(line))
                    self.changed.notify_all()
        async with self.changed:
            self.changed.notify_all()

    async def wait(self, condition, what, timeout=20, after=0):
        """The first event from index `after` on for which `condition` holds."""
        def find():
            return next((e for e in self.events[after:] if condition(e)), None)

        async with self.changed:
            waiting = self.changed.wait_for(lambda: find() or self.reader.done())
            try:
                await asyncio.wait_for(waiting, timeout)
            except asyncio.TimeoutError:
                pass
        if found := find():
            return found
        ended = f"; it ended with {self.process.returncode}" if self.reader.done() else ""
        raise Failure(f"{self.profile.name}: no {what} within {timeout} s{ended}; "
                      f"last events: {self.events[-3:]}; errors: {self.profile.errors()[-500:]}")

    async def message(self, body, timeout=20, **fields):
        """The first message event with that body."""
        def matches(event):
            item = message(event)
            return item is not None and item.get("body") == body and all(item.get(k) == v for k, v in fields.items())
        return message(await self.wait(matches, f"message {body!r} {fields or ''}", timeout))

    def kill(self):
        self.process.kill()

    async def end(self, number=signal.SIGTERM):
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.send_signal(number)
        await asyncio.wait_for(self.process.wait(), 10)
        await self.reader
        if self.process in self.profile.running:
            self.profile.running.remove(self.process)
        return self.process.returncode


def message(event):
    """The message of a `message` or `message-changed` event."""
    return event.get("message") if str(event.get("type", "")).startswith("message") else None


def phase(event):
    """The connection's phase in a `connection` event."""
    if event.get("type") != "connection":
        return None
    return ((event.get("account") or {}).get("connection") or {}).get("state")


async def poll(action, condition, what, timeout=20, pause=0.1):
    """Repeat `action` until `condition` holds for its value, and return that."""
    loop = asyncio.get_running_loop()
    deadline, value = loop.time() + timeout, None
    while loop.time() < deadline:
        value = await action()
        if condition(value):
            return value
        await asyncio.sleep(pause)
    raise Failure(f"no {what} within {timeout} s; last: {value}")


def main(body):
    """Run an async test; a Failure becomes one line and exit status 1."""
    async def guarded():
        task = asyncio.ensure_future(body())
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, task.cancel)
        await task

    try:
        asyncio.run(guarded())
    except Failure as failure:
        print(f"FAIL {failure}", file=sys.stderr)
        raise SystemExit(1) from None
    except asyncio.CancelledError:
        print("interrupted", file=sys.stderr)
        raise SystemExit(130) from None
