# SPDX-License-Identifier: Apache-2.0
"""The examples work on a real server, with an independent client on the other side: examples.py KIND FOLDER

FOLDER holds the programs.
"""

import asyncio
import os
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

from slixmpp.xmlstream.handler import Callback
from slixmpp.xmlstream.matcher import MatchXPath

from harness import Server, main, scratch
from peer import Peer
from suite import Suite, check

DICE = "urn:example:dice"
IBB = "http://jabber.org/protocol/ibb"
SOCKS5 = "http://jabber.org/protocol/bytestreams"
SI = "http://jabber.org/protocol/si"
PROFILE = "http://jabber.org/protocol/si/profile/file-transfer"
# slixmpp carries the bytes; its own stream initiation takes no part, since version 1.17 breaks on it.
ACCEPTED = f"""<si xmlns='{SI}'><feature xmlns='http://jabber.org/protocol/feature-neg'>
<x xmlns='jabber:x:data' type='submit'><field var='stream-method'><value>{IBB}</value></field></x></feature></si>"""
OFFER = f"""<si xmlns='{SI}' id='%s' profile='{PROFILE}'><file xmlns='{PROFILE}' name='%s' size='%d'/>
<feature xmlns='http://jabber.org/protocol/feature-neg'><x xmlns='jabber:x:data' type='form'>
<field var='stream-method' type='list-single'><option><value>{SOCKS5}</value></option>
<option><value>{IBB}</value></option></field></x></feature></si>"""


async def start(program, *arguments, text="secret\n"):
    process = await asyncio.create_subprocess_exec(
        program, *map(str, arguments), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
    process.stdin.write(text.encode())
    process.stdin.close()
    return process


async def finish(process, timeout=30):
    """What it printed, and how it ended."""
    output, _ = await asyncio.wait_for(process.communicate(), timeout)
    return output.decode(), process.returncode


async def stop(process):
    if process.returncode is None:
        process.terminate()
    await process.wait()


async def online(peer, address):
    """Waits until that program answers."""
    for _ in range(100):
        try:
            return await peer.plugin["xep_0030"].get_info(jid=address, timeout=5)
        except Exception:
            await asyncio.sleep(0.1)
    raise AssertionError(f"{address} does not come online")


async def body():
    kind, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    suite = Suite(f"examples on {kind}")
    with scratch() as place:
        server = await Server(kind, place / "server", ACCOUNTS="robot:secret bob:secret").start()
        at = ("127.0.0.1", server.port, server.authority)
        bob = Peer("bob@localhost/slixmpp", "secret", *at)
        bob.register_plugin("xep_0047", {"auto_accept": True})
        await bob.login()
        for feature in (SI, PROFILE):
            bob.plugin["xep_0030"].add_feature(feature)
        source = place / "tea time.bin"
        source.write_bytes(os.urandom(50_000))
        try:
            async with suite.case("registration tool"):
                for expected, code in (("registered newcomer@localhost", 0), ("the name newcomer is taken", 1)):
                    output, status = await finish(
                        await start(folder / "RegistrationTool", "localhost", "newcomer", *at))
                    check(expected in output and status == code, f"it said {output!r} and ended with {status}")

            async with suite.case("a wrong password ends each example with one line and 1"):
                for name, arguments in (
                        ("EchoBot", ["robot@localhost", *at]), ("DiceBot", ["robot@localhost", *at]),
                        ("RoomBot", ["robot@localhost", "tea@rooms.localhost", "robot", *at]),
                        ("FileSender", ["robot@localhost", "send", "bob@localhost", source, *at]),
                        ("EchoComponent", ["echo.localhost", "127.0.0.1", server.values["COMPONENT_PORT"]])):
                    output, status = await finish(await start(folder / name, *arguments, text="wrong\n"))
                    check(status == 1 and output.count("\n") == 1, f"{name} said {output!r} and ended with {status}")

            async with suite.case("an extension from outside the library"):
                bot = await start(folder / "DiceBot", "robot@localhost/dice", *at)
                try:
                    info = await online(bob, "robot@localhost/dice")
                    check(DICE in info["disco_info"]["features"], "it does not tell of its extension")
                    iq = bob.make_iq_get(ito="robot@localhost/dice")
                    iq.append(ElementTree.Element(f"{{{DICE}}}roll", {"sides": "6"}))
                    answer = await iq.send(timeout=10)
                    thrown = answer.xml.find(f"{{{DICE}}}throw")
                    check(thrown is not None and 1 <= int(thrown.text) <= 6, f"it answered {answer}")
                finally:
                    await stop(bot)

            async with suite.case("the app of the tutorial"):
                # Into a pipe nothing is shown line by line of itself.
                app = await asyncio.create_subprocess_exec(
                    "stdbuf", "-oL", folder / "Tutorial06", "robot@localhost", "bob@localhost", *map(str, at),
                    stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
                    env={**os.environ, "CHAT_PROFILE": str(place / "profile")})
                try:
                    app.stdin.write("secret\nHello from the tutorial\n".encode())
                    heard = await bob.wait("message", {"body": "Hello from the tutorial"}, timeout=20)
                    bob.say(heard["from"], "Hello, tutorial")
                    while line := await asyncio.wait_for(app.stdout.readline(), 20):
                        if line.decode() == "bob@localhost: Hello, tutorial\n":
                            break
                    check(line, "it did not show the answer")
                    app.stdin.close()
                    check(await asyncio.wait_for(app.wait(), 20) == 0, "it did not end in good order")
                finally:
                    await stop(app)

            async with suite.case("component"):
                component = await start(
                    folder / "EchoComponent", "echo.localhost", "127.0.0.1", server.values["COMPONENT_PORT"],
                    text=server.values["COMPONENT_SECRET"] + "\n")
                try:
                    await online(bob, "echo.localhost")
                    bob.say("ann@echo.localhost", "tea")
                    answer = await bob.wait("message", {"body": "ann heard: tea"}, timeout=20)
                    check(answer["from"] == "ann@echo.localhost", f"answered by {answer['from']}")
                finally:
                    await stop(component)

            async with suite.case("file sender: an upload and its link"):
                output, status = await finish(
                    await start(folder / "FileSender", "robot@localhost", "send", "bob@localhost", source, *at))
                check(status == 0 and "sent https://" in output, f"it said {output!r}")
                await bob.wait("message", {"body": output.split()[-1]}, timeout=20)

            async with suite.case("file sender: straight to slixmpp, which wants smaller blocks"):
                got = asyncio.get_running_loop().create_future()

                def take(iq):
                    reply = bob.make_iq_result(iq["id"], ito=iq["from"])
                    reply.append(ElementTree.fromstring(ACCEPTED))
                    reply.send()

                async def gather(stream):
                    got.set_result(await stream.gather(timeout=30))

                bob.register_handler(Callback("offer", MatchXPath(f"{{jabber:client}}iq/{{{SI}}}si"), take))
                bob.add_event_handler("ibb_stream_start", gather, disposable=True)
                output, status = await finish(
                    await start(folder / "FileSender", "robot@localhost", "send", "bob@localhost/slixmpp", source, *at))
                check(status == 0, f"it said {output!r}")
                check(await asyncio.wait_for(got, 20) == source.read_bytes(), "another file came")

            async with suite.case("file sender: takes a file of slixmpp, which offers SOCKS5 first"):
                target = place / "taken"
                target.mkdir()
                process = await start(
                    folder / "FileSender", "robot@localhost/files", "receive", "-", target, *at)
                await online(bob, "robot@localhost/files")
                sid = "slixmpp-1"
                iq = bob.make_iq_set(ito="robot@localhost/files")
                iq.append(ElementTree.fromstring(OFFER % (sid, "../tea.bin", source.stat().st_size)))
                answer = await iq.send(timeout=20)
                method = answer.xml.find(".//{jabber:x:data}value").text
                check(method == IBB, f"it chose {method}")
                stream = await bob.plugin["xep_0047"].open_stream("robot@localhost/files", sid=sid, timeout=20)
                await stream.sendall(source.read_bytes(), timeout=20)
                await stream.close(timeout=20)
                output, status = await finish(process)
                check(status == 0 and "received tea.bin (50000 bytes)" in output, f"it said {output!r}")
                check((target / "tea.bin").read_bytes() == source.read_bytes(), "another file came")
        finally:
            await bob.logout()
            await server.stop()
    suite.finish()


if __name__ == "__main__":
    main(body)
