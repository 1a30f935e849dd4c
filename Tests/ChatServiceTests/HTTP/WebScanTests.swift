// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatTesting
import Foundation
import Testing

@testable import ChatService

@Suite struct WebScanTests {
    private static func post(
        _ fixture: WebFixture, _ browser: WebFixture.Browser, _ type: String = "image/png", _ body: String = "photo"
    ) async throws -> WebPeer.Reply {
        try await fixture.request(
            [
                "POST /api/v1/scan HTTP/1.1", "Host: \(fixture.host)", "Idempotency-Key: k", "Content-Type: \(type)",
                "Content-Length: \(body.utf8.count)",
            ] + browser.credentials, body)
    }

    @Test("A photo is read by another program from a file, which is gone then")
    func scan() async throws {
        try await WebFixture.with { options in
            options.scanner = { path in
                let text = try? String(contentsOfFile: path, encoding: .utf8)
                return text == "photo" ? "xmpp:a@b" : nil
            }
        } _: { fixture in
            let browser = try await fixture.browser()
            let reply = try await Self.post(fixture, browser)
            #expect(reply.status == 200 && reply.body == #"{"text":"xmpp:a@b"}"#)
            #expect(try await Self.post(fixture, browser, "image/jpeg", "other").body == "{}")
            #expect(try await Self.post(fixture, browser, "image/svg+xml").status == 400)
            #expect(try await Self.post(fixture, browser, "application/octet-stream").status == 400)
            let folder = fixture.directory.path + "/web/uploads"
            while try !FileManager.default.contentsOfDirectory(atPath: folder).isEmpty { await Task.yield() }
        }
    }

    @Test("Without that program it says so")
    func missing() async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            #expect(try await Self.post(fixture, browser).status == 501)
        }
    }
}
