# SPDX-License-Identifier: Apache-2.0
"""A browser's part of the demonstration without a browser: plain HTTP to `apus serve`, as a page would speak it."""

import http.client
import json
import re
import uuid
from urllib.parse import quote, urlparse

from harness import Failure


class Page:
    """One signed-in page."""

    def __init__(self, url):
        parts = urlparse(url)
        self.host, self.code = parts.netloc, parts.fragment.removeprefix("pair=")
        self.cookie = self.token = None

    def ask(self, method, path, body=None, headers=()):
        connection = http.client.HTTPConnection(self.host, timeout=20)
        sent = {"Origin": f"http://{self.host}", "Sec-Fetch-Site": "same-origin", **dict(headers)}
        if method == "GET":
            del sent["Origin"]
        if self.cookie:
            sent["Cookie"] = self.cookie
        if body is not None:
            sent["Content-Type"] = "application/json"
        if self.token and method != "GET":
            sent.update({"X-Apus-Token": self.token, "Idempotency-Key": str(uuid.uuid4())})
        connection.request(method, path, json.dumps(body) if body is not None else None, sent)
        return connection, connection.getresponse()

    def call(self, method, path, body=None, headers=(), expected=(200, 201)):
        connection, reply = self.ask(method, path, body, headers)
        text = reply.read()
        connection.close()
        if reply.status not in expected:
            raise Failure(f"{method} {path}: {reply.status} {text[:200].decode(errors='replace')}")
        return reply, text

    def api(self, method, path, body=None, headers=()):
        return json.loads(self.call(method, "/api/v1" + path, body, headers)[1])

    def load(self):
        """The page with what it loads at once: how many files, how many bytes, and its title."""
        reply, page = self.call("GET", "/")
        policy = reply.getheader("Content-Security-Policy") or ""
        if "default-src 'none'" not in policy or "unsafe" in policy:
            raise Failure(f"the page's policy is {policy!r}")
        text = page.decode()
        wanted = re.findall(r'<(?:script|link)[^>]+(?:src|href)="(/?[^":]+)"', text)
        total = len(page)
        for path in wanted:
            total += len(self.call("GET", "/" + path.lstrip("/"))[1])
        title = re.search(r"<title>([^<]*)", text)
        return 1 + len(wanted), total, title[1] if title else ""

    def pair(self):
        connection, reply = self.ask(
            "POST", "/api/v1/pair", {"code": self.code, "label": "the demonstration"}, {"X-Apus-Token": "pair"})
        text = reply.read()
        connection.close()
        if reply.status != 201:
            raise Failure(f"signing in: {reply.status} {text[:200].decode(errors='replace')}")
        self.cookie = reply.getheader("Set-Cookie").split(";")[0]
        self.token = json.loads(text)["token"]
        self.call("POST", "/api/v1/pair", {"code": self.code}, {"X-Apus-Token": "pair"}, expected=(403,))

    def send(self, account, to, text):
        return self.api("POST", f"/conversations/{quote(account, '')}/{quote(to, '')}/messages", {"body": text})

    def history(self, account, to):
        return self.api("GET", f"/conversations/{quote(account, '')}/{quote(to, '')}/messages?limit=100")["messages"]

    def file(self, message, index):
        """The type and the bytes of a file that is here, whole and in a part."""
        path = f"/api/v1/files/{message}/{index}"
        reply, whole = self.call("GET", path)
        part_reply, part = self.call("GET", path, headers={"Range": "bytes=1-9"}, expected=(206,))
        if part != whole[1:10] or not part_reply.getheader("Content-Range", "").startswith("bytes 1-9/"):
            raise Failure(f"{path}: a part of it is not a part of it")
        policy = reply.getheader("Content-Security-Policy") or ""
        if reply.getheader("X-Content-Type-Options") != "nosniff" or "sandbox" not in policy:
            raise Failure(f"{path}: it could be taken for a page")
        return reply.getheader("Content-Type"), len(whole)

    def events(self, cursor):
        """Events after a cursor, as they come."""
        _, reply = self.ask("GET", f"/api/v1/events?cursor={cursor}", headers={"Accept": "text/event-stream"})
        if reply.status != 200:
            raise Failure(f"the stream of events: {reply.status}")
        for line in reply:
            if line.startswith(b"data: "):
                yield json.loads(line[6:])
