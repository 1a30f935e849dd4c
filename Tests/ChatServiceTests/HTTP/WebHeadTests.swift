// SPDX-License-Identifier: Apache-2.0
import ChatService
import Testing

@Suite struct WebHeadTests {
    private static func raw(_ target: String, _ headers: [(String, String)] = [("Host", "h")]) -> WebHead.Raw {
        var raw = WebHead.Raw(method: "GET", target: Array(target.utf8), version: "HTTP/1.1")
        raw.headers = headers.map { (name: Array($0.0.utf8), value: Array($0.1.utf8)) }
        return raw
    }

    private static func post(_ headers: [(String, String)]) -> WebHead.Raw {
        var raw = raw("/x", [("Host", "h")] + headers)
        raw.method = "POST"
        return raw
    }

    private static func status(_ raw: WebHead.Raw) -> Int {
        do throws(WebRefusal) {
            _ = try WebHead(raw)
            return 0
        } catch {
            return error.status
        }
    }

    @Test("Segments are cut before they are decoded, so that an encoded slash stays inside one")
    func segments() throws {
        let head = try WebHead(Self.raw("/a%2Fb/c%40d/?x=1+2&y=%2B&z"))
        #expect(head.path == ["a/b", "c@d"])
        #expect(head.query == ["x": "1 2", "y": "+", "z": ""])
        #expect(try WebHead(Self.raw("/")).path == [])
    }

    @Test(
        "T171 a path that steps up, is empty in the middle, or is no valid UTF-8 is refused",
        arguments: [
            "/..", "/a/../b", "/%2e%2e", "/%2E./x", "/a//b", "//evil", "/a/./b", "/%00", "/%c3%28", "/%ff", "/%", "/%4",
            "/%zz", "/a%0d%0ab", "/\\..", "*", "http://h/x", "h:80", "", "/a b", "/#x", "/é",
        ])
    func paths(_ target: String) {
        #expect(Self.status(Self.raw(target)) == 400)
    }

    @Test("T171 an encoded step up that hides in one segment is only a name")
    func hidden() throws {
        #expect(try WebHead(Self.raw("/..%2f..%2fetc")).path == ["../../etc"])
    }

    @Test("T171 two lengths, a length and a coding, and other codings are refused")
    func smuggling() {
        #expect(Self.status(Self.post([("Content-Length", "3"), ("Content-Length", "3")])) == 400)
        #expect(Self.status(Self.post([("Content-Length", "3"), ("Transfer-Encoding", "chunked")])) == 400)
        #expect(Self.status(Self.post([("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")])) == 400)
        #expect(Self.status(Self.post([("Transfer-Encoding", "gzip, chunked")])) == 501)
        #expect(Self.status(Self.post([("Transfer-Encoding", "xchunked")])) == 501)
        for length in ["+3", "-1", "0x3", "3, 3", "", "٣"] {
            #expect(Self.status(Self.post([("Content-Length", length)])) == 400, "\(length)")
        }
        #expect(Self.status(Self.post([("Content-Length", "99999999999999999999")])) == 413)
        #expect(Self.status(Self.post([("Transfer-Encoding", "chunked")])) == 0)
        #expect(Self.status(Self.raw("/", [("Host", "h"), ("Content-Length", "1")])) == 400)
    }

    @Test("T171 a request has exactly one Host, in every version of HTTP")
    func hosts() {
        #expect(Self.status(Self.raw("/", [])) == 400)
        #expect(Self.status(Self.raw("/", [("Host", "a"), ("Host", "a")])) == 400)
        #expect(Self.status(Self.raw("/", [("Host", "")])) == 400)
        var old = Self.raw("/", [])
        old.version = "HTTP/1.0"
        #expect(Self.status(old) == 400)
        old.version = "HTTP/2.0"
        #expect(Self.status(old) == 505)
    }

    @Test("T171 a line that ends with a bare line feed makes the head too short for its lines")
    func lineEnds() {
        var raw = Self.raw("/", [("Host", "h"), ("A", "b")])
        // GET / HTTP/1.1, Host: h, A: b, and the empty line.
        raw.size = 16 + 9 + 6 + 2
        #expect(Self.status(raw) == 0)
        raw.size -= 1
        #expect(Self.status(raw) == 400)
    }

    @Test(
        "T171 methods that nobody needs are not served",
        arguments: ["TRACE", "CONNECT", "OPTIONS", "get", "PROPFIND", ""])
    func methods(_ method: String) {
        var raw = Self.raw("/")
        raw.method = method
        #expect(Self.status(raw) == 501)
    }

    @Test("T171 header names are tokens, values have no control characters, and there are not too many")
    func headers() {
        #expect(Self.status(Self.raw("/", [("Host", "h"), ("A b", "c")])) == 400)
        #expect(Self.status(Self.raw("/", [("Host", "h"), ("", "c")])) == 400)
        #expect(Self.status(Self.raw("/", [("Host", "h"), ("A", "b\u{1}")])) == 400)
        #expect(Self.status(Self.raw("/", [("Host", "h"), ("Upgrade", "h2c")])) == 400)
        let many = (0..<WebHead.headerLimit).map { ("A\($0)", "b") }
        #expect(Self.status(Self.raw("/", [("Host", "h")] + many)) == 431)
    }

    @Test("A cookie is read by its whole name, and one that came twice is none")
    func cookies() throws {
        let head = try WebHead(Self.raw("/", [("Host", "h"), ("Cookie", "xapus=1; apus=2;apus-1=3")]))
        #expect(head.cookie("apus") == "2")
        #expect(head.cookie("apus-1") == "3")
        #expect(head.cookie("us") == nil)
        #expect(try WebHead(Self.raw("/", [("Host", "h"), ("Cookie", "a=1"), ("Cookie", "a=2")])).cookie("a") == nil)
    }

    @Test("A parameter that is given twice is refused")
    func parameters() {
        #expect(Self.status(Self.raw("/?a=1&a=2")) == 400)
        #expect(Self.status(Self.raw("/?a=1&b=%f")) == 400)
    }
}
