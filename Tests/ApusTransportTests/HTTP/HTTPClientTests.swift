// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
@testable import ApusTransport
import Testing
import TransportTesting

@Suite("The HTTPS client", .timeLimit(.minutes(1)))
struct HTTPClientTests {
    /// A server that answers each request by its path.
    private func server(
        _ names: String = "DNS:example.test", _ answer: @escaping @Sendable (_ path: String) -> [UInt8]
    ) throws -> TestServer {
        let context = TestTLSContext(names)
        return try TestServer { peer in
            guard peer.acceptTLS(context) else { return }
            let head = peer.read(through: "\r\n\r\n")
            let words = head.split(separator: " ")
            guard words.count > 1 else { return }
            peer.write(answer(String(words[1])))
            peer.endTLS()
        }
    }

    private static func response(_ status: String = "200 OK", _ body: String = "", _ fields: String = "") -> [UInt8] {
        Array("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)".utf8)
    }

    private func request(_ url: String, _ server: TestServer) -> HTTPRequest {
        var request = HTTPRequest(url, trust: testTrust)
        request.server = server.endpoint
        request.deadline = .seconds(20)
        return request
    }

    private func failure(_ request: HTTPRequest) async -> TransportError? {
        do throws(TransportError) {
            _ = try await HTTPClient().send(request)
            return nil
        } catch { return error }
    }

    private func isHTTP(_ error: TransportError?, _ wanted: HTTPFailure) -> Bool {
        if case .http(let failure)? = error?.code { failure == wanted } else { false }
    }

    @Test("status, media type and body come back, and progress is told")
    func fetches() async throws {
        let server = try server { path in
            Self.response("404 Not Found", "no \(path)", "Content-Type: text/plain; charset=utf-8\r\n")
        }
        defer { server.stop() }
        var request = request("https://example.test/a?b", server)
        let last = Locked<(Int64, Int64?)>((0, nil))
        request.progress = { received, total in last.withLock { $0 = (received, total) } }
        let response = try await HTTPClient().send(request)
        #expect(response.status == 404)
        #expect(response.contentType == "text/plain; charset=utf-8")
        #expect(String(decoding: response.body, as: UTF8.self) == "no /a?b")
        #expect(last.withLock { $0.0 } == 7)
        #expect(last.withLock { $0.1 } == 7)
    }

    @Test("T002 nothing but https is fetched, and no redirect leads to anything else")
    func onlyHTTPS() async throws {
        let server = try server { path in
            Self.response("302 Found", "", "Location: http://example.test:\(path.dropFirst())/\r\n")
        }
        let plain = try TestServer { _ in }
        defer {
            server.stop()
            plain.stop()
        }
        for url in ["http://example.test/", "ftp://example.test/", "file:///etc/hostname", "example.test"] {
            #expect(isHTTP(await failure(request(url, plain)), .notHTTPS), "\(url)")
        }
        var redirected = request("https://example.test/\(plain.port)", server)
        #expect(isHTTP(await failure(redirected), .notHTTPS))
        // Whoever may begin without TLS is led nowhere without it either.
        redirected.permitsUnencrypted = true
        #expect(isHTTP(await failure(redirected), .notHTTPS))
        #expect(plain.acceptedCount == 0)
    }

    @Test("redirects to https are followed up to their limit")
    func redirects() async throws {
        let server = try server { path in
            let number = Int(path.dropFirst()) ?? 0
            guard number > 0 else { return Self.response("200 OK", "there") }
            return Self.response("302 Found", "", "Location: /\(number - 1)\r\n")
        }
        defer { server.stop() }
        #expect(try await HTTPClient().send(request("https://example.test/3", server)).body == Array("there".utf8))
        #expect(isHTTP(await failure(request("https://example.test/4", server)), .redirects))
    }

    @Test("a body is taken up to its cap, whether its length is told or not", arguments: [true, false])
    func cap(tellsLength: Bool) async throws {
        let server = try server { path in
            let body = String(repeating: "x", count: Int(path.dropFirst()) ?? 0)
            return tellsLength ? Self.response("200 OK", body) : Array("HTTP/1.1 200 OK\r\n\r\n\(body)".utf8)
        }
        defer { server.stop() }
        var fitting = request("https://example.test/1000", server)
        fitting.maximumBytes = 1000
        #expect(try await HTTPClient().send(fitting).body.count == 1000)
        var larger = request("https://example.test/1001", server)
        larger.maximumBytes = 1000
        #expect(isHTTP(await failure(larger), .tooLarge))
        larger.url = "https://example.test/100000"
        #expect(isHTTP(await failure(larger), .tooLarge))
    }

    @Test("T001 the certificate names the URL's host, and somebody trusted vouches for it")
    func certificate() async throws {
        let other = try server("DNS:evil.test") { _ in Self.response() }
        let right = try server { _ in Self.response() }
        defer {
            other.stop()
            right.stop()
        }
        #expect(isHTTP(await failure(request("https://example.test/", other)), .certificate))
        var distrustful = request("https://example.test/", right)
        distrustful.trust = TLSTrust()
        #expect(isHTTP(await failure(distrustful), .certificate))
        distrustful.trust = TLSTrust(usesSystemRoots: false)
        #expect(await failure(distrustful) != nil)
        #expect(await failure(request("https://example.test/", right)) == nil)
        var both = request("https://example.test/", right)
        both.trust.usesSystemRoots = true
        #expect(await failure(both) == nil)
    }

    @Test("an address that is not allowed is not connected to")
    func addresses() async throws {
        let server = try server { _ in Self.response() }
        defer { server.stop() }
        var request = request("https://example.test/", server)
        let asked = Locked<[String]>([])
        request.allowsAddress = { address in
            asked.withLock { $0.append(address.description) }
            return false
        }
        #expect(isHTTP(await failure(request), .forbiddenAddress))
        #expect(asked.withLock { $0 } == ["127.0.0.1"])
        #expect(server.acceptedCount == 0)
        request.allowsAddress = { $0.description == "127.0.0.1" }
        #expect(await failure(request) == nil)
    }

    @Test("T005 a server that stays silent is left at the deadline, and a cancelled transfer at once")
    func silence() async throws {
        let server = try TestServer { _ = $0.readToEnd() }
        defer { server.stop() }
        var short = request("https://example.test/", server)
        short.deadline = .milliseconds(200)
        guard case .timedOut? = await failure(short)?.code else {
            Issue.record("no timeout")
            return
        }
        let waiting = request("https://example.test/", server)
        for early in [true, false] {
            let task = Task { await failure(waiting) }
            if !early { while server.acceptedCount < 2 { await Task.yield() } }
            task.cancel()
            guard case .cancelled? = await task.value?.code else {
                Issue.record("not cancelled")
                return
            }
        }
    }

    @Test("the thread ends with its work and comes back for more")
    func again() async throws {
        let server = try server { _ in Self.response("200 OK", "x") }
        defer { server.stop() }
        let client = HTTPClient()
        for _ in 0..<3 {
            #expect(try await client.send(request("https://example.test/", server)).body == [UInt8(ascii: "x")])
            while client.inbox.withLock({ $0.isRunning }) { await Task.yield() }
        }
    }
}
