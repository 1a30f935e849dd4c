# SPDX-License-Identifier: Apache-2.0
"""What may not stand in a stream, and what looks odd and may."""

import re
import time

from peer import JID, STREAMS
from cases_login import closes
from table import BIND, HEADER, SM, STARTTLS, Wrong, case, fatal, features, harmless

WELL_FORMED = closes("not-well-formed")
RESTRICTED = closes("restricted-xml")
ENCODING = closes("unsupported-encoding")
POLICY = closes("policy-violation")


def message(body, identifier="m", sender="romeo@example.net/orchard", more=""):
    return f"<message from='{sender}' to='{JID}' type='chat' id='{identifier}'><body>{body}</body>{more}</message>"


def refused(name, sends, says, stages=("features", "online")):
    """In clear and on a stream that is up alike; nothing of it is delivered, nothing follows the stream error."""
    for stage in stages:
        where = "in clear" if stage == "features" else "later"
        fatal(f"{name}, {where}", stage, sends, "protocolViolation", ".*" + says if stage == "online" else says,
              never=["<auth"] if stage == "features" else ())


LAUGHS = ("<!DOCTYPE l [<!ENTITY a 'ha'>" + "".join(
    f"<!ENTITY {chr(98 + i)} '{('&' + chr(97 + i) + ';') * 10}'>" for i in range(9)) + "]>")
for name, text in (
        ("nested entities", LAUGHS + "<message><body>&j;</body></message>"),
        ("an entity of much text", "<!DOCTYPE l [<!ENTITY a '" + "x" * 50_000 + "'>]><message><body>&a;</body></message>"),
        ("an entity of a file", "<!DOCTYPE l [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><message><body>&a;</body></message>"),
        ("an entity of a web page", "<!DOCTYPE l [<!ENTITY % a SYSTEM 'http://127.0.0.1:9/'>%a;]><message/>"),
        ("a bare document type", "<!DOCTYPE stream>"),
        ("a document type of another document", "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0//EN' 'http://127.0.0.1:9/'>")):
    refused(f"T047 {name}", text, RESTRICTED)
fatal("T047 a document type before the stream", "header",
      "<?xml version='1.0'?><!DOCTYPE stream:stream [<!ENTITY a 'x'>]>" + HEADER[21:], "protocolViolation", RESTRICTED)
for name, text in (
        ("a processing instruction", "<?php echo 1 ?>"), ("a comment", "<!-- hi -->"),
        ("a comment inside a stanza", "<message><!-- hi --><body>x</body></message>"),
        ("an instruction inside a stanza", "<message><?x?></message>"),
        ("an unknown entity", "<message><body>&nbsp;</body></message>"),
        ("an unknown entity in an attribute", "<message id='&x;'/>")):
    refused(f"T048 {name}", text, RESTRICTED)
refused("T048 a section of unparsed characters outside of any stanza", "<![CDATA[x]]>", closes("(not-well-formed|bad-format)"))
for reference in ("&#0;", "&#x0;", "&#xD800;", "&#xDFFF;", "&#xFFFE;", "&#xFFFF;", "&#x110000;", "&#99999999999999;", "&#;",
                  "&#x;", "&#x1;", "&#8;", "&#-1;", "&# 65;", "&;", "&amp", "& "):
    refused(f"T049 the reference {reference}", f"<message><body>{reference}</body></message>", WELL_FORMED, ["online"])
for name, octets in (
        ("an overlong slash", b"\xc0\xaf"), ("an overlong slash of three", b"\xe0\x80\xaf"),
        ("an overlong slash of four", b"\xf0\x80\x80\xaf"), ("an overlong zero", b"\xc0\x80"),
        ("an encoded surrogate", b"\xed\xa0\x80"), ("a pair of encoded surrogates", b"\xed\xa0\xbd\xed\xb8\x80"),
        ("a form of five", b"\xf8\x88\x80\x80\x80"), ("a lone continuation", b"\x80"), ("a lead alone", b"\xe2\x82"),
        ("beyond the last", b"\xf4\x90\x80\x80"), ("bytes that never occur", b"\xfe\xff"), ("U+FFFF", b"\xef\xbf\xbf"),
        ("a control character", b"\x01"), ("a zero", b"\x00")):
    fatal(f"T050 {name} in text", "online", b"<message><body>" + octets + b"</body></message>", "protocolViolation",
          ".*" + WELL_FORMED)
    fatal(f"T050 {name} in an attribute", "online", b"<message id='" + octets + b"'/>", "protocolViolation",
          ".*" + WELL_FORMED)
    fatal(f"T050 {name} in a name", "online", b"<message><x" + octets + b"/></message>", "protocolViolation",
          ".*" + WELL_FORMED)
fatal("T051 a mark of UTF-16", "header", HEADER.encode("utf-16"), "protocolViolation", closes("(unsupported-encoding|not-well-formed)"))
fatal("T051 UTF-16 by declaration", "header", HEADER.replace("'1.0'?", "'1.0' encoding='UTF-16'?"), "protocolViolation",
      ENCODING)
fatal("T051 another encoding by declaration", "header", HEADER.replace("'1.0'?", "'1.0' encoding='ISO-8859-1'?"),
      "protocolViolation", ENCODING)
fatal("T051 UTF-16 without a mark", "header", HEADER.encode("utf-16-be"), "protocolViolation",
      closes("(unsupported-encoding|not-well-formed)"))

SMUGGLED = ("<message from='evil@example.net' id='m1'><body a='&quot;/>&lt;message>'>one ]]&gt; &lt;/body>&lt;/message>"
            "&lt;message from='bank@example.org'>&lt;body>smuggled</body></message>")
harmless("T053 a payload that another parser would cut differently",
         SMUGGLED + message("two", "m2"),
         ["one ]]> </body></message><message from='bank@example.org'><body>smuggled", "two"], counted=2)
harmless("T053 unparsed characters that look like the end of a stanza",
         message("<![CDATA[</body></message><message from='bank@example.org'>]]>"),
         ["</body></message><message from='bank@example.org'>"], counted=1)
harmless("T054 a stream header inside a message",
         message("one", more=f"<stream:stream xmlns:stream='{STREAMS}' xmlns='jabber:client' id='x' version='1.0'>"
                             "<stream:features/><stream:error/></stream:stream>") + message("two"),
         ["one", "two"], counted=2)
harmless("T056 stanzas of other namespaces are none and are not counted",
         "<message xmlns='jabber:server'><body>server</body></message><iq xmlns='urn:example:evil' type='get' id='e'/>"
         "<e:message xmlns:e='urn:example:evil'><body>evil</body></e:message>" + message("good"),
         ["good"], counted=1, never=["id=\"e\""])
harmless("T056 B11 a stanza with a prefix is one, and one inside another is not",
         "<c:message xmlns:c='jabber:client' from='a@example.net'><c:body>prefixed</c:body></c:message>"
         + message("outer", more="<x xmlns='urn:example:x'>" + message("inner") + "</x>"),
         ["prefixed", "outer"], counted=2)
harmless("T056 the same local name, the same prefix, another namespace",
         message("one", more="<body xmlns='urn:example:evil'>evil</body>") , ["one"], counted=1)

for header, condition in (
        ("<stream xmlns='jabber:client' id='1' version='1.0'>", "invalid-namespace"),
        (HEADER.replace("jabber:client", "jabber:server"), "invalid-namespace"),
        (HEADER.replace(STREAMS, "urn:example:evil"), "invalid-namespace"),
        (HEADER.replace(" id='s1'", ""), "undefined-condition"),
        (HEADER.replace("'1.0'>", "'2.0'>"), "unsupported-version"),
        (HEADER.replace("'1.0'>", "'999999999999.0'>"), "unsupported-version"),
        (HEADER.replace("from='example.org'", "from='evil.example'"), "invalid-from"),
        (HEADER.replace("stream:stream ", "stream:streams "), "bad-format")):
    fatal(f"T057 {header[-90:]}", "header", header, "protocolViolation", closes(condition), never=["<auth"])
fatal("T057 a second stream header", "features", HEADER, "protocolViolation", RESTRICTED)

BIG = 70_000  # more than may come before the login
for name, text in (
        ("many attributes", "<message " + " ".join(f"a{i}='1'" for i in range(10_000)) + "/>"),
        ("many namespaces", "<message " + " ".join(f"xmlns:n{i}='urn:{i}'" for i in range(10_000)) + "/>"),
        ("a long attribute", "<message id='" + "x" * BIG + "'/>"),
        ("a long text", "<message><body>" + "x" * BIG + "</body></message>"),
        ("a long name", "<" + "x" * BIG + "/>"),
        ("depth", "<x>" * 1000)):
    fatal(f"T059 {name}, in clear", "features", text, "protocolViolation", POLICY, never=["<auth"])
for name, text in (
        ("many attributes", "<message " + " ".join(f"a{i}='1'" for i in range(100_000)) + "/>"),
        ("many namespaces", "<message " + " ".join(f"xmlns:n{i}='urn:{i}'" for i in range(100_000)) + "/>"),
        ("an attribute of 11 MB", "<message id='" + "x" * 11_000_000 + "'/>"),
        ("a text of 11 MB", "<message><body>" + "x" * 11_000_000 + "</body></message>"),
        ("a name of 1 MB", "<message><" + "x" * 1_000_000 + "/></message>"),
        ("depth", "<x>" * 100_000)):
    fatal(f"T059 {name}, later", "online", text, "protocolViolation", ".*" + POLICY)


@case("T060 one token in pieces of a byte")
def token(bench):
    bench.start()
    peer = bench.accept()
    peer.to_online(bench.certificates.context())
    bench.client.until("online")
    began = time.monotonic()
    text = message("x" * 300_000)
    peer.send(text[:50])
    for start in range(50, len(text), 97):
        peer.send(text[start:start + 97])
    if len(bench.client.until("message")["body"]) != 300_000:
        raise Wrong("it came out shorter")
    if time.monotonic() - began > 10:
        raise Wrong(f"it took {time.monotonic() - began:.1f} s")


@case("T064 an element that never ends is given up")
def endless(bench):
    bench.start()
    peer = bench.accept()
    peer.to_online(bench.certificates.context())
    bench.client.until("online")
    sent = 0
    while sent < 64_000_000:
        try:
            peer.socket.sendall(b"<x>unbalanced " * 8000)
        except OSError:
            break
        sent += 14 * 8000
    if bench.client.end() != "protocolViolation":
        raise Wrong(f"{bench.client.seen[-1]}")
    if sent > 40_000_000:
        raise Wrong(f"only after {sent} bytes")


@case("T063 B15 white space without end is nothing, and takes no memory")
def blank(bench):
    bench.start()
    peer = bench.accept()
    peer.to_online(bench.certificates.context())
    bench.client.until("online")
    peer.send(" \r\n\t")
    peer.settle()

    def resident():
        with open(f"/proc/{bench.client.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])

    before = resident()
    for _ in range(400):
        peer.send(b" \n" * 50_000)
    peer.send(message("after"))
    bench.client.until("message", body="after")
    # A sanitizer keeps what was freed.
    if not bench.is_sanitized and resident() - before > 8192:
        raise Wrong(f"memory grew by {resident() - before} KiB")
    peer.send("<r xmlns='urn:xmpp:sm:3'/>")
    if peer.expect(r"<a [^>]*/>").find('h="2"') < 0:
        raise Wrong(f"it was counted: {peer.tail()}")


@case("T061 names chosen to collide, and many small elements, take neither time nor much memory")
def names(bench):
    bench.start()
    peer = bench.accept()
    peer.to_online(bench.certificates.context())
    bench.client.until("online")
    began = time.monotonic()
    for round_number in range(8):
        peer.send(message(f"{round_number}", more="".join(f"<n{round_number}{i}/>" for i in range(60_000))))
        bench.client.until("message", body=str(round_number))
    if time.monotonic() - began > 10:
        raise Wrong(f"it took {time.monotonic() - began:.1f} s")
    with open(f"/proc/{bench.client.process.pid}/status", encoding="ascii") as status:
        peak = int(re.search(r"VmHWM:\s+(\d+)", status.read())[1])
    if not bench.is_sanitized and peak > 256 * 1024:
        raise Wrong(f"it took {peak} KiB")


@case("T065 T014 B13 B14 the same bytes in all sizes of pieces are the same messages")
def pieces(bench):
    bench.start()
    peer = bench.accept()
    peer.to_online(bench.certificates.context())
    bench.client.until("online")
    data = (message("é&amp;🦊&#x1F98A;<![CDATA[<b>]]>", "a") + " \n" + message("two", "b")).encode()
    for size in list(range(1, 24)) + [64, 200, 1000]:
        for start in range(0, len(data), size):
            peer.send(data[start:start + size])
        for body in ("é&🦊🦊<b>", "two"):
            if bench.client.until("message")["body"] != body:
                raise Wrong(f"pieces of {size}: {bench.client.seen[-1]}")


@case("T062 the end of the stream right behind a stanza, and stanzas behind the end")
def behind(bench):
    bench.start()
    peer = bench.accept()
    peer.to_online(bench.certificates.context())
    bench.client.until("online")
    peer.send(message("last") + "</stream:stream>" + message("behind") + "<!DOCTYPE x>")
    bench.client.until("message", body="last")
    bench.client.end()
    if any(event.get("body") == "behind" for event in bench.client.seen):
        raise Wrong("something behind the end was delivered")


@case("T062 features, the end and the next header in one packet")
def together(bench):
    bench.start()
    peer = bench.accept()
    peer.header()
    peer.send(HEADER + features(STARTTLS) + "</stream:stream>")
    peer.rest()
    if bench.client.end() != "connectionLost":
        raise Wrong(f"{bench.client.seen[-1]}")


@case("T067 a message of ours that makes the server close each time is given up, the others go")
def poison(bench):
    bench.start(reconnect=1)
    context = bench.certificates.context()
    peer = bench.accept()
    peer.to_online(context)
    bench.client.until("online")
    bench.client.say("send p1 poison")
    bench.client.say("send g1 good")
    handled, got = 0, []
    for _ in range(12):
        try:
            while True:
                element = peer.expect(r"<message [^>]*>.*?</message>|<r [^>]*/>")
                if element.startswith("<r "):
                    peer.send(f"<a xmlns='urn:xmpp:sm:3' h='{handled}'/>")
                    if "g1" in got:
                        return bench.client.until("undeliverable", id="p1")
                    continue
                if "poison" in element:
                    peer.send("<stream:error><policy-violation xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>"
                              "</stream:error></stream:stream>")
                    peer.close()
                    break
                got.append(re.search(r"id=[\"']([^\"']*)", element)[1])
                handled += 1
        except Wrong:
            pass
        peer = bench.accept()
        peer.to_login(context)
        peer.send(HEADER + features(BIND, SM))
        element = peer.expect(r"<resume [^>]*/>|<iq [^>]*>.*?xmpp-bind.*?</iq>")
        if element.startswith("<resume"):
            previous = re.search(r"previd=[\"']([^\"']*)", element)[1]
            peer.send(f"<resumed xmlns='urn:xmpp:sm:3' previd='{previous}' h='{handled}'/>")
            continue
        # A resumed stream that never answered is left for a new one.
        handled = 0
        peer.bind(re.search(r"id=[\"']([^\"']*)", element)[1])
        peer.expect(r"<enable [^>]*/>")
        peer.send("<enabled xmlns='urn:xmpp:sm:3' id='sm-2' resume='true'/>")
    raise Wrong(f"it goes on and on: {bench.client.names()}")
