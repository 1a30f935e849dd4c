# SPDX-License-Identifier: Apache-2.0
"""A small stand-in for `apus serve`, for what the real one cannot do on command: a history of 100 000 messages, a
hostile text in every field, answers that fail or come late. It keeps to docs/openapi.yaml."""

import functools
import http.server
import json
import math
import struct
import zlib
import pathlib
import queue
import re
import threading
import urllib.parse
from datetime import datetime, timedelta, timezone

WEB = pathlib.Path(__file__).resolve().parent.parent.parent / "Sources/ChatService/Web"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; "
    "connect-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types apus")
TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
    ".json": "application/json", ".webmanifest": "application/manifest+json", ".svg": "image/svg+xml", ".png": "image/png"}


# For browsers whose driver does not tell what went wrong in a page.
COLLECTOR = """window.faults = [];
addEventListener("error", (event) => faults.push(String(event.message ?? event.type)));
addEventListener("unhandledrejection", (event) => faults.push(String(event.reason)));
addEventListener("securitypolicyviolation", (event) => faults.push(`policy: ${event.violatedDirective} ${event.blockedURI}`));
"""


# Skies from above to the horizon, the hills behind and in front, and the sun.
DAYS = (((96, 150, 214), (226, 236, 240), (122, 158, 170), (74, 118, 88), (255, 250, 225)), ((72, 86, 150), (246, 190, 150), (128, 112, 150), (70, 74, 104), (255, 232, 190)),
        ((120, 178, 226), (240, 238, 214), (134, 172, 140), (92, 134, 72), (255, 255, 240)), ((40, 52, 104), (232, 140, 122), (96, 82, 128), (46, 50, 84), (255, 214, 170)))


@functools.cache
def picture(width, height, seed):
    """A PNG with hills behind a lake, so that pictures on the pages look like pictures."""
    above, horizon, far, near, sun = DAYS[seed % len(DAYS)]
    mix = lambda one, other, part: tuple(round(a + (b - a) * part) for a, b in zip(one, other))
    shore = round(height * 0.66)
    ridge = lambda x, base, size, wide: height * (base + size * (math.sin(x / width * wide + seed) + 0.5 * math.sin(x / width * wide * 2.3 + 2 * seed)))
    behind = [ridge(x, 0.45, 0.06, 5) for x in range(width)]
    front = [ridge(x, 0.57, 0.045, 8) for x in range(width)]
    at = (width * (0.25 + 0.5 * ((seed * 37) % 100) / 100), height * 0.24, height * 0.07)

    def land(x, y):
        if y > front[x]:
            return mix(near, (20, 30, 40), (y - front[x]) / height)
        if y > behind[x]:
            return mix(far, horizon, 0.25)
        if (x - at[0]) ** 2 + (y - at[1]) ** 2 < at[2] ** 2:
            return sun
        return mix(above, horizon, min(1, y / (height * 0.55)))

    rows = bytearray()
    for y in range(height):
        rows.append(0)
        for x in range(width):
            if y < shore:
                rows += bytes(land(x, y))
            else:
                # The lake has all of it once more, upside down and darker towards us.
                rows += bytes(mix(land(x, max(0, 2 * shore - y - (y * 7 + x // 9) % 3)), (30, 52, 84), 0.22 + 0.4 * (y - shore) / height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(bytes(rows)))
            + chunk(b"IEND", b""))


def link(text):
    """What the service says of a link; the real one knows more kinds."""
    found = re.search(r"xmpp:([^?#]+)\?(\w+)", text)
    token = re.search(r"preauth=([^;&]+)", text)
    if not found:
        return {"action": "other", "harmless": True}
    action = {"register": "register", "roster": "add-contact", "join": "join", "message": "message"}.get(found[2], "other")
    return {"action": action, "address": found[1], "domain": found[1].split("@")[-1], "harmless": False, **({"token": token[1]} if token else {})}


def stamp(moment):
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


class StandIn:
    """State that a test may change at any time, and the server over it."""

    def __init__(self):
        self.rooms = {}
        self.files = {}
        self.collects_faults = False
        self.channels = []
        self.blocked = []
        self.profile, self.end_gaps, self.activities = {}, set(), {}
        self.form = {"fields": []}
        self.scanned = ""
        self.settings = {"previews": "all", "strangers": "silent", "browser": {}}
        self.changes = []
        self.uploads = {}
        self.push = None
        self.me = "ana@chat.example"
        self.lock = threading.RLock()
        self.accounts = [self.account(self.me)]
        self.contacts, self.conversations, self.requests = [], [], []
        self.messages = {}
        self.sends = {}
        self.calls = []
        self.signed_in = True
        self.needs_password = False
        self.code = "the-code"
        self.cursor = 0
        self.streams = []
        self.log = []
        self.failing = {}
        self.sessions = [
            {"id": "s1", "label": "Firefox (Linux)", "created_at": self.now(), "used_at": self.now(), "current": True},
            {"id": "s2", "label": "Chrome (Android)", "created_at": self.now(), "used_at": self.now(), "current": False}]
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def handle_any(self):
                try:
                    outer.answer(self)
                except OSError:
                    self.close_connection = True

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    # --- Contents

    @staticmethod
    def now(**ago):
        return stamp(datetime.now(timezone.utc) - timedelta(**ago))

    def account(self, address, state="online", **more):
        return {"address": address, "enabled": True, "queued": 0,
                "connection": {"state": state, "since": self.now(minutes=12), "resumed": False,
                               "bound_address": f"{address}/apus", **more}}

    def contact(self, address, name=None, availability="online", status=None, **more):
        one = {"account": self.me, "address": address, "groups": [], "subscription": "both", "asked": False,
               "presence": {"availability": availability, "resources": ["phone"]}, **more}
        if name:
            one["name"] = name
        if status:
            one["presence"]["status"] = status
        self.contacts.append(one)
        return one

    def conversation(self, peer, texts, name=None, unread=0, **more):
        """`texts` are (direction, text, age in minutes[, state or more]) from old to new."""
        made = [self.make(peer, *row) for row in texts]
        self.messages[peer] = made
        one = {"account": self.me, "conversation": peer, "unread": unread, "kind": "chat", **more}
        if made:
            one["last"] = made[-1]
        if name:
            one["name"] = name
        self.conversations.append(one)
        return one

    def make(self, peer, direction, body, minutes=0, state=None, **more):
        own = direction == "out"
        with self.lock:
            self.cursor += 1
            number = self.cursor
        return {"id": f"m{number}", "account": self.me, "conversation": peer, "direction": "outgoing" if own else "incoming",
                "sender": self.me if own else f"{peer}/phone", "body": body, "time": self.now(minutes=minutes),
                "state": state or ("displayed" if own else "received"), "position": number, "origin_id": f"o{number}", **more}

    # --- What happens

    def emit(self, event, cursor=True):
        with self.lock:
            self.cursor += 1
            if cursor:
                event["cursor"] = str(self.cursor)
                self.log.append(event)
            for stream in self.streams:
                stream.put(event)

    def incoming(self, peer, body, **more):
        message = self.make(peer, "in", body, **more)
        self.messages.setdefault(peer, []).append(message)
        for one in self.conversations:
            if one["conversation"] == peer:
                one["last"], one["unread"] = message, one["unread"] + 1
        self.emit({"type": "message", "message": message})
        return message

    def change(self, message, **change):
        message.update(change)
        self.emit({"type": "message-changed", "message": message})

    def cut(self):
        for stream in self.streams:
            stream.put(None)

    # --- HTTP

    def answer(self, http):
        url = urllib.parse.urlsplit(http.path)
        length = int(http.headers.get("Content-Length") or 0)
        raw = http.rfile.read(length) if length else b""
        if not url.path.startswith("/api/"):
            return self.file(http, url.path)
        path = [urllib.parse.unquote(part) for part in url.path.split("/")[3:]]
        query = dict(urllib.parse.parse_qsl(url.query))
        body = json.loads(raw) if raw and "json" in http.headers.get("Content-Type", "") else {}
        self.calls.append((http.command, path, body, dict(http.headers)))
        for pattern, failure in list(self.failing.items()):
            if re.search(pattern, f"{http.command} {url.path}"):
                if failure == "cut":
                    http.close_connection = True
                    return http.connection.shutdown(2)
                return self.reply(http, failure[0], {"error": failure[1]})
        if path[0] == "files":
            kind, data = self.files.get(path[1], (None, None))
            return self.data(http, kind, data) if kind else self.reply(http, 404, {"error": {"code": "not-found", "message": "no such file", "retryable": False}})
        if path == ["events"]:
            return self.stream(http, int(query.get("cursor") or self.cursor))
        with self.lock:
            status, value = self.call(http.command, path, query, body, http.headers, raw)
        return self.reply(http, status, value)

    def reply(self, http, status, value):
        data = json.dumps(value).encode()
        http.send_response(status)
        http.send_header("Content-Type", "application/json")
        http.send_header("Cache-Control", "no-store")
        http.send_header("Content-Length", str(len(data)))
        http.end_headers()
        http.wfile.write(data)

    @staticmethod
    def data(http, kind, data):
        http.send_response(200)
        http.send_header("Content-Type", kind)
        http.send_header("Content-Length", str(len(data)))
        http.end_headers()
        http.wfile.write(data)

    def file(self, http, path):
        name = path.strip("/") or "index.html"
        file = WEB / name
        if self.collects_faults and name == "index.html":
            return self.send(http, file, file.read_bytes().replace(b"<head>", b'<head><script src="/collector.js"></script>'))
        if self.collects_faults and name == "collector.js":
            return self.send(http, WEB / "app/main.js", COLLECTOR.encode())
        if ".." in name or not file.is_file():
            return self.reply(http, 404, {})
        return self.send(http, file, file.read_bytes())

    @staticmethod
    def send(http, file, data):
        http.send_response(200)
        http.send_header("Content-Type", TYPES.get(file.suffix, "application/octet-stream"))
        http.send_header("Content-Security-Policy", POLICY)
        http.send_header("Cache-Control", "no-cache")
        http.send_header("Content-Length", str(len(data)))
        http.end_headers()
        http.wfile.write(data)

    def stream(self, http, since):
        if not self.signed_in:
            return self.reply(http, 401, {"error": {"code": "signed-out", "message": "signed out", "retryable": False}})
        events = queue.Queue()
        with self.lock:
            for event in self.log:
                if int(event["cursor"]) > since:
                    events.put(event)
            self.streams.append(events)
        http.send_response(200)
        http.send_header("Content-Type", "text/event-stream")
        http.send_header("Connection", "close")
        http.end_headers()
        try:
            http.wfile.write(b'data: {"type":"live"}\n\n')
            http.wfile.flush()
            while True:
                try:
                    event = events.get(timeout=5)
                except queue.Empty:
                    http.wfile.write(b": still here\n\n")
                    http.wfile.flush()
                    continue
                if event is None:
                    break
                identifier = f"id: {event['cursor']}\n" if "cursor" in event else ""
                http.wfile.write(f"{identifier}data: {json.dumps(event)}\n\n".encode())
                http.wfile.flush()
        except OSError:
            pass
        finally:
            with self.lock:
                self.streams.remove(events)
            http.close_connection = True

    def call(self, method, path, query, body, headers, raw=b""):
        where = " ".join([method, *path[:1]])
        if where == "GET hello":
            return 200, {"product": "apus", "version": "0.1", "signed_in": self.signed_in,
                         "needs_password": self.needs_password, "secure": False}
        session = {"session": self.sessions[0], "token": "the-token"}
        if where == "POST pair":
            if body.get("code") != self.code:
                return 403, {"error": {"code": "forbidden", "message": "wrong code", "retryable": False}}
            self.signed_in = True
            return 201, session
        if not self.signed_in:
            return 401, {"error": {"code": "signed-out", "message": "signed out", "retryable": False}}
        if method != "GET" and (headers.get("X-Apus-Token") != "the-token" or not headers.get("Idempotency-Key")):
            return 403, {"error": {"code": "forbidden", "message": "no token or key", "retryable": False}}
        if where == "GET session":
            return 200, session
        if where == "DELETE session":
            self.signed_in = False
            return 200, {}
        if where == "GET sessions":
            return 200, {"sessions": self.sessions}
        if where == "DELETE sessions":
            self.sessions = [one for one in self.sessions if one["id"] != path[1]]
            return 200, {}
        if where == "POST pairings":
            return 201, {"url": f"{self.url}/#pair=abc", "code": "abc", "expires_at": self.now(minutes=-10),
                         "qr": {"size": 3, "path": "M0 0h1v1h-1z M2 0h1v1h-1z M1 1h1v1h-1z"}}
        if where == "GET status":
            return 200, {"profile": "default", "version": "0.1", "process": 1, "role": "serve", "accounts": self.accounts,
                         "unread": 0, "requests": len(self.requests), "cursor": str(self.cursor)}
        if where == "GET contacts" and path[-1] != "profile":
            return 200, {"contacts": self.contacts}
        if where == "POST contacts":
            return 201, self.contact(body["address"], body.get("name"), "unknown", subscription="none", asked=True)
        if where == "GET requests":
            return 200, {"requests": self.requests}
        if where == "POST requests":
            self.requests = [one for one in self.requests if one["address"] != path[2]]
            return 200, {}
        if where == "GET conversations" and len(path) == 1:
            return 200, {"conversations": self.conversations}
        if where == "GET outbox":
            return 200, {"messages": []}
        if path[0] == "conversations":
            return self.in_conversation(method, path[2], path[3] if len(path) > 3 else "", query, body, headers)
        if where == "POST resolve":
            return 200, {"account": self.me, "conversation": body["conversation"].removeprefix("xmpp:").split("?")[0]}
        if path[0] == "accounts" and path[-1] == "timeline":
            return 200, {"address": path[1], "summary": "connected after 2 steps", "entries": [
                {"time": self.now(minutes=12), "kind": "dns", "text": "looked up the server", "target": "chat.example:5222"},
                {"time": self.now(minutes=12), "kind": "online", "text": "logged in with SCRAM-SHA-256-PLUS"}]}
        if where == "POST doctor":
            return 200, {"address": body["address"], "checks": [
                {"name": "dns", "subject": "chat.example", "outcome": "fine", "text": "two servers are named"},
                {"name": "tls", "subject": "chat.example:5222", "outcome": "warning", "text": "the certificate ends in 5 days", "advice": "ask the owner to renew it"},
                {"name": "login", "outcome": "broken", "text": "the password was not accepted", "advice": "change the password in the settings"}]}
        if path[0] == "accounts" and path[-1] == "trust":
            return 200, {"system_roots": True, "authority_files": [], "pinned_certificates": [], "pinned_keys": []}
        if path[0] == "messages":
            return self.in_message(path[1], path[2], body)
        if path == ["push"]:
            if method == "GET":
                return 200, {"key": "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8", "subscribed": bool(self.push)}
            self.push = body if method == "PUT" else None
            return 200, {}
        if where == "POST uploads":
            identifier = f"u{len(self.uploads)}"
            kinds = {"jpg": "image/jpeg", "png": "image/png", "webm": "audio/webm", "ogg": "audio/ogg"}
            kind = kinds.get(query["name"].rsplit(".", 1)[-1], "application/octet-stream")
            self.uploads[identifier] = {"id": identifier, "name": query["name"], "size": int(headers["Content-Length"]), "type": kind}
            self.files[identifier] = (kind, raw)
            return 201, self.uploads[identifier]
        if where == "GET search":
            hits = [{"message": one, "ranges": [[one["body"].lower().index(query["q"].lower()), len(query["q"])]]}
                    for stored in self.messages.values() for one in stored if query["q"].lower() in one["body"].lower()]
            return 200, {"hits": hits[:int(query.get("limit", 20))]}
        if path[0] == "rooms":
            return self.in_room(method, path, query, body)
        if path == ["links"]:
            return 200, link(body["link"])
        if path == ["settings"]:
            self.settings.update(body)
            return 200, self.settings
        if path[0] == "accounts" and path[-1] == "invitations":
            return 201, {"account": self.me, "link": f"xmpp:{self.me}?roster;preauth=abc", "granted": True, "expires_at": self.now(days=-7),
                         "qr": {"size": 3, "path": "M0 0h1v1h-1z M2 0h1v1h-1z M1 1h1v1h-1z"}}
        if path == ["scan"]:
            return 200, {"text": self.scanned}
        if path[0] == "accounts" and path[-1] == "channels":
            return 200, {"channels": [one for one in self.channels if query.get("q", "").lower() in f"{one.get('name')} {one['address']}".lower()]}
        if path[0] == "accounts" and "blocked" in path:
            if method == "GET":
                return 200, {"addresses": self.blocked}
            self.blocked = [one for one in self.blocked if one != path[3]] + ([path[3]] if method == "PUT" else [])
            return 200, {"address": path[3], "reported": bool(body.get("report"))}
        if path[-1] == "profile":
            if method == "PUT":
                self.profile.update(body)
            return 200, self.profile
        if path[-1] == "form":
            return 200, self.form
        if path[0] == "avatars":
            return 404, {}
        if method != "GET":
            self.changes.append((method, path, body))
        return 200, {}

    def in_room(self, method, path, query, body):
        if method == "POST" and len(path) == 1:
            self.rooms["new@rooms.example"] = {"account": self.me, "room": "new@rooms.example", "kind": body["kind"], "name": body["name"], "nick": "Ana", "joined": True,
                                               "members": [{"nick": "Ana", "address": self.me, "affiliation": "owner", "role": "moderator", "online": True}]}
            return 201, self.conversation("new@rooms.example", [], body["name"], kind="room")
        room = self.rooms.get(path[2], {"account": self.me, "room": path[2], "members": [], "joined": False})
        self.changes.append((method, path, body))
        if path[-1] == "avatar":
            known = next(one for one in self.conversations if one["conversation"] == path[2])
            known["picture"] = f"abc{len(self.changes)}" if method == "PUT" else None
            self.emit({"type": "conversation", "conversation": known})
            return 200, {}
        if method == "PUT":
            room["joined"] = True
            known = next((one for one in self.conversations if one["conversation"] == path[2]), None)
            if known:
                known["room"] = {"state": "joined", "wanted": True}
            return 200, known or self.conversation(path[2], [("in", "Welcome", 0)], path[2].split("@")[0], kind="room")
        if method == "PATCH" and len(path) == 3:
            room.update(body)
        elif method == "PATCH":
            member = next(one for one in room["members"] if path[4] == one.get("nick" if "nick" in query else "address"))
            if body.get("role") == "none":
                room["members"].remove(member)
            else:
                member.update({name: value for name, value in body.items() if name != "reason"})
        elif method == "DELETE":
            self.conversations = [one for one in self.conversations if one["conversation"] != path[2]]
        return 200, room

    def in_message(self, identifier, what, body):
        message = next(one for stored in self.messages.values() for one in stored if one["id"] == identifier)
        if what == "reactions":
            others = [one for one in message.get("reactions", []) if not one["own"]]
            message["reactions"] = others + [{"emoji": one, "count": 1, "people": [self.me], "own": True} for one in body["reactions"]]
        elif what == "correction":
            message.update(body=body["body"], edited=self.now())
        elif what == "retraction":
            message.update(body="", retracted=self.now())
        elif what == "info":
            return 200, {"message": message, "revisions": [{"body": "an older text", "time": self.now(minutes=5)}],
                         "readers": [{"person": message["conversation"], "state": "displayed", "time": self.now(minutes=1)}]}
        self.emit({"type": "message-changed", "message": message})
        return 200, message

    def in_conversation(self, method, peer, what, query, body, headers):
        stored = self.messages.setdefault(peer, [])
        known = next((one for one in self.conversations if one["conversation"] == peer), {})
        if what == "read":
            known["unread"] = 0
        if method == "PATCH":
            known.update(body)
            self.changes.append((peer, body))
            return 200, known
        if what == "media":
            end = next((i for i, one in enumerate(stored) if one["id"] == query.get("before")), len(stored))
            found = [one for one in stored[:end] if one.get("attachments") and not one.get("retracted")]
            return 200, {"messages": found[-3:][::-1]}
        if what == "messages" and method == "GET":
            if place := query.get("around") or query.get("after"):
                at = next((i for i, one in enumerate(stored) if one["id"] == place), None)
                if at is None:
                    return 404, {"error": {"code": "not-found", "message": "no such message", "retryable": False}}
                half = int(query.get("limit", 50)) // 2
                start, end = (max(0, at - half), at + half) if "around" in query else (at + 1, at + 1 + 2 * half)
                return 200, {"messages": stored[start:end], "has_older": start > 0, "has_newer": end < len(stored), "gaps": []}
            end = len(stored)
            if "before" in query:
                end = next((i for i, one in enumerate(stored) if one["id"] == query["before"]), 0)
            start = max(0, end - int(query.get("limit", 50)))
            page = stored[start:end]
            return 200, {"messages": page, "has_older": start > 0 or not stored and peer in self.end_gaps, "has_newer": end < len(stored),
                         "activities": self.activities.get(peer, []),
                         "gaps": [{"id": "g1", "before": one["id"]} for one in page if one.get("gap")] + [{"id": "g2"}] * (peer in self.end_gaps and "before" not in query)}
        if what == "messages":
            key = headers["Idempotency-Key"]
            if key in self.sends:
                return 200, {"message": self.sends[key], "repeated": True}
            message = self.make(peer, "out", body["body"], state="acknowledged", key=key)
            if body.get("attachments"):
                message["attachments"] = [self.uploads[one] for one in body["attachments"]]
            if answered := next((one for one in stored if one["id"] == body.get("reply_to")), None):
                message["reply"] = {"message": answered["id"], "sender": answered["sender"], "own": answered["direction"] == "outgoing", "body": answered["body"]}
            self.sends[key] = message
            stored.append(message)
            known.update(last=message, unread=0)
            self.emit({"type": "message", "message": message})
            return 201, {"message": message, "repeated": False}
        return 200, {}
