# SPDX-License-Identifier: Apache-2.0
"""The login of SASL2 (XEP-0388), with tokens (XEP-0484), upgrades (XEP-0480), and what happens inside the success."""

import base64
import hashlib
import hmac
import re

from peer import SASL, SASL2, authentication, bound, token
from table import BIND, HEADER, SM, Wrong, case, fatal, features, mechanisms

BOTH = ("SCRAM-SHA-1", "SCRAM-SHA-256", "SCRAM-SHA-1-PLUS", "SCRAM-SHA-256-PLUS")
ENDP, NONE = "HT-SHA-256-ENDP", "HT-SHA-256-NONE"
REFUSED = (f"<failure xmlns='{SASL2}'><not-authorized xmlns='{SASL}'/></failure>")
US = "<authorization-identifier>juliet@example.org</authorization-identifier>"


def log_in(bench, peer, offer, more="", context=None):
    """An honest login with an address bound inside it; gives the request."""
    request = peer.to_authenticate(context or bench.certificates.context(), offer)
    peer.succeed(peer.prove(request), bound(more=more))
    peer.send(features())
    bench.client.until("online")
    return request


def ends(bench, code, peer=None, never=()):
    if peer:
        rest = peer.rest()
        for text in never:
            if text in rest:
                raise Wrong(f"the client wrote {text}: {rest!r}")
    ended = bench.client.end()
    if not re.fullmatch(code, ended):
        raise Wrong(f"it ended with {ended or 'no error'}, not {code}: {bench.client.seen[-1]}")


# The offer

fatal("T015 B22 SASL2 in clear, without an offer of TLS", "header", HEADER + features(authentication(*BOTH)),
      "tlsNotOffered", ".*", never=["<authenticate"])
for early in (f"<success xmlns='{SASL2}'>{US}</success>", f"<challenge xmlns='{SASL2}'>cj14</challenge>",
              f"<continue xmlns='{SASL2}'/>"):
    fatal(f"T019 {early.split('>')[0]}> comes in clear", "features", early, "protocolViolation", ".*",
          never=["<authenticate"])
fatal("T031 SASL2 with nothing but PLAIN", "secure",
      HEADER + features(authentication("PLAIN", "X-OAUTH2", types=None)), "noUsableMechanism", ".*",
      never=["<authenticate", "<auth "])
fatal("T034 T033 mechanisms that bind, and no way to bind", "secure",
      HEADER + features(authentication(*BOTH, types=())), "downgraded", ".*", never=["<authenticate", "<auth "])
fatal("T033 T034 ways to bind, and no mechanism that does", "secure",
      HEADER + features(authentication("SCRAM-SHA-1")), "downgraded", ".*", never=["<authenticate", "<auth "])


@case("T034 a list of bindings that lacks what every server has is believed only when the server vouches for it")
def hidden(bench):
    bench.start()
    peer = bench.accept()
    request = peer.to_authenticate(bench.certificates.context(), authentication(*BOTH, types=("x-new",)))
    if request["mechanism"] != "SCRAM-SHA-256" or not request["initial"].startswith(b"n,,"):
        raise Wrong(f"{request['mechanism']} with {request['initial']!r}")
    nonce = re.search(rb"r=([^,]*)", request["initial"])[1].decode()
    first = f"r={nonce}x,s=c2FsdHNhbHQ=,i=4096"
    peer.send(f"<challenge xmlns='{SASL2}'>{base64.b64encode(first.encode()).decode()}</challenge>")
    ends(bench, "downgraded", peer, never=["<response"])


def vouched(name, protection, good):
    """XEP-0474: `h` in the server's first message is the hash of the lists that it sent."""
    def run(bench):
        bench.start(archive=1)
        peer = bench.accept()
        request = peer.to_authenticate(bench.certificates.context(), authentication(*BOTH, types=("tls-server-end-point",)))
        if good:
            peer.succeed(peer.prove(request, protection=protection), bound())
            bench.client.until("online")
            return
        nonce = re.search(rb"r=([^,]*)", request["initial"])[1].decode()
        first = f"r={nonce}x,s=c2FsdHNhbHQ=,i=4096,h={protection}"
        peer.send(f"<challenge xmlns='{SASL2}'>{base64.b64encode(first.encode()).decode()}</challenge>")
        ends(bench, "downgraded", peer, never=["<response"])
    case(name)(run)


def protection(names, types):
    text = "\x1e".join(sorted(names)) + "\x1f" + "\x1e".join(sorted(types))
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


vouched("T032 the server vouches for the lists that came", protection(BOTH, ["tls-server-end-point"]), True)
vouched("T032 the server had more mechanisms than came", protection((*BOTH, "SCRAM-SHA-512"), ["tls-server-end-point"]), False)
vouched("T032 T034 the server had more bindings than came", protection(BOTH, ["tls-server-end-point", "tls-exporter"]), False)
vouched("T032 the server's word is no hash", "AAAA", False)


@case("T032 T033 who was bound once is not let down to less on the next stream")
def letDown(bench):
    bench.start(reconnect=1, archive=1)
    log_in(bench, peer := bench.accept(), authentication(*BOTH))
    peer.reset()
    # What went ahead was for the offer of before; the next stream waits.
    for attempt in range(2):
        peer = bench.accept()
        peer.is_patient = attempt > 0
        peer.to_tls(bench.certificates.context())
        peer.send(HEADER + features(authentication("SCRAM-SHA-1", types=None)))
        rest = peer.rest()
        if attempt and "<authenticate" in rest:
            raise Wrong(f"it logs in: {rest!r}")
        if "<response" in rest:
            raise Wrong(f"it proves itself: {rest!r}")
    ends(bench, "downgraded")


@case("T028 T032 a login goes ahead of the features only for the offer of before, and the stream ends when they differ")
def ahead(bench):
    bench.start(reconnect=1, archive=1)
    offer = authentication(*BOTH)
    log_in(bench, peer := bench.accept(), offer)
    if peer.text.index("<authenticate") < peer.text.rindex("<stream:stream"):
        raise Wrong("the first login came before TLS")
    peer.reset()
    peer = bench.accept()
    peer.to_tls(bench.certificates.context())
    # Without a word of the server.
    peer.authenticate()
    peer.send(HEADER + features(authentication("SCRAM-SHA-1", "SCRAM-SHA-1-PLUS")))
    peer.send(f"<challenge xmlns='{SASL2}'>cj14</challenge>")
    if "<response" in peer.rest():
        raise Wrong("it went on for another offer")
    peer = bench.accept()
    peer.is_patient = True
    peer.to_tls(bench.certificates.context())
    if "<authenticate" in peer.text:
        raise Wrong("it did not wait")
    peer.send(HEADER + features(offer))
    request = peer.authenticate()
    if "<resume " not in request["text"]:
        raise Wrong(request["text"])
    peer.succeed(peer.prove(request), US + "<resumed xmlns='urn:xmpp:sm:3' previd='sm-1' h='0'/>")
    bench.client.until("online", resumed="true")


# The exchange

for name, answer, code in (
        ("a success before any proof", f"<success xmlns='{SASL2}'>{US}</success>", "serverNotAuthentic|authenticationFailed"),
        ("a success whose proof is wrong",
         f"<success xmlns='{SASL2}'><additional-data>dj1BQUFB</additional-data>{US}</success>",
         "serverNotAuthentic|authenticationFailed"),
        ("a continuation before any proof", f"<continue xmlns='{SASL2}'><tasks><task>HOTP</task></tasks></continue>",
         "serverNotAuthentic|authenticationFailed"),
        ("the success of the other login", f"<success xmlns='{SASL}'/>", "protocolViolation"),
        ("a challenge that is no base64", f"<challenge xmlns='{SASL2}'>****</challenge>", "authenticationFailed"),
        ("challenges without end", f"<challenge xmlns='{SASL2}'>cj14</challenge>" * 50,
         "authenticationFailed|protocolViolation"),
        ("a task nobody asked for", f"<task-data xmlns='{SASL2}'/>", "protocolViolation"),
        ("a bound address without a success", "<bound xmlns='urn:xmpp:bind:0'/>", "protocolViolation"),
        ("a message", "<message from='evil@example.net'><body>hi</body></message>", "protocolViolation")):
    def run(bench, answer=answer, code=code):
        bench.start()
        peer = bench.accept()
        peer.to_authenticate(bench.certificates.context(), authentication(*BOTH))
        peer.send(answer)
        ends(bench, code, peer, never=["<response", "<iq", "<presence"])
    case(f"T041 B43 SASL2: {name}")(run)


@case("T043 B34 SASL2: a wrong password is not tried again")
def wrong(bench):
    bench.start(reconnect=1)
    peer = bench.accept()
    peer.to_authenticate(bench.certificates.context(), authentication(*BOTH))
    peer.send(REFUSED)
    ends(bench, "notAuthorized", peer, never=["<authenticate"])
    bench.no_connection()


# The success

for jid in ("romeo@example.org/x", "juliet@example.net/x", "juliet@example.org", "example.org/x", "", "@/",
            "juliet@example.org/" + "x" * 1100):
    def run(bench, jid=jid):
        bench.start(archive=1)
        peer = bench.accept()
        request = peer.to_authenticate(bench.certificates.context(), authentication(*BOTH))
        peer.succeed(peer.prove(request), bound(jid))
        ends(bench, "protocolViolation", peer, never=["<presence"])
    case(f"T042 SASL2 binds {jid or 'nothing'}")(run)
for name, rest in (("a stream resumed that was not asked for",
                    US + "<resumed xmlns='urn:xmpp:sm:3' previd='sm-9' h='0'/>"),
                   ("a resumption refused that was not asked for", "<failed xmlns='urn:xmpp:sm:3'/>" + bound()),
                   ("a stream resumed and an address bound",
                    bound(more="<resumed xmlns='urn:xmpp:sm:3' previd='sm-1' h='0'/>"))):
    def run(bench, rest=rest):
        bench.start(archive=1)
        peer = bench.accept()
        request = peer.to_authenticate(bench.certificates.context(), authentication(*BOTH))
        peer.succeed(peer.prove(request), rest)
        ends(bench, "protocolViolation", peer)
    case(f"T093 inside the success: {name}")(run)


@case("T096 SASL2: the stream of before is asked for inside the login, and an address only after a refusal")
def order(bench):
    bench.start(reconnect=1, archive=1)
    offer = authentication(*BOTH)
    log_in(bench, peer := bench.accept(), offer)
    peer.reset()
    peer = bench.accept()
    request = peer.to_authenticate(bench.certificates.context(), offer)
    if request["text"].find("<resume ") < 0:
        raise Wrong(request["text"])
    peer.succeed(peer.prove(request), "<failed xmlns='urn:xmpp:sm:3'/>" + bound(identifier="sm-2"))
    bench.client.until("online", resumed="false")


def resumed(name, answer, check):
    """One message is sent and not acknowledged, the connection breaks, and the resumption inside the login is answered so."""
    def run(bench):
        bench.start(reconnect=1, archive=1)
        offer = authentication(*BOTH)
        log_in(bench, peer := bench.accept(), offer)
        bench.client.say("send m1 hi")
        peer.expect(r"<message [^>]*id=[\"']m1[\"'].*?</message>")
        peer.reset()
        peer = bench.accept()
        request = peer.to_authenticate(bench.certificates.context(), offer)
        said = re.search(r"<resume [^>]*/>", request["text"])[0]
        if "sm-1" not in said or not re.search(r"\bh=[\"']0[\"']", said):
            raise Wrong(said)
        peer.succeed(peer.prove(request), answer)
        check(bench, peer)
    case(name)(run)


def again(bench, peer):
    peer.expect(r"<message [^>]*id=[\"']m1[\"'].*?</message>")
    peer.send("<a xmlns='urn:xmpp:sm:3' h='1'/>")
    bench.client.until("acknowledged", id="m1")


def accepted(bench, peer):
    bench.client.until("acknowledged", id="m1")
    peer.settle()
    if "<message" in peer.text:
        raise Wrong("what the server has was sent again")


def impossible(bench, peer):
    if "handled-count-too-high" not in peer.rest():
        raise Wrong(f"it wrote {peer.tail()}")
    if any(event["event"] == "acknowledged" for event in bench.client.seen):
        raise Wrong("it was shown as sent")


INLINE = US + "<resumed xmlns='urn:xmpp:sm:3' previd='sm-1' h='{}'/>"
resumed("T092 SASL2: what the server lacks is sent again", INLINE.format(0), again)
resumed("T097 SASL2: what the server has is not sent again", INLINE.format(1), accepted)
resumed("T088 SASL2: an impossible count", INLINE.format(7), impossible)
resumed("B144 SASL2: a refusal with a count", "<failed xmlns='urn:xmpp:sm:3' h='1'/>" + bound(identifier="sm-2"), accepted)
resumed("T095 SASL2: a refusal without a count", "<failed xmlns='urn:xmpp:sm:3'/>" + bound(identifier="sm-2"), again)

# Tokens


def token_proof(secret, role, binding=b""):
    return base64.b64encode(hmac.digest(secret.encode(), role + binding, "sha256")).decode()


def with_token(bench, kinds=(ENDP, NONE), context=None):
    """A first login that brings a token, and a cut; gives the offer."""
    offer = authentication(*BOTH, tokens=kinds)
    request = log_in(bench, peer := bench.accept(), offer, more=token("t0ken"), context=context)
    if f"mechanism=\"{kinds[0]}\"" not in request["text"].replace("'", '"').split("request-token", 1)[-1]:
        raise Wrong(f"no token of {kinds[0]} was asked for: {request['text']}")
    peer.reset()
    return offer


def uses(peer, request, kind, count, secret="t0ken"):
    binding = peer.end_point() if kind == ENDP else b""
    wanted = b"juliet\0" + hmac.digest(secret.encode(), b"Initiator" + binding, "sha256")
    if request["mechanism"] != kind or request["initial"] != wanted:
        raise Wrong(f"not {kind}: {request['text']}")
    if int(re.search(r"count=[\"'](\d+)", request["text"])[1]) != count:
        raise Wrong(f"not the try number {count}: {request['text']}")


@case("T045 a token goes with its channel, its tries are counted, and a newer one takes its place")
def tokens(bench):
    bench.start(reconnect=1, archive=1)
    offer = with_token(bench)
    for count, secret, following in ((1, "t0ken", ""), (2, "t0ken", "n3xt"), (1, "n3xt", "")):
        peer = bench.accept()
        request = peer.to_authenticate(bench.certificates.context(), offer)
        uses(peer, request, ENDP, count, secret)
        peer.succeed(token_proof(secret, b"Responder", peer.end_point()),
                     INLINE.format(0) + (token(following) if following else ""))
        peer.send(features())
        bench.client.until("online")
        # The resumed stream proves itself; the answer to our question says that it was heard.
        peer.expect(r"<r [^>]*/>")
        peer.send("<a xmlns='urn:xmpp:sm:3' h='0'/><r xmlns='urn:xmpp:sm:3'/>")
        peer.expect(r"<a [^>]*/>")
        peer.reset()


@case("T045 a server that does not know the token's secret is none of ours")
def imposter(bench):
    for proof in (token_proof("other", b"Responder"), token_proof("t0ken", b"Initiator"), ""):
        bench.start(reconnect=1, archive=1)
        offer = with_token(bench)
        peer = bench.accept()
        peer.to_authenticate(bench.certificates.context(), offer)
        peer.succeed(proof, INLINE.format(0))
        ends(bench, "serverNotAuthentic", peer, never=["<presence", "<message", "<iq"])
        bench.stop()


@case("T045 a token that was refused is forgotten, and the password takes its place on the same stream")
def refused(bench):
    bench.start(reconnect=1, archive=1)
    offer = with_token(bench)
    peer = bench.accept()
    uses(peer, peer.to_authenticate(bench.certificates.context(), offer), ENDP, 1)
    peer.send(REFUSED)
    request = peer.authenticate()
    if request["mechanism"] != "SCRAM-SHA-256-PLUS":
        raise Wrong(request["text"])
    peer.succeed(peer.prove(request), INLINE.format(0))
    peer.send(features())
    bench.client.until("online")
    peer.reset()
    request = bench.accept().to_authenticate(bench.certificates.context(), offer)
    if request["mechanism"].startswith("HT-"):
        raise Wrong(f"the refused token was tried again: {request['text']}")


@case("T045 a token that proves nothing about the channel goes to no other certificate")
def elsewhere(bench):
    bench.start(reconnect=1, archive=1)
    # Nothing binds here, or such a token would not be taken at all.
    offer = authentication("SCRAM-SHA-256", types=None, tokens=(NONE,))
    log_in(bench, peer := bench.accept(), offer, more=token("t0ken"))
    peer.reset()
    peer = bench.accept()
    request = peer.to_authenticate(bench.certificates.context(), offer)
    uses(peer, request, NONE, 1)
    peer.reset()
    peer = bench.accept()
    request = peer.to_authenticate(bench.certificates.context(names="DNS:example.org,DNS:other.example.org"), offer)
    if request["mechanism"] != "SCRAM-SHA-256" or token_proof("t0ken", b"Initiator") in request["text"]:
        raise Wrong(f"it went to another certificate: {request['text']}")


@case("T045 no token without a binding is asked for where a bound one is offered, or by who was bound")
def boundOnly(bench):
    bench.start(archive=1)
    peer = bench.accept()
    request = peer.to_authenticate(bench.certificates.context(), authentication(*BOTH, tokens=(NONE, ENDP)))
    if NONE in request["text"] or ENDP not in request["text"]:
        raise Wrong(request["text"])


# Upgrades

UPGRADE = "UPGR-SCRAM-SHA-256"


def upgrade(name, answer, code="authenticationFailed"):
    def run(bench):
        bench.start(upgrade=1)
        peer = bench.accept()
        request = peer.to_authenticate(bench.certificates.context(),
                                       authentication("SCRAM-SHA-1", "SCRAM-SHA-1-PLUS", upgrades=(UPGRADE,)))
        if UPGRADE not in request["text"]:
            raise Wrong(f"the upgrade was not asked for: {request['text']}")
        proof = peer.prove(request)
        peer.send(f"<continue xmlns='{SASL2}'><additional-data>{proof}</additional-data><tasks><task>{UPGRADE}</task>"
                  "</tasks></continue>")
        peer.expect(r"<next [^>]*/>")
        peer.send(f"<task-data xmlns='{SASL2}'>{answer}</task-data>")
        ends(bench, code, peer, never=["<hash"])
    case(name)(run)


def salt(count, text="c2FsdHNhbHQ="):
    return f"<salt xmlns='urn:xmpp:scram-upgrade:0' iterations='{count}'>{text}</salt>"


for count in ("1", "4095", "0", "-1", "", "500001", "9" * 40):
    upgrade(f"T046 an upgrade with {count[:12] or 'no'} iterations", salt(count))
upgrade("T046 an upgrade without a salt", "")
upgrade("T046 an upgrade with an empty salt", salt("4096", ""))
upgrade("T046 an upgrade with a salt that is no base64", salt("4096", "!!"))


@case("T046 whoever is not bound to the channel hands over no new hash")
def unboundUpgrade(bench):
    bench.start(upgrade=1)
    peer = bench.accept()
    request = peer.to_authenticate(bench.certificates.context(),
                                   authentication("SCRAM-SHA-1", types=None, upgrades=(UPGRADE,)))
    if UPGRADE in request["text"]:
        raise Wrong(f"the upgrade was asked for: {request['text']}")
    proof = peer.prove(request)
    peer.send(f"<continue xmlns='{SASL2}'><additional-data>{proof}</additional-data><tasks><task>{UPGRADE}</task></tasks>"
              "</continue>")
    ends(bench, "taskRequired", peer, never=["<next", "<hash"])


@case("T030 T096 SASL2 without binding inside: the features say how it goes on")
def without(bench):
    bench.start()
    peer = bench.accept()
    request = peer.to_authenticate(bench.certificates.context(), authentication(*BOTH, binds=False))
    peer.succeed(peer.prove(request), US)
    peer.send(features(BIND, SM))
    peer.bind(re.search(r"id=[\"']([^\"']*)", peer.expect(r"<iq [^>]*>.*?</iq>"))[1])
    peer.expect(r"<enable [^>]*/>")
    peer.send("<enabled xmlns='urn:xmpp:sm:3' id='sm-1' resume='true'/>")
    bench.client.until("online")


fatal("T019 T041 mechanisms of both logins, and an answer to neither", "secure",
      HEADER + features(authentication(*BOTH), mechanisms("SCRAM-SHA-1")) + "<iq type='result' id='1'/>",
      "protocolViolation", ".*")
