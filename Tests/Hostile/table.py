# SPDX-License-Identifier: Apache-2.0
"""How a case is written down: a row with a stage, what the server sends there, and what must come of it."""

import base64
import re

from peer import BIND, HEADER, PROCEED, SM, STARTTLS, Wrong, features, mechanisms

CASES = []
SECRETS = (b"secret", base64.b64encode(b"\0juliet\0secret"))


class Case:
    """A name, which begins with the ids, and a function of the bench."""

    def __init__(self, name, run, secrets=SECRETS):
        self.name = name
        self.ids = re.findall(r"\b(?:T\d{3}|B\d{2,3}|(?:OF|SP)\d{2})\b", name)
        self.run = run
        self.secrets = secrets
        if not self.ids:
            raise ValueError(f"a case without an id: {name}")
        CASES.append(self)


def case(name, **options):
    """Makes a function of the bench a case."""
    def add(function):
        Case(name, function, **options)
        return function
    return add


def reach(bench, peer, stage):
    """Plays an honest server up to a stage."""
    good = bench.certificates.context()
    steps = {
        "accepted": lambda: None,
        "header": peer.header,
        "features": lambda: (peer.header(), peer.send(HEADER)),
        "starttls": peer.to_starttls,
        "secure": lambda: peer.to_tls(good),
        "auth": lambda: peer.to_auth(good),
        "login": lambda: peer.to_login(good),
        "bind": lambda: peer.to_bind(good),
        "online": lambda: (peer.to_online(good), bench.client.until("online")),
        "unmanaged": lambda: (peer.to_online(good, managed=False), bench.client.until("online")),
    }
    return steps[stage]()


def fatal(name, stage, sends, code, says="", never=(), options=None, ends=False):
    """What the server sends at that stage ends the session with that error.

    `says` is what the client writes last, as a regular expression over all of it from there on; `never` is what it
    must not write at all. With `ends` the server closes its side afterwards.
    """
    def run(bench):
        bench.start(**(options or {}))
        peer = bench.accept()
        reach(bench, peer, stage)
        peer.send(sends)
        if ends:
            peer.finish()
        rest = peer.rest()
        if says and not re.fullmatch(says, rest, re.S):
            raise Wrong(f"the client wrote {rest!r}, not {says}")
        for text in never:
            if text in peer.text:
                raise Wrong(f"the client wrote {text}")
        ended = bench.client.end()
        if not re.fullmatch(code, ended):
            raise Wrong(f"it ended with {ended or 'no error'}, not {code}: {bench.client.seen[-1]}")
    Case(name, run)


def harmless(name, sends, events=(), answers="", stage="online", counted=None, never=()):
    """What the server sends on a stream that is up disturbs nothing.

    The `events` are the bodies of messages that must come through, in order; `answers` is what the client writes in
    return, as a regular expression; `counted` is how many stanzas of it stream management counts.
    """
    def run(bench):
        bench.start()
        peer = bench.accept()
        reach(bench, peer, stage)
        before = peer.position
        peer.send(sends)
        for body in events:
            got = bench.client.until("message")["body"]
            if got != body:
                raise Wrong(f"the message {got!r} came, not {body!r}")
        peer.settle()
        if counted is not None:
            peer.send("<r xmlns='urn:xmpp:sm:3'/>")
            h = int(re.search(r"h=[\"'](\d+)", peer.expect(r"<a [^>]*/>"))[1])
            # The ping that settled it counts as well.
            if h != counted + 1:
                raise Wrong(f"{h - 1} stanzas were counted, not {counted}")
        written = peer.raw[before:].decode(errors="replace")
        if answers and not re.search(answers, written, re.S):
            raise Wrong(f"the client answered {written!r}, not {answers}")
        for text in never:
            if text in written:
                raise Wrong(f"the client wrote {text}: {written!r}")
    Case(name, run)


__all__ = ["BIND", "CASES", "HEADER", "PROCEED", "SM", "STARTTLS", "Wrong", "case", "fatal", "features", "harmless",
           "mechanisms", "reach"]
