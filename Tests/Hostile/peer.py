# SPDX-License-Identifier: Apache-2.0
"""The far end of one case: a TCP listener on loopback, TLS, an honest login up to any point, and the client under test."""

import base64
import contextlib
import hashlib
import hmac
import json
import os
import pathlib
import queue
import re
import socket
import ssl
import struct
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PATIENCE = 20.0

STREAMS = "http://etherx.jabber.org/streams"
HEADER = (f"<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='{STREAMS}' "
          "id='s1' from='example.org' version='1.0'>")
STARTTLS = "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/></starttls>"
ASKS_TLS = r"<starttls xmlns=[\"']urn:ietf:params:xml:ns:xmpp-tls[\"']/>"
PROCEED = "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"
SASL = "urn:ietf:params:xml:ns:xmpp-sasl"
SASL2 = "urn:xmpp:sasl:2"
BIND = "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>"
SM = "<sm xmlns='urn:xmpp:sm:3'/>"
JID = "juliet@example.org/balcony"


class Wrong(Exception):
    """The client did something else than the case expects."""


def mechanisms(*names):
    return f"<mechanisms xmlns='{SASL}'>" + "".join(f"<mechanism>{name}</mechanism>" for name in names) + "</mechanisms>"


def features(*parts):
    return "<stream:features>" + "".join(parts) + "</stream:features>"


def authentication(*names, types=("tls-server-end-point",), tokens=(), upgrades=(), binds=True, resumes=True):
    """The offer of SASL2 with what can be done inside the login; `types` are the channel bindings."""
    inline = SM if resumes else ""
    if binds:
        inline += ("<bind xmlns='urn:xmpp:bind:0'><inline><feature var='urn:xmpp:carbons:2'/>"
                   "<feature var='urn:xmpp:sm:3'/></inline></bind>")
    if tokens:
        inline += "<fast xmlns='urn:xmpp:fast:0'>" + "".join(f"<mechanism>{n}</mechanism>" for n in tokens) + "</fast>"
    offer = (f"<authentication xmlns='{SASL2}'>" + "".join(f"<mechanism>{name}</mechanism>" for name in names)
             + f"<inline>{inline}</inline>"
             + "".join(f"<upgrade xmlns='urn:xmpp:sasl:upgrade:0'>{task}</upgrade>" for task in upgrades)
             + "</authentication>")
    if types is not None:
        offer += ("<sasl-channel-binding xmlns='urn:xmpp:sasl-cb:0'>"
                  + "".join(f"<channel-binding type='{name}'/>" for name in types) + "</sasl-channel-binding>")
    return offer


def bound(jid=JID, identifier="sm-1", more=""):
    """What a success says when an address was bound inside the login."""
    return (f"<authorization-identifier>{jid}</authorization-identifier><bound xmlns='urn:xmpp:bind:0'>"
            f"<enabled xmlns='urn:xmpp:sm:3' id='{identifier}' resume='true'/></bound>{more}")


def token(secret):
    return f"<token xmlns='urn:xmpp:fast:0' token='{secret}' expiry='2099-01-01T00:00:00Z'/>"


def stream_error(condition, rest=""):
    return (f"<stream:error><{condition} xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>{rest}</stream:error>"
            "</stream:stream>")


class Certificates:
    """Made once per run by the `openssl` program: an authority, and whatever certificates the cases ask for."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.made = {}
        self.authority = self._authority("ca")
        self.foreign = self._authority("foreign")

    def _run(self, *arguments):
        done = subprocess.run(["openssl", *arguments], cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise Wrong(f"openssl {' '.join(arguments)}: {done.stderr}")

    def _authority(self, name):
        self._run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
                  "-subj", f"/CN={name}", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
                  "-keyout", f"{name}.key", "-out", f"{name}.pem")
        return self.folder / f"{name}.pem"

    def context(self, names="DNS:example.org", signer="ca", minimum=None, maximum=None, protocols=None, days=20,
                usage="serverAuth"):
        """A server's TLS context; `signer` is `ca`, `foreign` or `self`."""
        key = (names, signer, days, usage)
        if key not in self.made and days < 0:
            # Only `ca` takes dates of the past.
            stem = f"c{len(self.made)}"
            (self.folder / "ca.cnf").write_text(
                "[ca]\ndefault_ca=c\n[c]\ndatabase=index\nnew_certs_dir=.\nrand_serial=yes\npolicy=p\n"
                f"default_md=sha256\nx509_extensions=x\n[p]\ncommonName=supplied\n[x]\nsubjectAltName={names}\n")
            (self.folder / "index").write_text("")
            self._run("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=server",
                      "-keyout", f"{stem}.key", "-out", f"{stem}.csr")
            self._run("ca", "-batch", "-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key", "-in", f"{stem}.csr",
                      "-startdate", "20200101000000Z", "-enddate", "20210101000000Z", "-notext", "-out", f"{stem}.pem")
            self.made[key] = stem
        if key not in self.made:
            stem = f"c{len(self.made)}"
            extra = [] if signer == "self" else ["-CA", f"{signer}.pem", "-CAkey", f"{signer}.key"]
            self._run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                      "-days", str(days), "-subj", "/CN=server", "-addext", "basicConstraints=critical,CA:FALSE",
                      "-addext", f"subjectAltName={names}", "-addext", f"extendedKeyUsage={usage}",
                      "-keyout", f"{stem}.key", "-out", f"{stem}.pem", *extra)
            self.made[key] = stem
        stem = self.made[key]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / f"{stem}.pem", self.folder / f"{stem}.key")
        context.certificate = ssl.PEM_cert_to_DER_cert((self.folder / f"{stem}.pem").read_text())
        if maximum:
            context.set_ciphers("DEFAULT@SECLEVEL=0")
            context.minimum_version = minimum or ssl.TLSVersion.TLSv1
            context.maximum_version = maximum
        if protocols:
            context.set_alpn_protocols(protocols)
        return context


class Client:
    """The program under test, its options, and what it says happens."""

    def __init__(self, program, **options):
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
        self.process = subprocess.Popen([str(program), *(f"{key}={value}" for key, value in options.items())],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=environment)
        self.events, self.seen, self.skipped = queue.Queue(), [], []
        self.errors = []
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._read_errors, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            with contextlib.suppress(ValueError):
                self.events.put(json.loads(line))
        self.events.put(None)

    def _read_errors(self):
        self.errors.append(self.process.stderr.read().decode(errors="replace"))

    def say(self, command):
        with contextlib.suppress(OSError):
            self.process.stdin.write((command + "\n").encode())
            self.process.stdin.flush()

    def until(self, name, **values):
        """The first event of that name with those values that was not asked for before, waiting for it."""
        def fits(event):
            return event["event"] == name and all(re.search(str(want), event.get(key, ""))
                                                  for key, want in values.items())

        for event in self.skipped:
            if fits(event):
                self.skipped.remove(event)
                return event
        while True:
            try:
                event = self.events.get(timeout=PATIENCE)
            except queue.Empty:
                raise Wrong(f"no event {name} {values or ''} came; so far {self.names()}") from None
            if event is None:
                self.events.put(None)
                raise Wrong(f"the client ended without {name} {values or ''}; it said {self.names()}")
            self.seen.append(event)
            if fits(event):
                return event
            self.skipped.append(event)

    def end(self):
        """Waits for the end of the session; gives the code of its error."""
        return self.until("ended")["code"]

    def names(self):
        return [" ".join([event["event"], event.get("code", "")]).strip() for event in self.seen]

    def stop(self):
        """Ends the program; a crash is a fault of its own."""
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        # A program that is dying may need a moment for it.
        time.sleep(0.002)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        elif self.process.returncode != 0:
            raise Wrong(f"the client crashed ({self.process.returncode}): {''.join(self.errors)[-600:]}")


class Peer:
    """One accepted connection; everything that the client ever wrote on it, decrypted, is in `text`."""

    def __init__(self, connection):
        connection.settimeout(PATIENCE)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = connection
        self.raw = b""
        self.clear = b""  # what was not inside TLS
        self.position = 0
        self.is_secure = False
        self.is_patient = False  # the client waits for each answer before it goes on

    @property
    def text(self):
        return self.raw.decode(errors="replace")

    def _more(self):
        try:
            data = self.socket.recv(65536)
        except (socket.timeout, TimeoutError):
            raise Wrong(f"the client is silent after {self.tail()}") from None
        except (OSError, ssl.SSLError):
            return False
        self.raw += data
        if not self.is_secure:
            self.clear += data
        return bool(data)

    def tail(self):
        return repr(self.raw[-300:].decode(errors="replace"))

    def expect(self, pattern):
        """Reads until the pattern matches what came since the last match."""
        while True:
            match = re.compile(pattern.encode(), re.S).search(self.raw, self.position)
            if match:
                self.position = match.end()
                return match[0].decode(errors="replace")
            if not self._more():
                raise Wrong(f"the client closed before {pattern!r}; it said {self.tail()}")

    def rest(self):
        """Everything up to the end of the connection."""
        start = self.position
        while self._more():
            pass
        return self.raw[start:].decode(errors="replace")

    def send(self, data):
        with contextlib.suppress(OSError):
            self.socket.sendall(data.encode() if isinstance(data, str) else data)

    def tls(self, context):
        """The server's side of a handshake; False when the client refuses."""
        self.certificate = getattr(context, "certificate", b"")
        try:
            self.socket = context.wrap_socket(self.socket, server_side=True)
        except (ssl.SSLError, OSError):
            return False
        self.is_secure = True
        self.position = len(self.raw)
        return True

    def finish(self):
        """FIN without the closing message of TLS."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)

    def reset(self):
        with contextlib.suppress(OSError):
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.close()

    # An honest server, step by step.

    def header(self):
        """In clear nothing but TLS can follow, so the client asks for it in the same write."""
        header = self.expect(r"<stream:stream [^>]*>")
        if not self.is_secure and not self.is_patient:
            self.expect(ASKS_TLS)
        return header

    def to_starttls(self):
        self.header()
        self.send(HEADER + features(STARTTLS))
        if self.is_patient:
            self.expect(ASKS_TLS)

    def to_tls(self, context):
        self.to_starttls()
        self.send(PROCEED)
        if not self.tls(context):
            raise Wrong("the client refused a good certificate")
        self.header()

    def to_auth(self, context, offer=None):
        """Up to `<auth/>`; gives the mechanism and the decoded first message."""
        self.to_tls(context)
        self.send(HEADER + features(offer or mechanisms("SCRAM-SHA-1", "SCRAM-SHA-256")))
        return self.auth()

    def auth(self):
        element = self.expect(r"<auth [^>]*>[^<]*</auth>")
        mechanism = re.search(r"mechanism=[\"']([^\"']*)", element)[1]
        return mechanism, base64.b64decode(re.search(r">([^<]*)<", element)[1])

    def challenge(self, message):
        data = message.encode() if isinstance(message, str) else message
        self.send(f"<challenge xmlns='{SASL}'>{base64.b64encode(data).decode()}</challenge>")

    def scram(self, mechanism, first, password="secret", iterations=4096, signature=None):
        """The rest of an honest SCRAM; `signature` takes the place of the right one."""
        algorithm = {"SCRAM-SHA-1": "sha1", "SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}[mechanism]
        bare = first.decode().split(",", 2)[2]
        nonce = re.search(r"r=([^,]*)", bare)[1]
        salt = b"saltsaltsalt"
        server_first = f"r={nonce}server,s={base64.b64encode(salt).decode()},i={iterations}"
        self.challenge(server_first)
        final = base64.b64decode(re.search(r">([^<]*)<", self.expect(r"<response [^>]*>[^<]*</response>"))[1]).decode()
        message = f"{bare},{server_first},{final.rsplit(',p=', 1)[0]}".encode()
        salted = hashlib.pbkdf2_hmac(algorithm, password.encode(), salt, iterations)
        server_key = hmac.digest(salted, b"Server Key", algorithm)
        proof = base64.b64encode(hmac.digest(server_key, message, algorithm)).decode()
        self.success(f"v={signature if signature is not None else proof}")

    # SASL2

    def to_authenticate(self, context, offer):
        """Up to `<authenticate/>`; gives all of it."""
        self.to_tls(context)
        self.send(HEADER + features(offer))
        return self.authenticate()

    def authenticate(self):
        text = self.expect(r"<authenticate [^>]*>.*?</authenticate>")
        return {"text": text, "mechanism": re.search(r"mechanism=[\"']([^\"']*)", text)[1],
                "initial": base64.b64decode(re.search(r"<initial-response>([^<]*)", text)[1])}

    def prove(self, request, password="secret", protection=None):
        """An honest SCRAM of SASL2 up to the proof, as text for `<additional-data/>`."""
        algorithm = "sha256" if "256" in request["mechanism"] else "sha1"
        bare = request["initial"].decode().split(",", 2)[2]
        nonce = re.search(r"r=([^,]*)", bare)[1]
        salt = b"saltsaltsalt"
        first = f"r={nonce}server,s={base64.b64encode(salt).decode()},i=4096" + (f",h={protection}" if protection else "")
        self.send(f"<challenge xmlns='{SASL2}'>{base64.b64encode(first.encode()).decode()}</challenge>")
        answer = self.expect(rf"<response xmlns=[\"']{SASL2}[\"']>[^<]*</response>")
        final = base64.b64decode(re.search(r">([^<]*)<", answer)[1]).decode()
        message = f"{bare},{first},{final.rsplit(',p=', 1)[0]}".encode()
        key = hmac.digest(hashlib.pbkdf2_hmac(algorithm, password.encode(), salt, 4096), b"Server Key", algorithm)
        return base64.b64encode(b"v=" + base64.b64encode(hmac.digest(key, message, algorithm))).decode()

    def succeed(self, proof, rest):
        self.send(f"<success xmlns='{SASL2}'>" + (f"<additional-data>{proof}</additional-data>" if proof else "") + rest
                  + "</success>")

    def end_point(self):
        """The channel binding of this connection's certificate (RFC 5929 §4)."""
        return hashlib.sha256(self.certificate).digest()

    def success(self, text):
        self.send(f"<success xmlns='{SASL}'>{base64.b64encode(text.encode()).decode()}</success>")

    def to_login(self, context, offer=None):
        """Up to the stream header after the login."""
        self.scram(*self.to_auth(context, offer))
        self.header()

    def to_bind(self, context, offer=BIND + SM):
        self.to_login(context)
        self.send(HEADER + features(offer))
        return re.search(r"id=[\"']([^\"']*)", self.expect(r"<iq [^>]*>.*?</iq>"))[1]

    def bind(self, identifier, jid=JID):
        self.send(f"<iq type='result' id='{identifier}'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
                  f"<jid>{jid}</jid></bind></iq>")

    def to_online(self, context, managed=True, enabled="<enabled xmlns='urn:xmpp:sm:3' id='sm-1' resume='true'/>"):
        self.bind(self.to_bind(context, BIND + (SM if managed else "")))
        if managed:
            self.expect(r"<enable [^>]*/>")
            self.send(enabled)

    def to_resume(self, context):
        """Up to `<resume/>` on a later connection; gives what it says."""
        self.to_login(context)
        self.send(HEADER + features(BIND, SM))
        element = self.expect(r"<resume [^>]*/>")
        return dict(re.findall(r"(\w+)=[\"']([^\"']*)", element))

    def settle(self):
        """Waits until the client has handled everything before: the answer to a ping comes last."""
        self.send("<iq type='get' id='settle' from='example.org'><ping xmlns='urn:xmpp:ping'/></iq>")
        return self.expect(r"<iq [^>]*id=[\"']settle[\"'][^>]*?(/>|>.*?</iq>)")


class Bench:
    """What one case works with: the listener, the certificates and the client."""

    def __init__(self, program, certificates):
        self.program = program
        self.is_sanitized = "san" in str(program)
        self.certificates = certificates
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(PATIENCE)
        self.port = self.listener.getsockname()[1]
        self.peers, self.client = [], None

    def start(self, **options):
        self.client = Client(self.program, port=self.port, ca=self.certificates.authority, **options)

    def accept(self):
        try:
            connection, _ = self.listener.accept()
        except (socket.timeout, TimeoutError):
            raise Wrong(f"the client does not connect (again); it said {self.client.names()}") from None
        self.peers.append(Peer(connection))
        return self.peers[-1]

    def no_connection(self, seconds=0.5):
        """The client must not come (again) within that time, which is long for its waits."""
        self.listener.settimeout(seconds)
        try:
            self.listener.accept()
        except (socket.timeout, TimeoutError):
            return
        finally:
            self.listener.settimeout(PATIENCE)
        raise Wrong("the client connected again")

    def stop(self):
        """Ends the client; the next one of the same case begins anew."""
        if self.client:
            self.client.stop()
        self.client = None

    def close(self):
        for peer in self.peers:
            peer.close()
        self.listener.close()
        self.stop()
