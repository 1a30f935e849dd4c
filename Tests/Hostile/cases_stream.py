# SPDX-License-Identifier: Apache-2.0
"""A stream that is up: requests, addresses, stream management, half-open connections."""

import re
import time

from peer import JID, STREAMS, stream_error
from cases_login import VIOLATION, closes
from cases_xml import message
from table import Wrong, case, fatal, harmless

ORCHARD = "romeo@example.net/orchard"


def too_high(handled, sent):
    return (rf".*<error xmlns='{STREAMS}'><undefined-condition xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>.*"
            rf"<handled-count-too-high xmlns='urn:xmpp:sm:3' h='{handled}' send-count='{sent}'/></error></stream:stream>")


# Requests


@case("T068 an answer with the right id from somebody else, and after it the right one")
def foreign(bench):
    bench.start()
    peer = bench.accept()
    peer.to_online(bench.certificates.context())
    bench.client.until("online")
    bench.client.say("ask")
    request = peer.expect(r"<iq [^>]*type=[\"']get[\"'][^>]*>.*?</iq>")
    identifier = re.search(r"id=[\"']([^\"']*)", request)[1]
    if len(identifier) < 22:
        raise Wrong(f"the id {identifier} can be guessed")
    for sender in ("from='mallory@evil.example/x'", "from='bo@example.org/y'", "from='bo@example.org'", "from='example.org'", "",
                   f"from='{JID}'", "from='@@'"):
        peer.send(f"<iq type='result' {sender} id='{identifier}'/><iq type='error' {sender} id='{identifier}'/>")
    peer.send(f"<iq type='set' from='bo@example.org/x' id='{identifier}'><query xmlns='urn:example:x'/></iq>")
    peer.settle()
    if any(event["event"] in ("answered", "unanswered") for event in bench.client.seen):
        raise Wrong("somebody else's answer was taken")
    peer.send(f"<iq type='result' from='bo@example.org/x' id='{identifier}'/>" * 3)
    bench.client.until("answered")
    peer.settle()


harmless("T071 answers that nobody waits for", f"<iq type='result' id='x1' from='{ORCHARD}'/>"
         f"<iq type='error' id='x2' from='{ORCHARD}'><error type='cancel'/></iq><iq type='result' id='x3'/>",
         counted=3, never=["x1", "x2", "x3"])
harmless("T072 B80 a request that nobody knows gets an error with its id",
         f"<iq type='get' id='q1' from='{ORCHARD}'><query xmlns='urn:example:unknown'/></iq>",
         answers=r'<iq[^>]*id="q1" type="error">.*<service-unavailable', counted=1)
harmless("T072 requests that break the rules: without id, without payload, with two, of no kind",
         f"<iq type='get' from='{ORCHARD}'><query xmlns='urn:example:x'/></iq><iq type='get' id='q2' from='{ORCHARD}'/>"
         f"<iq type='set' id='q3' from='{ORCHARD}'><a xmlns='u:a'/><b xmlns='u:b'/></iq>"
         f"<iq type='bogus' id='q4' from='{ORCHARD}'><query xmlns='urn:example:x'/></iq><iq id='q5' from='{ORCHARD}'/>",
         answers=r'id="q2".*bad-request.*id="q3".*bad-request', counted=5)
harmless("T073 somebody else changes the contact list",
         "<iq type='set' id='r1' from='mallory@evil.example/x'><query xmlns='jabber:iq:roster'>"
         "<item jid='x@evil.example' subscription='both'/></query></iq>", counted=1, never=['type="result" id="r1"'])
harmless("T075 T076 somebody else blocks, commands, and sends events of ours",
         f"<iq type='set' id='b1' from='{ORCHARD}'><block xmlns='urn:xmpp:blocking'><item jid='bo@example.org'/></block></iq>"
         f"<iq type='set' id='b2' from='{ORCHARD}'><command xmlns='http://jabber.org/protocol/commands' node='x'/></iq>",
         answers=r'id="b1" type="error".*id="b2" type="error"', counted=2)
harmless("T079 T083 T085 stanzas that cannot be read are dropped and counted",
         "<message from='a@@b@c'><body>one</body></message><message from='@'><body>two</body></message>"
         "<message from='a@example.org/\u0000'.replace><body/></message>".replace("\u0000'.replace", "\ue000'")
         + f"<presence from='{'x' * 1100}@example.org'/><iq type='get' id='i1' from='/x'><query xmlns='u:x'/></iq>"
         + message("good", more="<delay xmlns='urn:xmpp:delay' stamp='99999999999-99-99T99:99:99Z'/>")
         + "<presence from='bo@example.org/x'><priority>99999999999999999999</priority></presence>",
         ["", "good"], counted=7)
harmless("T080 a thousand subscription requests of strangers: none is granted, none is answered",
         "".join(f"<presence type='subscribe' from='s{i}@evil.example'/>" for i in range(1000)), counted=1000,
         never=["subscribed", "<presence"])
harmless("OF28 B149 the questions of the server are answered",
         "<iq type='get' id='v1' from='example.org'><query xmlns='jabber:iq:version'/></iq>"
         "<iq type='get' id='d1' from='example.org'><query xmlns='http://jabber.org/protocol/disco#info'/></iq>",
         answers=r'id="v1".*id="d1".*disco#info', counted=2)

# Stream management

for h in ("1", "2", "4294967295"):
    fatal(f"T088 B158 h={h} of nothing sent", "online", f"<a xmlns='urn:xmpp:sm:3' h='{h}'/>", "protocolViolation",
          too_high(h, 0))
for h in ("", "-1", "x", "4294967296", "1 ", "0x1", "99999999999999999999"):
    fatal(f"T085 T093 the count {h!r}", "online", f"<a xmlns='urn:xmpp:sm:3' h='{h}'/>", "protocolViolation",
          ".*" + closes("bad-format"))
for nonza in ("<enabled xmlns='urn:xmpp:sm:3' id='x' resume='true'/>", "<enable xmlns='urn:xmpp:sm:3'/>",
              "<resumed xmlns='urn:xmpp:sm:3' previd='sm-1' h='0'/>", "<failed xmlns='urn:xmpp:sm:3'/>",
              "<resume xmlns='urn:xmpp:sm:3' previd='x' h='0'/>", "<x xmlns='urn:xmpp:sm:3'/>"):
    fatal(f"T093 {nonza} on a stream that is up", "online", nonza, "protocolViolation", ".*" + VIOLATION)
for nonza in ("<enabled xmlns='urn:xmpp:sm:3' id='x'/>", "<r xmlns='urn:xmpp:sm:3'/>", "<a xmlns='urn:xmpp:sm:3' h='0'/>",
              "<resumed xmlns='urn:xmpp:sm:3' previd='x' h='0'/>"):
    fatal(f"T093 {nonza} during the login", "auth", nonza, "protocolViolation", ".*" + VIOLATION)
harmless("T091 requests, answers and white space are not counted",
         "<r xmlns='urn:xmpp:sm:3'/>" * 3 + "\n<a xmlns='urn:xmpp:sm:3' h='0'/> " + message("one"), ["one"], counted=1)


@case("T098 a flood of requests for acknowledgement is answered, not one by one for ever")
def flood(bench):
    bench.start()
    peer = bench.accept()
    peer.to_online(bench.certificates.context())
    bench.client.until("online")
    for _ in range(50):
        peer.send("<r xmlns='urn:xmpp:sm:3'/>" * 2000)
    peer.settle()
    answers = peer.text.count("<a ")
    if not 0 < answers < 20_000:
        raise Wrong(f"{answers} answers to 100 000 requests")


@case("T096 B146 resuming comes before binding, and binding only after a refusal, on the same stream")
def order(bench):
    bench.start(reconnect=1)
    context = bench.certificates.context()
    peer = bench.accept()
    peer.to_online(context)
    bench.client.until("online")
    peer.reset()
    peer = bench.accept()
    peer.to_resume(context)
    if "xmpp-bind" in peer.text:
        raise Wrong("it bound first")
    peer.send("<failed xmlns='urn:xmpp:sm:3'><item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></failed>")
    peer.bind(re.search(r"id=[\"']([^\"']*)", peer.expect(r"<iq [^>]*>.*?xmpp-bind.*?</iq>"))[1])
    peer.expect(r"<enable [^>]*/>")
    peer.send("<enabled xmlns='urn:xmpp:sm:3' id='sm-2' resume='true'/>")
    bench.client.until("online", resumed="false")


def resumed(name, answer, check):
    """Two messages are sent, one is acknowledged, the connection breaks, and the resumption is answered so."""
    def run(bench):
        bench.start(reconnect=1)
        context = bench.certificates.context()
        peer = bench.accept()
        peer.to_online(context)
        bench.client.until("online")
        for identifier in ("m1", "m2"):
            bench.client.say(f"send {identifier} hi")
            peer.expect(rf"<message [^>]*id=[\"']{identifier}[\"'].*?</message>")
        peer.send("<a xmlns='urn:xmpp:sm:3' h='1'/>" + message("one"))
        bench.client.until("acknowledged", id="m1")
        bench.client.until("message", body="one")
        peer.reset()
        peer = bench.accept()
        said = peer.to_resume(context)
        if said != {"previd": "sm-1", "h": "1"} | {key: said[key] for key in said if key not in ("previd", "h")}:
            raise Wrong(f"it resumes with {said}")
        peer.send(answer)
        check(bench, peer, context)
    case(name)(run)


def sent_again(bench, peer, context):
    peer.expect(r"<message [^>]*id=[\"']m2[\"'].*?</message>")
    peer.send("<a xmlns='urn:xmpp:sm:3' h='2'/>")
    bench.client.until("acknowledged", id="m2")
    if re.search(r"<message [^>]*id=[\"']m1", peer.text):
        raise Wrong("what was acknowledged was sent again")
    peer.send("<r xmlns='urn:xmpp:sm:3'/>")
    if 'h="1"' not in peer.expect(r"<a [^>]*/>"):
        raise Wrong(f"the counter was reset: {peer.tail()}")


def not_again(bench, peer, context):
    bench.client.until("acknowledged", id="m2")
    peer.settle()
    if "<message" in peer.text:
        raise Wrong("what the server has was sent again")


def impossible(sent):
    def check(bench, peer, context):
        rest = peer.rest()
        if "handled-count-too-high" not in rest or f"send-count='{sent}'" not in rest:
            raise Wrong(f"it wrote {rest!r}")
        # A new session, and the message is still to be delivered.
        peer = bench.accept()
        peer.to_online(context)
        peer.expect(r"<message [^>]*id=[\"']m2[\"'].*?</message>")
        if "<resume" in peer.text or re.search(r"<message [^>]*id=[\"']m1", peer.text):
            raise Wrong("it resumes what it gave up, or sends again what was acknowledged")
    return check


def rebound(again):
    def check(bench, peer, context):
        peer.bind(re.search(r"id=[\"']([^\"']*)", peer.expect(r"<iq [^>]*>.*?</iq>"))[1])
        peer.expect(r"<enable [^>]*/>")
        peer.send("<enabled xmlns='urn:xmpp:sm:3' id='sm-2' resume='true'/>")
        if again:
            peer.expect(r"<message [^>]*id=[\"']m2[\"'].*?</message>")
        else:
            bench.client.until("acknowledged", id="m2")
            peer.settle()
            if "<message" in peer.text:
                raise Wrong("what the server has was sent again")
    return check


def ended(bench, peer, context):
    rest = peer.rest()
    if "<message" in rest:
        raise Wrong(f"it wrote {rest!r}")
    bench.client.until("interrupted", code="protocolViolation")


OK = "<resumed xmlns='urn:xmpp:sm:3' previd='sm-1' h='{}'/>"
resumed("T092 B148 B150 B151 the counters go on, the rest is sent again", OK.format(1), sent_again)
resumed("B150 T097 what the server has is not sent again", OK.format(2), not_again)
resumed("T088 B158 B154 a resumption with an impossible count", OK.format(40), impossible(2))
resumed("T088 T090 a resumption with a count that went back", OK.format(0), impossible(2))
resumed("B144 a refusal with a count", "<failed xmlns='urn:xmpp:sm:3' h='2'/>", rebound(False))
resumed("T095 a refusal without a count", "<failed xmlns='urn:xmpp:sm:3'/>", rebound(True))
resumed("T093 another stream is resumed", OK.format(1).replace("sm-1", "other"), ended)
resumed("T093 a resumption without a count", "<resumed xmlns='urn:xmpp:sm:3' previd='sm-1'/>", ended)
resumed("T093 stream management is enabled instead", "<enabled xmlns='urn:xmpp:sm:3' id='x'/>", ended)
resumed("T093 B153 a stanza before the answer", message("early"), ended)


@case("B153 T091 a stanza before <enabled/> is delivered and not counted")
def before(bench):
    bench.start()
    peer = bench.accept()
    peer.bind(peer.to_bind(bench.certificates.context()))
    peer.expect(r"<enable [^>]*/>")
    peer.send(message("early") + "<enabled xmlns='urn:xmpp:sm:3' id='s1' resume='true'/>" + message("late")
              + "<r xmlns='urn:xmpp:sm:3'/>")
    for body in ("early", "late"):
        bench.client.until("message", body=body)
    if 'h="1"' not in peer.expect(r"<a [^>]*/>"):
        raise Wrong(f"{peer.tail()}")


@case("T006 T098 B33 a half-open connection is noticed, and nothing that was sent on it is lost")
def half_open(bench):
    bench.start(reconnect=1, patience=0.5, liveness=0.5)
    context = bench.certificates.context()
    peer = bench.accept()
    peer.to_online(context)
    bench.client.until("online")
    began = time.monotonic()
    bench.client.say("send m1 hi")
    # The server says nothing any more, as if the path were gone.
    bench.client.until("interrupted", code="connectionLost|timedOut")
    if time.monotonic() - began > 5:
        raise Wrong(f"it took {time.monotonic() - began:.1f} s")
    if any(event["event"] == "acknowledged" for event in bench.client.seen):
        raise Wrong("it was shown as sent")
    peer = bench.accept()
    peer.to_resume(context)
    peer.send(OK.format(0))
    peer.expect(r"<message [^>]*id=[\"']m1[\"'].*?</message>")
    peer.send("<a xmlns='urn:xmpp:sm:3' h='1'/>")
    bench.client.until("acknowledged", id="m1")


@case("T014 B33 T006 a wake-up is followed by a question at once")
def probe(bench):
    bench.start(reconnect=1, patience=0.4)
    peer = bench.accept()
    peer.to_online(bench.certificates.context())
    bench.client.until("online")
    bench.client.say("probe")
    peer.expect(r"<r [^>]*/>")
    bench.client.until("interrupted")
    bench.accept()


@case("B35 OF52 leaving: the count, the end of the stream, and nothing to resume")
def leaving(bench):
    bench.start(reconnect=1)
    peer = bench.accept()
    peer.to_online(bench.certificates.context())
    bench.client.until("online")
    peer.send(message("one"))
    bench.client.until("message")
    bench.client.say("quit")
    last = peer.expect(r"<a [^>]*/></stream:stream>")
    if 'h="1"' not in last:
        raise Wrong(last)
    peer.send("</stream:stream>")
    if bench.client.end():
        raise Wrong(f"{bench.client.seen[-1]}")
    bench.no_connection()


for condition in ("system-shutdown", "reset", "resource-constraint", "internal-server-error"):
    def run(bench, condition=condition):
        bench.start(reconnect=1)
        context = bench.certificates.context()
        peer = bench.accept()
        peer.to_online(context)
        bench.client.until("online")
        peer.send(stream_error(condition))
        bench.client.until("interrupted")
        bench.accept().to_resume(context)
    case(f"OF30 OF29 the stream error {condition} is followed by another attempt, which resumes")(run)
