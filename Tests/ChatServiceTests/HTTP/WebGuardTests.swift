// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import ChatService
import ChatTesting
import Foundation
import Testing

/// What a hostile page, another user of the machine or a program on the way can try (1.11 of the cases).
@Suite struct WebGuardTests {
    private static let targets = [
        "/", "/app/main.js", "/nothing.js", "/api/v1/hello", "/api/v1/status", "/api/v1/events",
    ]

    @Test("T159 a foreign name in Host is refused on every route, static files too", arguments: targets)
    func rebinding(_ target: String) async throws {
        try await WebFixture.with { fixture in
            let port = fixture.port
            let browser = try await fixture.browser()
            for host in [
                "evil.example:\(port)", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:\(port).evil.example", "localhost.",
            ] {
                let reply = try await fixture.request([
                    "GET \(target) HTTP/1.1", "Host: \(host)", "Cookie: \(browser.cookie)",
                ])
                #expect(reply.status == 403, "\(host)")
            }
            for host in ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)", "LOCALHOST:\(port)"] {
                let reply = try await fixture.request(["HEAD / HTTP/1.1", "Host: \(host)", "Connection: close"])
                #expect(reply.status == 200, "\(host)")
            }
            #expect(fixture.core.calls.isEmpty)
        }
    }

    @Test("T159 names that were configured are answered to, with and without their proxy's TLS")
    func configured() async throws {
        try await WebFixture.with { options in
            options.origins = [try WebOrigins.origin("https://chat.example.org")]
        } _: { fixture in
            #expect(try await fixture.request(["GET / HTTP/1.1", "Host: chat.example.org"]).status == 200)
            #expect(try await fixture.request(["GET / HTTP/1.1", "Host: chat.example.org:80"]).status == 403)
            let code = try await fixture.runner.makeCode().code
            let body = #"{"code":"\#(code)"}"#
            let reply = try await fixture.request(
                [
                    "POST /api/v1/pair HTTP/1.1", "Host: chat.example.org", "Origin: https://chat.example.org",
                    "X-Apus-Token: pair", "Content-Type: application/json", "Content-Length: \(body.utf8.count)",
                ], body)
            #expect(reply.status == 201)
            #expect(reply.headers["set-cookie"]?.hasPrefix("__Host-apus=") == true)
            #expect(reply.headers["set-cookie"]?.contains("; Secure") == true)
        }
    }

    @Test("T161 a stream of events needs a session, and a foreign or null Origin gets none even with one")
    func streams() async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            #expect(try await fixture.get("/api/v1/events").status == 401)
            #expect(try await fixture.get("/api/v1/events", "Origin: http://\(fixture.host)").status == 401)
            for origin in ["http://evil.example", "null", "https://\(fixture.host)", "http://127.0.0.1:1"] {
                #expect(try await browser.get("/api/v1/events", "Origin: \(origin)").status == 403, "\(origin)")
            }
            for site in ["cross-site", "same-site"] {
                #expect(try await browser.get("/api/v1/events", "Sec-Fetch-Site: \(site)").status == 403, "\(site)")
            }
            let peer = try WebPeer(port: fixture.port)
            await peer.write(
                "GET /api/v1/events HTTP/1.1\r\nHost: \(fixture.host)\r\nCookie: \(browser.cookie)\r\n\r\n")
            #expect(await peer.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test("T162 a write without the token, without JSON, or from another site does nothing")
    func crossSite() async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            let body = #"{"address":"bo@example.org"}"#
            let length = "Content-Length: \(body.utf8.count)"
            let json = "Content-Type: application/json"
            let token = "X-Apus-Token: \(browser.token)"
            let key = "Idempotency-Key: k"
            let cookie = "Cookie: \(browser.cookie)"
            func post(_ headers: [String]) async throws -> Int {
                try await fixture.request(
                    ["POST /api/v1/contacts HTTP/1.1", "Host: \(fixture.host)", length, cookie] + headers, body
                ).status
            }
            #expect(try await post([json, key]) == 403)
            #expect(try await post([json, key, "X-Apus-Token: pair"]) == 403)
            #expect(try await post([json, key, token + "x"]) == 403)
            #expect(try await post(["Content-Type: text/plain", key, token]) == 400)
            #expect(try await post(["Content-Type: application/x-www-form-urlencoded", key, token]) == 400)
            #expect(try await post([key, token]) == 400)
            #expect(try await post([json, key, token, "Sec-Fetch-Site: cross-site"]) == 403)
            #expect(try await post([json, key, token, "Sec-Fetch-Site: none"]) == 403)
            #expect(try await post([json, key, token, "Origin: http://evil.example"]) == 403)
            #expect(try await post([json, token]) == 400)
            #expect(try await post([json, token, "Idempotency-Key: a b"]) == 400)
            #expect(fixture.core.calls.isEmpty)
            #expect(
                try await post([json, key, token, "Origin: http://\(fixture.host)", "Sec-Fetch-Site: same-origin"])
                    == 201)
            #expect(fixture.core.calls == ["addContact bo@example.org"])
        }
    }

    @Test("T162 reading changes nothing: a GET on a path that writes is refused")
    func getters() async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            for target in ["/api/v1/pair", "/api/v1/resolve", "/api/v1/accounts/register", "/api/v1/outbox/1"] {
                let reply = try await browser.get(target)
                #expect([404, 405].contains(reply.status), "\(target)")
            }
            #expect(fixture.core.calls.isEmpty)
        }
    }

    @Test("T164 being on this machine is no login: every operation but two wants a session")
    func otherUsers() async throws {
        try await WebFixture.with { fixture in
            for target in [
                "status", "accounts", "conversations", "contacts", "requests", "outbox", "sessions", "session",
            ] {
                let plain = try await fixture.get("/api/v1/\(target)")
                #expect(plain.status == 401, "\(target)")
                #expect(plain.body.contains("signed-out"))
                let forged = try await fixture.get(
                    "/api/v1/\(target)", "Cookie: apus-\(fixture.port)=\(WebSecret.session())")
                #expect(forged.status == 401)
            }
            #expect(fixture.core.calls.isEmpty)
            let browser = try await fixture.browser()
            #expect(try await browser.get("/api/v1/status").status == 200)
        }
    }

    @Test("T164 secrets are stored as digests, in files that only their owner can read")
    func stored() async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            let code = try await fixture.runner.makeCode().code
            let folder = fixture.directory.path + "/web"
            let text = try String(contentsOfFile: folder + "/access.json", encoding: .utf8)
            let secret = try #require(browser.cookie.split(separator: "=").last)
            #expect(!text.contains(secret) && !text.contains(browser.token))
            #expect(!text.contains(code) && !text.contains(WebSecret.normalized(code: code)))
            #expect(TemporaryDirectory.mode(folder) == 0o700)
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                #expect(TemporaryDirectory.mode(folder + "/" + name) == (name == "uploads" ? 0o700 : 0o600), "\(name)")
            }
        }
    }

    @Test("T165 a port that is taken is an error, and no other port is taken instead")
    func impostor() async throws {
        try await WebFixture.with { first in
            let port = first.port
            let directory = try TemporaryDirectory()
            await #expect(throws: ChatAPIError.self) {
                _ = try await WebRunner.start(
                    WebRunner.Options(port: port, version: "9"), client: FakeChatClient(), directory: directory.path)
            }
            #expect(WebRunner.running(directory: directory.path) == nil)
        }
    }

    @Test("T165 a link is only made for a service that holds its lock")
    func onlyOurs() async throws {
        let fixture = try await WebFixture()
        #expect(WebRunner.running(directory: fixture.directory.path)?.text == "http://\(fixture.host)")
        await fixture.runner.stop()
        #expect(WebRunner.running(directory: fixture.directory.path) == nil)
        try await WebFixture.with { running in
            await #expect(throws: ChatAPIError.self) {
                _ = try await WebRunner.start(
                    WebRunner.Options(port: 0, version: "9"), client: FakeChatClient(),
                    directory: running.directory.path)
            }
        }
    }

    @Test("T166 the code stands in the fragment, is good once, and no reply lets an address out")
    func links() async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            let made = try await browser.write("POST", "/api/v1/pairings")
            #expect(made.status == 201)
            let object = try JSONSerialization.jsonObject(with: Data(made.body.utf8)) as? [String: Any]
            let code = try #require(object?["code"] as? String)
            #expect(object?["url"] as? String == "http://\(fixture.host)/#pair=\(code)")
            #expect(
                try await fixture.pair(code: code.lowercased().replacingOccurrences(of: "-", with: " ")).status == 201)
            #expect(try await fixture.pair(code: code).status == 403)
            for target in ["/", "/app/main.js", "/api/v1/hello", "/none.js"] {
                #expect(try await fixture.get(target).headers["referrer-policy"] == "no-referrer", "\(target)")
            }
            let cookie = try await fixture.pair().headers["set-cookie"] ?? ""
            #expect(
                cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Strict") && cookie.contains("; Path=/"))
        }
    }

    @Test("T167 T170 every reply forbids inline script, frames, sniffing and foreign readers", arguments: targets)
    func safeguards(_ target: String) async throws {
        try await WebFixture.with { fixture in
            let reply = try await fixture.get(target)
            let policy = reply.headers["content-security-policy"] ?? ""
            #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
            #expect(!policy.contains("unsafe") && !policy.contains("http") && !policy.contains("*"))
            if target.hasPrefix("/api") || target == "/nothing.js" {
                #expect(policy.contains("; sandbox"))
            } else {
                #expect(policy.contains("require-trusted-types-for 'script'; trusted-types apus"))
            }
            #expect(reply.headers["x-content-type-options"] == "nosniff")
            #expect(reply.headers["x-frame-options"] == "DENY")
            #expect(reply.headers["cross-origin-opener-policy"] == "same-origin")
            #expect(reply.headers["cross-origin-resource-policy"] == "same-origin")
            #expect(reply.headers["access-control-allow-origin"] == nil)
        }
    }

    @Test("T174 data is never kept by a cache, and files of the app are asked for again")
    func caches() async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            for target in ["status", "conversations", "session", "conversations/a/b/messages"] {
                #expect(try await browser.get("/api/v1/\(target)").headers["cache-control"] == "no-store", "\(target)")
            }
            #expect(try await fixture.get("/api/v1/status").headers["cache-control"] == "no-store")
            let file = try await fixture.get("/app/main.js")
            #expect(file.headers["cache-control"] == "no-cache")
            let tag = try #require(file.headers["etag"])
            let again = try await fixture.get("/app/main.js", "If-None-Match: \(tag)")
            #expect(again.status == 304 && again.body.isEmpty)
        }
    }

    @Test("T172 the same key writes once, also after a restart, and another request cannot take it over")
    func keys() async throws {
        let core = FakeChatClient()
        let fixture = try await WebFixture(core: core)
        let browser = try await fixture.browser()
        let body = #"{"address":"bo@example.org"}"#
        let first = try await browser.write("POST", "/api/v1/contacts", body, key: "one")
        let second = try await browser.write("POST", "/api/v1/contacts", body, key: "one")
        #expect(first.status == 201 && second.status == 201 && first.body == second.body)
        #expect(second.headers["idempotency-replayed"] == "true")
        #expect(try await browser.write("POST", "/api/v1/contacts", #"{"address":"x@y"}"#, key: "one").status == 422)
        await fixture.runner.stop()
        var options = WebRunner.Options(port: fixture.port, version: "9")
        options.root = fixture.runner.hasFiles ? fixture.directory.path + "/files" : nil
        let restarted = try await WebRunner.start(options, client: core, directory: fixture.directory.path)
        let third = try await browser.write("POST", "/api/v1/contacts", body, key: "one")
        await restarted.stop()
        #expect(third.status == 201 && third.body == first.body)
        #expect(core.calls == ["addContact bo@example.org"])
    }

    @Test("T172 a message that is posted twice is sent once")
    func messages() async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            let target = "/api/v1/conversations/ana%40example.org/bo%40example.org/messages"
            let first = try await browser.write("POST", target, #"{"body":"hi"}"#, key: "m")
            let second = try await browser.write("POST", target, #"{"body":"hi"}"#, key: "m")
            #expect(first.status == 201 && second.status == 200)
            #expect(second.body.contains(#""repeated":true"#))
            #expect(fixture.core.state.withLock { $0.sent.map(\.key) } == ["m"])
        }
    }
}
