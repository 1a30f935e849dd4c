# SPDX-License-Identifier: Apache-2.0
"""The echo bot answers on a real server: echo.py prosody|ejabberd PROGRAM"""

import asyncio
import sys
import uuid

from harness import Server, main, scratch
from peer import Peer, PeerError
from suite import Suite, check


async def body():
    kind, program = sys.argv[1:3]
    suite = Suite(f"echo bot on {kind}")
    with scratch() as folder:
        server = await Server(kind, folder / "server", ACCOUNTS="robot:secret bob:secret").start()
        bob = Peer("bob@localhost/slixmpp", "secret", "127.0.0.1", server.port, server.authority)
        await bob.login()
        bot = await asyncio.create_subprocess_exec(
            program, "robot@localhost", "127.0.0.1", str(server.port), server.authority,
            stdin=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        try:
            bot.stdin.write(b"secret\n")
            bot.stdin.close()
            async with suite.case("answers what it is told"):
                for text in (f"hello {uuid.uuid4().hex[:8]}", "ünï <&> 🐦"):
                    # What comes between the bot's login and its presence may lie in ejabberd until its next presence.
                    for attempt in range(4):
                        bob.say("robot@localhost", text)
                        try:
                            answer = await bob.wait("message", {"body": text}, timeout=6)
                            break
                        except (PeerError, asyncio.TimeoutError):
                            if attempt == 3:
                                raise
                    check(answer["from"].startswith("robot@localhost/"), f"answered by {answer['from']}")
        finally:
            if bot.returncode is None:
                bot.terminate()
            await bot.wait()
            await bob.logout()
            await server.stop()
    suite.finish()


if __name__ == "__main__":
    main(body)
