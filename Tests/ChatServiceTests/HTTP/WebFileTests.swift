// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatTesting
import Foundation
import Testing

@testable import ChatService

/// Bytes that others made, on their way to a browser.
@Suite struct WebFileTests {
    private static func core(_ type: String) -> FakeChatClient {
        let core = FakeChatClient()
        core.set { state in
            state.contacts = [ContactSummary(account: "a@b", address: "c@d", picture: "abc/\"1")]
            state.picture = PictureData(type: type, data: Data("<script>1</script>".utf8))
        }
        return core
    }

    @Test(
        "T154 T169 a picture that is a document is only saved, never shown",
        arguments: [
            "image/svg+xml", "text/html", "application/xhtml+xml", "IMAGE/SVG+XML; charset=utf-8", "application/pdf",
            "", "x",
        ])
    func documents(_ type: String) async throws {
        try await WebFixture.with(core: Self.core(type)) { fixture in
            let browser = try await fixture.browser()
            let reply = try await browser.get("/api/v1/avatars/a%40b/c%40d")
            #expect(reply.status == 200 && reply.headers["content-type"] == "application/octet-stream")
            #expect(reply.headers["content-disposition"] == "attachment")
            #expect(reply.headers["x-content-type-options"] == "nosniff")
            #expect(reply.headers["content-security-policy"]?.contains("sandbox") == true)
            #expect(reply.headers["content-security-policy"]?.contains("default-src 'none'") == true)
        }
    }

    @Test("A raster picture is shown, and asked for again by its tag")
    func picture() async throws {
        try await WebFixture.with(core: Self.core("image/png")) { fixture in
            let browser = try await fixture.browser()
            let reply = try await browser.get("/api/v1/avatars/a%40b/c%40d")
            #expect(reply.headers["content-type"] == "image/png" && reply.headers["content-disposition"] == "inline")
            #expect(reply.headers["cache-control"] == "private, no-cache" && reply.headers["etag"] == "\"abc1\"")
            #expect(try await browser.get("/api/v1/avatars/a%40b/c%40d", "If-None-Match: \"abc1\"").status == 304)
            #expect(try await browser.get("/api/v1/avatars/a%40b/x%40y").status == 404)
            #expect(try await fixture.get("/api/v1/avatars/a%40b/c%40d").status == 401)
        }
    }

    @Test(
        "A picture of oneself or of a room goes through as bytes, and nothing but a picture does",
        arguments: [("accounts/a%40b", "setPicture"), ("rooms/a%40b/r%40x", "setPicture r@x")])
    func upload(place: String, call: String) async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            func put(_ type: String, _ body: String = "\u{1}PNG", key: String) async throws -> Int {
                try await fixture.request(
                    [
                        "PUT /api/v1/\(place)/avatar HTTP/1.1", "Host: \(fixture.host)", "Idempotency-Key: \(key)",
                        "Content-Type: \(type)", "Content-Length: \(body.utf8.count)",
                    ] + browser.credentials, body
                ).status
            }
            #expect(try await put("image/png", key: "k") == 200)
            #expect(try await put("image/svg+xml", key: "l") == 400)
            #expect(try await put("application/json", key: "m") == 400)
            #expect(try await put("image/png", "", key: "n") == 413)
            #expect(fixture.core.calls == ["\(call) 4"])
        }
    }

    @Test("T169 an export is saved and not shown, with a name that cannot add a header, and leaves nothing behind")
    func export() async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            let reply = try await browser.get("/api/v1/conversations/a%40b/c%22%3bx%40%C3%A9/export?format=html")
            #expect(reply.status == 200 && reply.body == "<b>exported</b>")
            #expect(reply.headers["content-type"] == "application/octet-stream")
            #expect(
                reply.headers["content-disposition"]
                    == "attachment; filename=\"c_;x@_.html\"; filename*=UTF-8''c%22%3Bx%40%C3%A9.html")
            let left = try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path + "/web")
            #expect(!left.contains { $0.hasPrefix("export") })
            #expect(try await browser.get("/api/v1/conversations/a/b/export?format=exe").status == 400)
        }
    }

    @Test("What was found is marked in the whole text, counted as scripts count")
    func ranges() {
        var message = FakeChatClient.incoming(1, "cat 👩‍👩‍👧 a cat, and one more cat at the end")
        let hit = SearchHit(
            message: message,
            excerpt: [
                .init(text: "… a ", isMatch: false), .init(text: "cat", isMatch: true),
                .init(text: ", and one more ", isMatch: false), .init(text: "cat", isMatch: true),
                .init(text: " at…", isMatch: false),
            ])
        #expect(HitsReply.ranges(hit) == [[15, 3], [33, 3]])
        message.body = ""
        #expect(HitsReply.ranges(SearchHit(message: message, excerpt: hit.excerpt)) == [])
    }
}
