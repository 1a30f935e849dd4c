# SPDX-License-Identifier: Apache-2.0
"""From the first connection to the bound address."""

import base64
import re
import ssl

from peer import SASL, STREAMS, stream_error
from table import BIND, HEADER, PROCEED, SM, STARTTLS, Wrong, case, fatal, features, harmless, mechanisms

GOODBYE = "</stream:stream>"


def closes(condition):
    """A stream error of that condition and the end, and nothing else."""
    return (rf"<error xmlns='{STREAMS}'><{condition} xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>"
            r"(<text [^>]*>[^<]*</text>)?</error>" + GOODBYE)


VIOLATION = closes("unsupported-stanza-type")

OLD = HEADER.replace(" version='1.0'>", ">")

# Connecting

fatal("T005 a server that is silent after the connection", "accepted", "", "timedOut", options={"timeout": 0.4})
fatal("T005 a server that is silent after its header", "features", "", "timedOut", options={"timeout": 0.4})
fatal("T005 a server that is silent after <proceed/>", "starttls", PROCEED, "timedOut", r"\x16.*",
      options={"timeout": 0.4})
fatal("T005 a server that is silent after <auth/>", "auth", "", "timedOut", r"(</stream:stream>)?",
      options={"timeout": 1})
fatal("T008 a server that closes after the connection", "accepted", "", "connectionLost", ends=True)
fatal("T008 a server that closes after the login", "login", "", "connectionLost", ends=True)


@case("T008 a server that closes its stream after the login is tried once more, step by step, and then left")
def closesStream(bench):
    bench.start()
    for attempt in range(2):
        peer = bench.accept()
        peer.is_patient = attempt > 0
        peer.to_login(bench.certificates.context())
        peer.send(HEADER + features(BIND) + "</stream:stream>")
        peer.rest()
    if bench.client.end() != "connectionLost":
        raise Wrong(f"{bench.client.seen[-1]}")


@case("T005 a server that dribbles its header and features, a byte now and then")
def dribbles(bench):
    import time
    bench.start(timeout=1)
    peer = bench.accept()
    peer.header()
    began = time.monotonic()
    for byte in (HEADER + features(STARTTLS)).encode():
        peer.send(bytes([byte]))
        time.sleep(0.02)
        if bench.client.process.poll() is not None or time.monotonic() - began > 3:
            break
    if bench.client.end() != "timedOut":
        raise Wrong("the dribble was taken for progress")
    if time.monotonic() - began > 2.5:
        raise Wrong(f"it took {time.monotonic() - began:.1f} s to notice")


@case("T008 a server that closes each time is left alone more and more")
def closing(bench):
    import time
    bench.start(reconnect=1)
    times = []
    for _ in range(6):
        peer = bench.accept()
        times.append(time.monotonic())
        if len(times) == 1:
            peer.to_online(bench.certificates.context())
            bench.client.until("online")
        else:
            peer.to_resume(bench.certificates.context())
        peer.close()
    waits = [later - earlier for earlier, later in zip(times, times[1:])]
    if len(times) != 6 or max(waits) > 5:
        raise Wrong(f"the waits were {waits}")


@case("T009 B32 a conflict is not answered by coming back")
def conflict(bench):
    bench.start(reconnect=1)
    peer = bench.accept()
    peer.to_online(bench.certificates.context())
    bench.client.until("online")
    peer.send(stream_error("conflict"))
    if bench.client.end() != "replaced":
        raise Wrong("the conflict was not told")
    bench.no_connection()


@case("T013 a port for TLS that speaks something else")
def notTLS(bench):
    bench.start(security="direct", timeout=5)
    peer = bench.accept()
    peer.send("HTTP/1.1 400 Bad Request\r\n\r\n")
    if bench.client.end() not in ("tlsFailed", "connectionFailed"):
        raise Wrong("something else was taken for TLS")
    if b"stream" in peer.raw:
        raise Wrong("the stream began without TLS")


@case("T013 direct TLS with a foreign application protocol, with the right one, and with none")
def protocols(bench):
    for offered, good in ((["http/1.1"], False), (["xmpp-client"], True), (None, True)):
        bench.start(security="direct", timeout=5)
        peer = bench.accept()
        reached = peer.tls(bench.certificates.context(protocols=offered))
        if good:
            peer.header()
            if offered and peer.socket.selected_alpn_protocol() != "xmpp-client":
                raise Wrong("xmpp-client was not offered")
        elif not reached or bench.client.end() != "tlsFailed":
            # OpenSSL as the server goes on without a common protocol: that is the case of none.
            if peer.socket.selected_alpn_protocol() is not None:
                raise Wrong(f"{offered} was accepted")
        bench.stop()


# STARTTLS

fatal("T015 B22 the offer of TLS is gone, PLAIN is there", "header", HEADER + features(mechanisms("PLAIN")),
      "tlsNotOffered", closes("policy-violation"), never=["<auth"])
fatal("T015 B22 the offer of TLS is gone, PLAIN is permitted", "header", HEADER + features(mechanisms("PLAIN")),
      "tlsNotOffered", closes("policy-violation"), never=["<auth"], options={"plain": 1})
fatal("T015 features without anything", "header", HEADER + features(), "tlsNotOffered", closes("policy-violation"))
fatal("T016 a header from before XMPP 1.0", "header", OLD, "tlsNotOffered",
      closes("unsupported-version"), never=["iq:auth"])
fatal("T016 a header from before XMPP 1.0 and a login of then", "header",
      OLD + "<iq type='result' id='a'><query xmlns='jabber:iq:auth'/></iq>",
      "tlsNotOffered", closes("unsupported-version"), never=["iq:auth"])
fatal("T017 STARTTLS fails", "starttls", "<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></stream:stream>",
      "tlsFailed", GOODBYE, never=["<auth"])
for answer in ("<proceed xmlns='urn:example:other'/>", "<proceed/>", f"<success xmlns='{SASL}'/>",
               "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>", features(STARTTLS)):
    fatal(f"T017 STARTTLS is answered by {answer[:30]}", "starttls", answer, "protocolViolation", VIOLATION,
          never=["<auth"])
for early in (f"<success xmlns='{SASL}'/>", "<message><body>hi</body></message>", "<iq type='set' id='1'/>",
              "<enabled xmlns='urn:xmpp:sm:3' id='x' resume='true'/>", "<bound xmlns='urn:xmpp:bind:0'/>",
              f"<challenge xmlns='{SASL}'>cj14</challenge>", PROCEED, "<r xmlns='urn:xmpp:sm:3'/>",
              "<a xmlns='urn:xmpp:sm:3' h='1'/>", "<resumed xmlns='urn:xmpp:sm:3' previd='x' h='1'/>"):
    fatal(f"T019 {early.split(' ')[0]}> comes in clear instead of features", "features", early, "protocolViolation",
          VIOLATION, never=["<auth"])
    if early != PROCEED:
        fatal(f"T019 {early.split(' ')[0]}> comes in clear after <starttls/>", "starttls", early, "protocolViolation",
              VIOLATION, never=["<auth"])


@case("T020 B23 features from before TLS are forgotten, those after it count")
def forgets(bench):
    bench.start()
    peer = bench.accept()
    peer.header()
    peer.send(HEADER + features("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>", mechanisms("SCRAM-SHA-512"), SM))
    peer.send(PROCEED)
    peer.tls(bench.certificates.context())
    peer.header()
    peer.send(HEADER + features(mechanisms("SCRAM-SHA-1")))
    if peer.auth()[0] != "SCRAM-SHA-1":
        raise Wrong("a mechanism from before TLS was chosen")


@case("T019 T020 whatever follows <proceed/> in the same packet belongs to TLS, not to the stream")
def injected(bench):
    # As in CVE-2011-0411: commands put behind the one that starts TLS.
    bench.start()
    peer = bench.accept()
    peer.to_starttls()
    peer.send(PROCEED + HEADER + features(mechanisms("PLAIN")) + f"<success xmlns='{SASL}'/>")
    if bench.client.end() not in ("tlsFailed", "connectionLost"):
        raise Wrong("clear text was taken for the secure stream")
    if "<auth" in peer.text:
        raise Wrong("a login was begun")


@case("B25 the address is shown inside TLS only")
def address(bench):
    bench.start()
    peer = bench.accept()
    peer.to_tls(bench.certificates.context())
    if b"juliet" in peer.clear:
        raise Wrong("the address was shown in clear")
    if not re.search(r"from=[\"']juliet@example.org[\"']", peer.text):
        raise Wrong("the address was not shown at all")


# Certificates


def certificate(name, accepted=False, says="", **options):
    def run(bench):
        bench.start()
        peer = bench.accept()
        peer.to_starttls()
        peer.send(PROCEED)
        reached = peer.tls(bench.certificates.context(**options))
        if accepted:
            if not reached:
                raise Wrong("the certificate was refused")
            return peer.header()
        ended = bench.client.until("ended")
        if ended["code"] != "tlsFailed" or not re.search(says, ended["text"]):
            raise Wrong(f"it ended with {ended['code']}: {ended['text']}")
        if "<auth" in peer.text or peer.text.count("<stream:stream") > 1:
            raise Wrong("the stream went on")
    case(name)(run)


certificate("T001 T021 B24 a certificate for another name", names="DNS:chat.evil.example", says="chat.evil.example")
certificate("T021 a certificate that signed itself", signer="self", says="(?i)self-signed|signed itself|itself")
certificate("T021 a certificate of an unknown authority", signer="foreign", says="(?i)unknown|authority|not trusted")
certificate("T021 a certificate that has expired", days=-2, says="(?i)expired|not valid")
certificate("T021 a good certificate", accepted=True)
for names in ("DNS:*.org", "DNS:*", "DNS:*.example.org", "DNS:exam*.org", "DNS:*.*", "DNS:www.example.org",
              "DNS:example.org.evil.example", "IP:127.0.0.1", "URI:xmpp:example.org"):
    certificate(f"T023 the name {names}", names=names)
certificate("T023 a name in capitals", names="DNS:EXAMPLE.ORG", accepted=True)
certificate("T025 the service of a client", names="otherName:1.3.6.1.5.5.7.8.7;IA5STRING:_xmpp-client.example.org",
            accepted=True)
certificate("T025 the service of a server", names="otherName:1.3.6.1.5.5.7.8.7;IA5STRING:_xmpp-server.example.org")
certificate("T025 the address of the domain", names="otherName:1.3.6.1.5.5.7.8.5;UTF8:example.org", accepted=True)
certificate("T025 the address of another domain", names="otherName:1.3.6.1.5.5.7.8.5;UTF8:evil.example")
certificate("T026 a certificate for clients", usage="clientAuth")


@case("T027 TLS 1.1 and 1.0 are refused, 1.2 and 1.3 are not")
def versions(bench):
    versions = ssl.TLSVersion
    for version, good in ((versions.TLSv1, False), (versions.TLSv1_1, False), (versions.TLSv1_2, True),
                          (versions.TLSv1_3, True)):
        bench.start()
        peer = bench.accept()
        peer.to_starttls()
        peer.send(PROCEED)
        reached = peer.tls(bench.certificates.context(minimum=version, maximum=version))
        if reached != good:
            raise Wrong(f"{version.name} was {'accepted' if reached else 'refused'}")
        if good:
            peer.header()
        elif bench.client.end() != "tlsFailed":
            raise Wrong(f"{version.name}: {bench.client.seen[-1]}")
        bench.stop()


@case("T028 no early data is ever sent, with a ticket at hand either")
def early(bench):
    bench.start(reconnect=1)
    context = bench.certificates.context()
    for _ in range(3):
        peer = bench.accept()
        peer.to_starttls()
        peer.send(PROCEED)
        # The first bytes of the handshake: the extension early_data is 0x002a.
        hello = b""
        while len(hello) < 5 or len(hello) < 5 + int.from_bytes(hello[3:5], "big"):
            hello = peer.socket.recv(4096, 2)
        if b"\x00\x2a\x00\x00" in hello[43:]:
            raise Wrong("the client offers early data")
        if not peer.tls(context):
            raise Wrong("the handshake failed")
        peer.header()
        peer.close()


@case("T029 an end in the middle of a stanza is no logout")
def truncated(bench):
    bench.start(reconnect=1)
    context = bench.certificates.context()
    peer = bench.accept()
    peer.to_online(context)
    bench.client.until("online")
    peer.send("<message from='romeo@example.net/x' id='m1'><body>one</body></message><message from='romeo@example.net")
    bench.client.until("message", body="one")
    peer.finish()
    rest = peer.rest()
    if "unavailable" in rest or "<a " in rest:
        raise Wrong(f"the client said goodbye: {rest!r}")
    again = bench.accept()
    said = again.to_resume(context)
    if said["previd"] != "sm-1" or said["h"] != "1":
        raise Wrong(f"it resumes with {said}")
    again.send("<resumed xmlns='urn:xmpp:sm:3' previd='sm-1' h='0'/>"
               "<message from='romeo@example.net/x' id='m2'><body>two</body></message>")
    bench.client.until("message", body="two")


COMPRESSION = "<compression xmlns='http://jabber.org/features/compress'><method>zlib</method></compression>"


@case("T030 compression is never asked for, before the login or after")
def compression(bench):
    bench.start()
    peer = bench.accept()
    peer.header()
    peer.send(HEADER + features(COMPRESSION, STARTTLS))
    peer.send(PROCEED)
    peer.tls(bench.certificates.context())
    peer.header()
    peer.send(HEADER + features(COMPRESSION, mechanisms("SCRAM-SHA-1")))
    peer.scram(*peer.auth())
    peer.header()
    peer.send(HEADER + features(COMPRESSION, BIND, SM))
    peer.bind(re.search(r"id=[\"']([^\"']*)", peer.expect(r"<iq [^>]*>.*?</iq>"))[1])
    peer.expect(r"<enable [^>]*/>")
    peer.send("<enabled xmlns='urn:xmpp:sm:3' id='sm-1' resume='true'/>")
    bench.client.until("online")
    peer.settle()
    if "compress" in peer.text:
        raise Wrong("compression was asked for")


fatal("T030 a server that compresses without being asked", "login", "<compressed xmlns='http://jabber.org/protocol/compress'/>",
      "protocolViolation", ".*")

# Mechanisms


def binding(*types):
    return ("<sasl-channel-binding xmlns='urn:xmpp:sasl-cb:0'>"
            + "".join(f"<channel-binding type='{name}'/>" for name in types) + "</sasl-channel-binding>")


for names in (("PLAIN",), ("PLAIN", "X-OAUTH2", "SCRAM-SHA-3"), ("DIGEST-MD5", "CRAM-MD5", "LOGIN"), ("ANONYMOUS",),
              ("EXTERNAL",), ("SCRAM-SHA-1 ,PLAIN",), ("scram-sha-1-plus-plus",), ("",)):
    fatal(f"T031 B39 only {', '.join(names) or 'nothing'}", "secure", HEADER + features(mechanisms(*names)),
          "noUsableMechanism", ".*</stream:stream>", never=["<auth"])
fatal("B45 only the login from before XMPP 1.0", "secure",
      HEADER + features("<auth xmlns='http://jabber.org/features/iq-auth'/>"), "noUsableMechanism",
      ".*</stream:stream>", never=["iq:auth"])


@case("T031 B40 PLAIN with consent, in UTF-8, inside TLS only", secrets=())
def plain(bench):
    bench.start(plain=1, password="密码", jid="ann@example.org")
    peer = bench.accept()
    mechanism, message = peer.to_auth(bench.certificates.context(), mechanisms("PLAIN"))
    if mechanism != "PLAIN" or message != "\0ann\0密码".encode():
        raise Wrong(f"{mechanism}: {message!r}")
    if base64.b64encode(message) in peer.clear:
        raise Wrong("the password went over the wire in clear")


@case("T033 without any -PLUS the client says that it could have bound the channel")
def couldBind(bench):
    bench.start()
    peer = bench.accept()
    mechanism, first = peer.to_auth(bench.certificates.context(), mechanisms("SCRAM-SHA-1", "SCRAM-SHA-256", "PLAIN"))
    if mechanism != "SCRAM-SHA-256" or not first.startswith(b"y,,n=juliet,r="):
        raise Wrong(f"{mechanism} with {first!r}")


fatal("T033 an account that was bound before does not log in unbound", "secure",
      HEADER + features(mechanisms("SCRAM-SHA-1", "SCRAM-SHA-256")), "noUsableMechanism|downgraded", ".*",
      never=["<auth"], options={"binding": 1})


@case("T033 B39 the strongest mechanism is taken, in whatever order they come")
def strongest(bench):
    bench.start()
    peer = bench.accept()
    mechanism, first = peer.to_auth(
        bench.certificates.context(),
        mechanisms("PLAIN", "SCRAM-SHA-1", "EXTERNAL", "SCRAM-SHA-256-PLUS", "X-NONE", "SCRAM-SHA-1-PLUS", "SCRAM-SHA-256")
        + binding("tls-exporter", "tls-server-end-point"))
    if mechanism != "SCRAM-SHA-256-PLUS" or not re.match(rb"p=tls-(exporter|server-end-point),,n=juliet,r=", first):
        raise Wrong(f"{mechanism} with {first!r}")


@case("T034 T035 without the list of types nothing is bound on TLS 1.3, and the flag says so")
def unlisted(bench):
    bench.start()
    peer = bench.accept()
    mechanism, first = peer.to_auth(bench.certificates.context(), mechanisms("SCRAM-SHA-1", "SCRAM-SHA-1-PLUS"))
    if mechanism != "SCRAM-SHA-1" or not first.startswith(b"n,,"):
        raise Wrong(f"{mechanism} with {first!r}")


@case("T034 T035 tls-unique is not used on TLS 1.3, and unknown types are not either")
def unusable(bench):
    for types in (("tls-unique",), ("x-evil",), ("tls-unique", "x-evil")):
        bench.start()
        peer = bench.accept()
        mechanism, first = peer.to_auth(bench.certificates.context(),
                                        mechanisms("SCRAM-SHA-1", "SCRAM-SHA-1-PLUS") + binding(*types))
        if b"p=tls-unique" in first or b"x-evil" in first:
            raise Wrong(f"{mechanism} with {first!r}")
        bench.stop()


@case("T034 of the types on the list the best that both have is used")
def common(bench):
    bench.start()
    peer = bench.accept()
    mechanism, first = peer.to_auth(bench.certificates.context(),
                                    mechanisms("SCRAM-SHA-1", "SCRAM-SHA-1-PLUS") + binding("x", "tls-server-end-point"))
    if not first.startswith(b"p=tls-server-end-point,,"):
        raise Wrong(f"{mechanism} with {first!r}")


# SCRAM: what the server says first, where {nonce} is the client's


def first_message(name, text, code="authenticationFailed", response=False):
    def run(bench):
        bench.start()
        peer = bench.accept()
        _, first = peer.to_auth(bench.certificates.context())
        nonce = re.search(rb"r=([^,]*)", first)[1].decode()
        peer.challenge(text.replace("{nonce}", nonce) if isinstance(text, str) else text)
        rest = peer.rest()
        if ("<response" in rest) != response:
            raise Wrong(f"the client answered {rest!r}")
        ended = bench.client.end()
        if not re.fullmatch(code, ended):
            raise Wrong(f"it ended with {ended}")
    case(name)(run)


SALT = "c2FsdHNhbHRzYWx0"
for count in ("0", "1", "4095", "-1", "+4096", "04096", "4096x", "4 096", "0x1000", "", "4294967295", "500001", "9" * 40):
    case_id = "T037" if count in ("0", "1", "4095") else "T038"
    first_message(f"{case_id} i={count}", f"r={{nonce}}x,s={SALT},i={count}")
first_message("T039 an empty salt", "r={nonce}x,s=,i=4096")
first_message("T039 a salt of a megabyte", "r={nonce}x,s=" + "QUJD" * 250_000 + ",i=4096",
              "authenticationFailed|protocolViolation")
first_message("T039 a salt that is no base64", "r={nonce}x,s=!!!!,i=4096")
first_message("T039 a salt with a hole", "r={nonce}x,s=QUJ,i=4096")
first_message("T039 the salt twice", f"r={{nonce}}x,s={SALT},s={SALT},i=4096")
first_message("T039 the nonce twice", f"r={{nonce}}x,r={{nonce}}y,s={SALT},i=4096")
first_message("T039 B43 a mandatory extension", f"m=x,r={{nonce}}x,s={SALT},i=4096")
first_message("T039 a mandatory extension at the end", f"r={{nonce}}x,s={SALT},i=4096,m=x")
first_message("T039 B43 another nonce", f"r=other,s={SALT},i=4096")
first_message("T039 B43 the same nonce", f"r={{nonce}},s={SALT},i=4096")
first_message("T039 the fields in another order", f"s={SALT},r={{nonce}}x,i=4096")
first_message("T039 no count", f"r={{nonce}}x,s={SALT}")
first_message("T039 nothing", "")
first_message("T039 bytes that are no text", bytes(range(256)))
first_message("T041 an error with markup", "e=<b>no</b>")
first_message("T041 an error of the user", "e=unknown-user", "notAuthorized")
fatal("T039 a challenge that is no base64", "auth", f"<challenge xmlns='{SASL}'>****</challenge>",
      "authenticationFailed", ".*</stream:stream>", never=["<response"])
fatal("T041 a challenge without a text", "auth", f"<challenge xmlns='{SASL}'/>", "authenticationFailed",
      ".*</stream:stream>", never=["<response"])
fatal("T041 challenges without end", "auth", f"<challenge xmlns='{SASL}'>cj14</challenge>" * 50,
      "authenticationFailed|protocolViolation", ".*</stream:stream>", never=["<response"])
fatal("T041 B43 a success before any proof", "auth", f"<success xmlns='{SASL}'/>", "serverNotAuthentic|authenticationFailed",
      ".*</stream:stream>", never=["xmpp-bind"])
fatal("T041 a success of another namespace", "auth", "<success xmlns='urn:example:other'/>", "protocolViolation", VIOLATION)
fatal("T041 a second success", "login", f"<success xmlns='{SASL}'/>" , "protocolViolation", ".*")
fatal("T041 features before the new stream", "login", features(BIND), "protocolViolation", ".*")


@case("B43 a proof that is wrong, missing, or of somebody else")
def unproven(bench):
    for signature in ("AAAAAAAAAAAAAAAAAAAAAAAAAAA=", "", "!!!!", "AAAA"):
        bench.start()
        peer = bench.accept()
        peer.scram(*peer.to_auth(bench.certificates.context()), signature=signature)
        if "xmpp-bind" in peer.rest() or peer.text.count("<stream:stream") > 2:
            raise Wrong("the login went on")
        if bench.client.end() != "serverNotAuthentic":
            raise Wrong(f"{signature!r}: {bench.client.seen[-1]}")
        bench.stop()


@case("T044 a name with commas and equal signs, a password with odd characters")
def oddNames(bench):
    bench.start(jid="a,b=c@example.org", password="I\u00adX")
    peer = bench.accept()
    mechanism, first = peer.to_auth(bench.certificates.context())
    if b"n=a=2Cb=3Dc,r=" not in first:
        raise Wrong(f"{first!r}")
    peer.scram(mechanism, first, password="IX")
    peer.header()


fatal("T044 an empty password", "secure", HEADER + features(mechanisms("SCRAM-SHA-1")), "invalidArgument",
      ".*</stream:stream>", never=["<auth"], options={"password": ""})
fatal("T044 a password of which nothing remains", "secure", HEADER + features(mechanisms("SCRAM-SHA-1")),
      "invalidArgument", ".*</stream:stream>", never=["<auth"], options={"password": "\u00ad\u200b"})

for condition, code in (("not-authorized", "notAuthorized"), ("account-disabled", "accountDisabled"),
                        ("temporary-auth-failure", "authenticationFailed"), ("mechanism-too-weak", "authenticationFailed"),
                        ("x-&lt;b>".replace("&lt;", "").replace(">", ""), "authenticationFailed")):
    fatal(f"B37 B38 OF07 the login fails: {condition}", "auth", f"<failure xmlns='{SASL}'><{condition}/></failure>",
          code, ".*</stream:stream>")
fatal("B37 a failure that says nothing at all", "auth", f"<failure xmlns='{SASL}'/>", "notAuthorized|authenticationFailed",
      ".*</stream:stream>")


@case("T043 B34 a wrong password is not tried again")
def wrongPassword(bench):
    bench.start(reconnect=1)
    peer = bench.accept()
    peer.to_auth(bench.certificates.context())
    peer.send(f"<failure xmlns='{SASL}'><not-authorized/></failure>")
    if bench.client.end() != "notAuthorized":
        raise Wrong(f"{bench.client.seen[-1]}")
    bench.no_connection()


# Binding


def bound(jid):
    def run(bench):
        bench.start()
        peer = bench.accept()
        peer.bind(peer.to_bind(bench.certificates.context()), jid)
        peer.rest()
        if bench.client.end() != "protocolViolation":
            raise Wrong(f"{jid} was accepted")
    case(f"T042 the address {jid or 'that is none'}")(run)


for jid in ("romeo@example.org/x", "juliet@example.net/x", "juliet@example.org", "example.org/x", "", "@/", "juliet@@example.org/x",
            "JULIET@evil.example/x", "juliet@example.org/" + "x" * 1100):
    bound(jid)
fatal("T042 a bind result without an address", "bind", "<iq type='result' id='none'/>", "protocolViolation", ".*")


@case("B46 OF12 a resource that is refused is given up once")
def refused(bench):
    bench.start()
    peer = bench.accept()
    first = peer.to_bind(bench.certificates.context())
    error = ("<iq type='error' id='{}'><error code='409' type='cancel'>"
             "<conflict xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>")
    peer.send(error.format(first))
    second = peer.expect(r"<iq [^>]*>.*?</iq>")
    if "balcony" in second:
        raise Wrong("the same resource was asked for again")
    peer.send(error.format(re.search(r"id=[\"']([^\"']*)", second)[1]))
    peer.rest()
    if bench.client.end() != "bindFailed":
        raise Wrong(f"{bench.client.seen[-1]}")


harmless("OF13 OF10 features after the login that mean nothing to us are left alone", "", stage="online")
