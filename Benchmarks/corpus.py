#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the corpus of the benchmarks into a folder: the same bytes for the same seed.

stream.xml    a stream of about 20 MB: messages, receipts, presences with capabilities, roster pushes, archive results
messages.txt  chat messages, one per line, for the flood
bodies.txt    texts, one per line, for sending
"""
import json
import pathlib
import random
import sys
from xml.sax.saxutils import escape

WORDS = ("meeting tonight bring the blue folder train leaves at noon please call me when you arrive thanks a lot "
         "see you there did anybody water the plants 会议 明天 上午 кофе завтра naïve café & <soon> \"quoted\" it's 🙂").split()


def text(r, low, high):
    return " ".join(r.choice(WORDS) for _ in range(r.randint(low, high)))


def token(r):
    return "%08x-%04x-%04x-%012x" % (r.getrandbits(32), r.getrandbits(16), r.getrandbits(16), r.getrandbits(48))


def person(r):
    name = r.choice("alice bob carol dave erin frank grace heidi ivan judy".split())
    return f"{name}{r.randint(1, 60)}@{r.choice(['example.org', 'chat.example.net', 'xmpp.example.com'])}"


def message(r, low=6, high=30):
    sender = f"{person(r)}/{r.choice(['phone', 'laptop', 'web.' + token(r)[:8]])}"
    stanza = token(r)
    return (f"<message from='{sender}' to='bench@bench.example/bench' type='chat' id='{token(r)}' xml:lang='en'>"
            f"<body>{escape(text(r, low, high))}</body><active xmlns='http://jabber.org/protocol/chatstates'/>"
            f"<request xmlns='urn:xmpp:receipts'/><origin-id xmlns='urn:xmpp:sid:0' id='{token(r)}'/>"
            f"<stanza-id xmlns='urn:xmpp:sid:0' by='bench@bench.example' id='{stanza}'/></message>")


def other(r):
    kind = r.random()
    if kind < 0.3:
        return (f"<message from='{person(r)}/phone' to='bench@bench.example/bench' id='{token(r)}'>"
                f"<received xmlns='urn:xmpp:receipts' id='{token(r)}'/></message>")
    if kind < 0.7:
        show = r.choice(["", "<show>away</show>", "<show>dnd</show><status>in a meeting</status>"])
        return (f"<presence from='{person(r)}/phone' to='bench@bench.example'>{show}<priority>{r.randint(0, 10)}</priority>"
                f"<c xmlns='http://jabber.org/protocol/caps' hash='sha-1' node='https://example.org/client' "
                f"ver='{token(r)[:27]}='/><x xmlns='vcard-temp:x:update'><photo>{token(r)}</photo></x></presence>")
    if kind < 0.8:
        return (f"<iq type='set' id='{token(r)}' to='bench@bench.example/bench'><query xmlns='jabber:iq:roster' ver='{token(r)[:8]}'>"
                f"<item jid='{person(r)}' name='{escape(text(r, 1, 2), {chr(39): '&apos;'})}' subscription='both'><group>Friends</group></item></query></iq>")
    inner = message(r).replace("<message ", "<message xmlns='jabber:client' ", 1)
    return (f"<message from='bench@bench.example' to='bench@bench.example/bench'><result xmlns='urn:xmpp:mam:2' queryid='q1' id='{token(r)}'>"
            f"<forwarded xmlns='urn:xmpp:forward:0'><delay xmlns='urn:xmpp:delay' stamp='2026-01-02T03:04:05Z'/>{inner}</forwarded></result></message>")


def main(folder, megabytes=20):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    r = random.Random(20260101)
    with open(folder / "messages.txt", "w", encoding="utf-8") as out:
        for _ in range(5000):
            out.write(message(r) + "\n")
    with open(folder / "bodies.txt", "w", encoding="utf-8") as out:
        for _ in range(5000):
            out.write(text(r, 6, 30) + "\n")
    count = size = 0
    with open(folder / "stream.xml", "w", encoding="utf-8") as out:
        out.write("<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' "
                  "id='b1' from='bench.example' version='1.0'>")
        while size < megabytes * 1_000_000:
            stanza = message(r) if r.random() < 0.55 else other(r)
            out.write(stanza)
            size += len(stanza.encode())
            count += 1
    (folder / "manifest.json").write_text(json.dumps({"stanzas": count, "bytes": size}))


if __name__ == "__main__":
    main(sys.argv[1])
