// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import ChatTesting
import Foundation
import Testing

@testable import ChatService

/// Files of messages on their way to and from a browser.
@Suite struct WebMediaTests {
    private static func with(
        _ type: String, _ content: String = "0123456789", _ body: (WebFixture, WebFixture.Browser) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let path = directory.path + "/file"
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        let core = FakeChatClient()
        core.set { state in
            state.localFile = LocalFileItem(
                path: path, name: "é \"x\".html", type: type, size: Int64(content.utf8.count), thumbnail: path)
        }
        try await WebFixture.with(core: core) { fixture in try await body(fixture, try await fixture.browser()) }
    }

    @Test("A picture is given whole, in parts, or not again")
    func ranges() async throws {
        try await Self.with("image/png") { fixture, browser in
            let whole = try await browser.get("/api/v1/files/7/0")
            #expect(whole.status == 200 && whole.body == "0123456789" && whole.headers["content-type"] == "image/png")
            #expect(whole.headers["content-disposition"]?.hasPrefix("inline; filename=\"_ _x_.html\"") == true)
            #expect(whole.headers["accept-ranges"] == "bytes")
            let part = try await browser.get("/api/v1/files/7/0", "Range: bytes=2-4")
            #expect(part.status == 206 && part.body == "234" && part.headers["content-range"] == "bytes 2-4/10")
            #expect(try await browser.get("/api/v1/files/7/0", "Range: bytes=10-").status == 416)
            let tag = try #require(whole.headers["etag"])
            #expect(try await browser.get("/api/v1/files/7/0", "If-None-Match: \(tag)").status == 304)
            let other = try await browser.get("/api/v1/files/7/0", "Range: bytes=2-4", "If-Range: \"x\"")
            #expect(other.status == 200 && other.body == "0123456789")
            #expect(whole.headers["cache-control"] == "private, no-cache")
            #expect(try await fixture.get("/api/v1/files/7/0").status == 401)
            #expect(try await browser.get("/api/v1/files/7/x").status == 404)
        }
    }

    @Test(
        "T169 a file that could run is only saved, under a policy that lets it do nothing",
        arguments: ["text/html", "image/svg+xml", "application/xhtml+xml", "application/pdf", "text/xml", ""])
    func active(_ type: String) async throws {
        try await Self.with(type, "<script>alert(1)</script>") { _, browser in
            for target in ["/api/v1/files/7/0", "/api/v1/files/7/0?size=full", "/api/v1/files/7/0?download=true"] {
                let reply = try await browser.get(target)
                #expect(reply.status == 200 && reply.headers["content-type"] == "application/octet-stream")
                #expect(reply.headers["content-disposition"]?.hasPrefix("attachment; filename=") == true)
                #expect(reply.headers["x-content-type-options"] == "nosniff")
                #expect(reply.headers["content-security-policy"]?.hasPrefix("default-src 'none'; sandbox") == true)
            }
            // What is said to be a small picture and is none is not shown either.
            let small = try await browser.get("/api/v1/files/7/0?size=thumbnail")
            #expect(small.headers["content-type"] == "application/octet-stream")
            #expect(try await browser.get("/api/v1/files/7/0?size=huge").status == 400)
        }
    }

    @Test("T149 a small picture is never fetched, a file only when it is opened")
    func looking() async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            #expect(try await browser.get("/api/v1/files/7/0?size=thumbnail").status == 404)
            #expect(fixture.core.calls == ["fetchFile 7 0 local"])
            #expect(try await browser.get("/api/v1/files/7/1").status == 404)
            #expect(fixture.core.calls.last == "fetchFile 7 1")
        }
    }

    @Test("T182 a link in the place of a file is not followed")
    func links() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let path = directory.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/passwd")
        let core = FakeChatClient()
        core.set { $0.localFile = LocalFileItem(path: path, name: "x", type: "image/png", size: 1) }
        try await WebFixture.with(core: core) { fixture in
            let browser = try await fixture.browser()
            #expect(try await browser.get("/api/v1/files/7/0").status == 404)
        }
    }

    @Test("T172 a message with files is sent once for one key, one for each file, and the files go with it")
    func send() async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            var ids: [String] = []
            for name in ["a.png", "b.png"] {
                ids.append(try WebFixture.member("id", try await browser.upload(name, name).body))
            }
            let target = "/api/v1/conversations/a%40b/c%40d/messages"
            let body = #"{"body":"look","attachments":["\#(ids[0])","\#(ids[1])"]}"#
            let first = try await browser.write("POST", target, body, key: "k")
            #expect(first.status == 201 && first.body.contains(#""name":"a.png""#))
            #expect(fixture.core.state.withLock { $0.sent.map(\.key) } == ["k", "k~1"])
            #expect(fixture.core.state.withLock { $0.sent.map(\.body) } == ["look", ""])
            let folder = fixture.directory.path + "/web/uploads"
            #expect(fixture.core.calls.first == "sendFile \(folder)/\(ids[0])")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
            let second = try await browser.write("POST", target, body, key: "k")
            #expect(second.status == 200 && second.body.contains(#""repeated":true"#))
            #expect(fixture.core.state.withLock { $0.sent.count } == 2)
            for wrong in ["../../access.json", "a/b", "", String(repeating: "x", count: 65)] {
                let refused = try await browser.write("POST", target, #"{"body":"","attachments":["\#(wrong)"]}"#)
                #expect(refused.status == 400, "\(wrong)")
            }
            #expect(fixture.core.state.withLock { $0.sent.count } == 2)
        }
    }

    @Test("An account's way with files changes in what is given alone")
    func settings() async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            let reply = try await browser.write(
                "PATCH", "/api/v1/accounts/a%40b/media", #"{"hosts":["h"],"server":""}"#)
            #expect(reply.status == 200 && reply.body.contains(#""hosts":["h"]"#))
            #expect(reply.body.contains(#""fetches_up_to":5242880"#))
        }
    }
}
