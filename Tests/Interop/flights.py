# SPDX-License-Identifier: Apache-2.0
"""Counts the flights of logins: a proxy holds every byte back for DELAY, and time / (2 * DELAY) is the number.

A flight is a turn of the client that the server had to answer. TCP is left out: the proxy accepts at
once, and bytes wait only after that. `flights.py DRIVER SERVER_ENV...` prints the table, a column for
each server, and ends with 1 when a value is missed.
"""

import asyncio
import pathlib
import re
import sys

DELAY = 0.1  # seconds, each way
TRIES = 4  # a busy machine only adds time, so the best of them counts
ROOT = pathlib.Path(__file__).resolve().parents[2]

# Row, what to say to the driver (`cut` is for the proxy), how the login has to look, direct TLS | STARTTLS.
SASL2 = [
    ("first login by SASL2", "first", r"SCRAM-\S+ new", (4, 5)),
    ("token, address bound in the login", "again", r"HT-\S+ new", (2, 3)),
    ("token, stream resumed in the login", "cut", r"HT-\S+ resumed", (2, 3)),
    ("password by SASL2, offer known", "password", r"SCRAM-\S+ new", (3, 4)),
]
CLASSIC = [
    ("first login by RFC 6120", "first classic", r"SCRAM-\S+ new", (5, 6)),
    ("login by RFC 6120, offer known", "again classic", r"SCRAM-\S+ new", (4, 5)),
    ("the same, stream resumed", "cut", r"SCRAM-\S+ resumed", (4, 5)),
]


class Delay:
    """A TCP proxy on a free port of 127.0.0.1 that hands each byte on DELAY later, in order."""

    def __init__(self, target):
        self.target, self.writers = target, set()

    async def start(self):
        self.server = await asyncio.start_server(self.accept, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def accept(self, reader, writer):
        onward_reader, onward = await asyncio.open_connection("127.0.0.1", self.target)
        self.writers |= {writer, onward}
        await asyncio.gather(self.pump(reader, onward), self.pump(onward_reader, writer))
        self.writers -= {writer, onward}

    async def pump(self, reader, writer):
        loop, queue = asyncio.get_running_loop(), asyncio.Queue()

        async def hand_on():
            while True:
                due, data = await queue.get()
                await asyncio.sleep(max(0, due - loop.time()))
                if not data:
                    break
                writer.write(data)

        task = asyncio.create_task(hand_on())
        try:
            while data := await reader.read(65536):
                queue.put_nowait((loop.time() + DELAY, data))
        except ConnectionError:
            pass
        queue.put_nowait((loop.time() + DELAY, b""))
        await task
        writer.transport.abort()

    def cut(self):
        for writer in list(self.writers):
            writer.transport.abort()


class Driver:
    """The program that logs in."""

    def __init__(self, path, *arguments):
        self.command = (path, *map(str, arguments))

    async def start(self):
        self.process = await asyncio.create_subprocess_exec(
            *self.command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
        return self

    def say(self, line):
        self.process.stdin.write(f"{line}\n".encode())

    async def login(self):
        """The next login: how it was done, and its milliseconds."""
        while True:
            line = (await asyncio.wait_for(self.process.stdout.readline(), 40)).decode().strip()
            if match := re.fullmatch(r"online (\S+ \S+) ([0-9.]+)", line):
                return match[1], float(match[2])
            if not line or not line.startswith("interrupted"):
                raise RuntimeError(line or "the driver ended")

    async def end(self):
        self.say("quit")
        try:
            await asyncio.wait_for(self.process.wait(), 10)
        except asyncio.TimeoutError:
            self.process.kill()


def environment(path):
    return dict(re.findall(r"^(\w+)='(.*)'$", pathlib.Path(path).read_text(), re.M))


async def measure(path, env, security, rows, column):
    """One number for each row, or the reason why there is none."""
    proxy = await Delay(int(env["C2S_TLS_PORT" if security == "direct" else "C2S_PORT"])).start()
    address = f"alice@{env['DOMAIN']}"
    driver = await Driver(path, proxy.port, security, env["DOMAIN"], address, "secret", env["CA_FILE"]).start()
    values = []
    for name, command, pattern, limits in rows:
        try:
            best = None
            for _ in range(TRIES):
                if command == "cut":
                    proxy.cut()
                else:
                    driver.say(command)
                how, milliseconds = await driver.login()
                flights = milliseconds / (2000 * DELAY)
                fits = re.fullmatch(pattern, how) is not None and round(flights) <= limits[column]
                best = min([value for value in (best, (not fits, flights, how)) if value])
                # What came with the login is read before the next one.
                await asyncio.sleep(4 * DELAY)
                if fits:
                    break
            values.append((best[1], best[2], not best[0]))
        except (RuntimeError, asyncio.TimeoutError) as error:
            values.append((None, f"{type(error).__name__}: {error}", False))
            break
    await driver.end()
    proxy.server.close()
    return values + [(None, "not reached", False)] * (len(rows) - len(values))


async def main():
    path, servers = sys.argv[1], [environment(name) for name in sys.argv[2:]]
    names = [f"{env['KIND']} {env['VERSION']}" for env in servers]
    cells, missed = {}, []

    async def all_of(env):
        parts = []
        for rows in ([SASL2] if env.get("BACKPORTS") else []) + [CLASSIC]:
            direct = await measure(path, env, "direct", rows, 0)
            parts.append((rows, [direct, await measure(path, env, "starttls", rows, 1)]))
        return parts

    # Side by side: the servers mostly wait for the proxy.
    for server, parts in zip(names, await asyncio.gather(*map(all_of, servers))):
        for rows, results in parts:
            for index, (name, _, _, limits) in enumerate(rows):
                pair = [result[index] for result in results]
                cells[name, server] = " | ".join("-" if value[0] is None else f"{value[0]:.2f}" for value in pair)
                for column, (flights, how, fits) in enumerate(pair):
                    if not fits:
                        kind = ("direct TLS", "STARTTLS")[column]
                        said = how if flights is None else f"{flights:.2f} flights ({how})"
                        missed.append(f"{server}, {kind}, {name}: {said}, wanted {limits[column]}")
    print(f"Flights until online, direct TLS | STARTTLS (time / {2000 * DELAY:.0f} ms)\n")
    header = ["", "wanted", *names]
    lines = [header, *(
        [name, f"{limits[0]} | {limits[1]}", *(cells.get((name, server), "no SASL2") for server in names)]
        for name, _, _, limits in SASL2 + CLASSIC)]
    widths = [max(len(line[index]) for line in lines) for index in range(len(header))]
    for line in lines:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())
    for text in missed:
        print(f"MISSED {text}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
