// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatService
import ChatTesting
import Foundation
import Testing

@Suite struct WebServerTests {
    @Test("T171 what can be read in two ways is refused and the connection closed")
    func smuggling() async throws {
        try await WebFixture.with { fixture in
            let inner = "GET /api/v1/hello HTTP/1.1\r\nHost: \(fixture.host)\r\n\r\n"
            let start = "POST /api/v1/pair HTTP/1.1\r\nHost: \(fixture.host)\r\n"
            for head in [
                "Content-Length: \(inner.utf8.count)\r\nTransfer-Encoding: chunked\r\n",
                "Content-Length: 0\r\nContent-Length: 5\r\n",
                "Transfer-Encoding: identity\r\n", "Transfer-Encoding : chunked\r\n", "Host: other\r\n",
            ] {
                let peer = try WebPeer(port: fixture.port)
                await peer.write(start + head + "\r\n0\r\n\r\n" + inner)
                let reply = await peer.reply()
                #expect((400...501).contains(reply.status), "\(head)")
                let rest = try #require(await peer.rest(), "\(head)")
                #expect(!rest.contains("HTTP/1.1 200"), "\(head)")
            }
        }
    }

    @Test("T171 bare line feeds, other versions and absolute targets are refused")
    func lines() async throws {
        try await WebFixture.with { fixture in
            for text in [
                "GET / HTTP/1.1\nHost: \(fixture.host)\n\n", "GET / HTTP/1.1\r\nHost: \(fixture.host)\nA: b\r\n\r\n",
                "GET http://\(fixture.host)/ HTTP/1.1\r\nHost: \(fixture.host)\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
                "TRACE / HTTP/1.1\r\nHost: \(fixture.host)\r\n\r\n",
                "GET /%00 HTTP/1.1\r\nHost: \(fixture.host)\r\n\r\n",
                "GET /..%2foutside.txt/../../outside.txt HTTP/1.1\r\nHost: \(fixture.host)\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: \(fixture.host)\r\n A: folded\r\n\r\n",
            ] {
                let peer = try WebPeer(port: fixture.port)
                await peer.write(text)
                let reply = await peer.reply()
                #expect((400...501).contains(reply.status), "\(text)")
                #expect(!reply.body.contains("secret"))
            }
        }
    }

    @Test("T171 no path leads out of the folder of the web app")
    func traversal() async throws {
        try await WebFixture.with { fixture in
            let root = fixture.directory.path + "/files"
            try FileManager.default.createSymbolicLink(
                atPath: root + "/link.txt", withDestinationPath: "../outside.txt")
            for target in ["/..%2foutside.txt", "/app%2f..%2f..%2foutside.txt", "/link.txt", "/%2e%2e%2foutside.txt"] {
                let reply = try await fixture.get(target)
                #expect(reply.status == 404 && !reply.body.contains("secret"), "\(target)")
            }
        }
    }

    @Test("T171 a head that does not end, or comes a byte at a time, is cut off")
    func slowHead() async throws {
        try await WebFixture.with { options in
            options.server.headTime = .milliseconds(500)
        } _: { fixture in
            let peer = try WebPeer(port: fixture.port)
            await peer.write("GET / HTTP/1.1\r\nHost: \(fixture.host)\r\n")
            #expect(await peer.drip("A: b\r\n") == "")
        }
    }

    private static func postHead(_ fixture: WebFixture) -> String {
        "POST /api/v1/pair HTTP/1.1\r\nHost: \(fixture.host)\r\nX-Apus-Token: pair\r\nContent-Type: application/json\r\n"
    }

    @Test("T171 a body that does not end is cut off")
    func slowBody() async throws {
        try await WebFixture.with { options in
            options.server.bodyTime = .milliseconds(500)
        } _: { fixture in
            let slow = try WebPeer(port: fixture.port)
            await slow.write(Self.postHead(fixture) + "Content-Length: 1000000\r\n\r\n{")
            #expect(await slow.drip(" ") == "")
        }
    }

    @Test("T171 a body that is too large is told so")
    func bodies() async throws {
        try await WebFixture.with { fixture in
            let head = Self.postHead(fixture)
            let large = try WebPeer(port: fixture.port)
            await large.write(head + "Content-Length: \(WebService.bodyLimit + 1)\r\n\r\n")
            #expect(await large.reply().status == 413)
            #expect(await large.rest() == "")
            let chunked = try WebPeer(port: fixture.port)
            await chunked.write(head + "Transfer-Encoding: chunked\r\n\r\n")
            let part = String(repeating: "x", count: 0x10000)
            for _ in 0...(WebService.bodyLimit / 0x10000) { await chunked.write("10000\r\n\(part)\r\n") }
            await chunked.write("0\r\n\r\n")
            #expect(await chunked.reply().status == 413)
        }
    }

    @Test("T171 a head that is too long gets 431")
    func longHead() async throws {
        try await WebFixture.with { fixture in
            let peer = try WebPeer(port: fixture.port)
            await peer.write(
                "GET / HTTP/1.1\r\nHost: \(fixture.host)\r\nA: \(String(repeating: "a", count: 100_000))\r\n\r\n")
            let reply = await peer.reply()
            #expect([431, 414, 413, 400].contains(reply.status))
        }
    }

    @Test("Many requests on one connection are answered in order")
    func pipelined() async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            let peer = try WebPeer(port: fixture.port)
            let one = "GET /api/v1/status HTTP/1.1\r\nHost: \(fixture.host)\r\nCookie: \(browser.cookie)\r\n\r\n"
            await peer.write(one + one + one)
            for _ in 0..<3 { #expect(await peer.reply().status == 200) }
        }
    }

    @Test("HEAD has the headers of GET and no body, and a range gives a part")
    func files() async throws {
        try await WebFixture.with { fixture in
            let peer = try WebPeer(port: fixture.port)
            await peer.write("HEAD /app/main.js HTTP/1.1\r\nHost: \(fixture.host)\r\nConnection: close\r\n\r\n")
            let head = await peer.rest() ?? ""
            #expect(head.contains("Content-Length: 22\r\n") && head.hasSuffix("\r\n\r\n"))
            #expect(head.contains("text/javascript"))
            let part = try await fixture.get("/app/main.js", "Range: bytes=7-11")
            #expect(part.status == 206 && part.body == "const" && part.headers["content-range"] == "bytes 7-11/22")
            #expect(try await fixture.get("/app/main.js", "Range: bytes=99-").status == 416)
            #expect(try await fixture.get("/app/main.js", "Range: bytes=0-1", "If-Range: \"old\"").status == 200)
            let page = try await fixture.get("/chat/ana%40example.org", "Sec-Fetch-Dest: document")
            #expect(page.status == 200 && page.body.contains("<title>Apus"))
            #expect(try await fixture.get("/missing.png").status == 404)
            let reply = try await fixture.request(["DELETE / HTTP/1.1", "Host: \(fixture.host)"])
            #expect(reply.status == 405 && reply.headers["allow"] == "GET, HEAD")
        }
    }

    @Test("Stopping answers what waits with 503, ends streams, and leaves nothing suspended")
    func stopping() async throws {
        let core = FakeChatClient()
        core.gate.close()
        let fixture = try await WebFixture(core: core)
        let browser = try await fixture.browser()
        core.set { $0.isSlow = true }
        let stream = try WebPeer(port: fixture.port)
        await stream.write(
            "GET /api/v1/events?cursor=0 HTTP/1.1\r\nHost: \(fixture.host)\r\nCookie: \(browser.cookie)\r\n\r\n")
        #expect(await stream.read(until: "retry: 1000\n\n").contains("200 OK"))
        let waiting = try WebPeer(port: fixture.port)
        await waiting.write("GET /api/v1/status HTTP/1.1\r\nHost: \(fixture.host)\r\nCookie: \(browser.cookie)\r\n\r\n")
        await core.gate.waitForWaiter()
        await fixture.runner.stop()
        #expect(await waiting.reply().status == 503)
        #expect(await stream.rest() != nil)
        #expect(throws: WebPeer.Failure.self) { try WebPeer(port: fixture.port) }
        core.gate.open()
    }

    @Test("A service that other machines could reach without TLS does not start unless told")
    func exposed() async throws {
        let directory = try TemporaryDirectory()
        var options = WebRunner.Options(port: 0, version: "9")
        options.address = try #require(WebAddress("0.0.0.0"))
        await #expect(throws: ChatAPIError.self) {
            _ = try await WebRunner.start(options, client: FakeChatClient(), directory: directory.path)
        }
        options.allowsPlain = true
        let runner = try await WebRunner.start(options, client: FakeChatClient(), directory: directory.path)
        await runner.stop()
    }
}
