// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Foundation
import Testing
import TransportTesting

@Suite("What HTTP requests send", .timeLimit(.minutes(1)))
struct HTTPBodyTests {
    private func request(_ server: HTTPTestServer, _ method: HTTPRequest.Method) -> HTTPRequest {
        var request = HTTPRequest("https://media.test/a%20b/../c", trust: testTrust)
        request.server = server.endpoint
        request.method = method
        request.deadline = .seconds(20)
        return request
    }

    @Test("bytes and files are sent whole, with their length, and progress is told", arguments: [0, 5, 3_000_000])
    func sends(_ count: Int) async throws {
        let server = try HTTPTestServer { _, _ in .response("201 Created") }
        defer { server.stop() }
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("apus-\(UUID().uuidString)")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forReadingFrom: file)
        let last = Locked<Int64>(0)
        var put = request(server, .put(HTTPBody(descriptor: handle.fileDescriptor, byteCount: Int64(count))))
        put.sendProgress = { sent, _ in last.withLock { $0 = sent } }
        #expect(try await HTTPClient().send(put).status == 201)
        #expect(last.withLock { $0 } == Int64(count))
        let post = request(server, .post(HTTPBody(bytes)))
        #expect(try await HTTPClient().send(post).status == 201)
        let seen = server.requests
        #expect(seen.map(\.method) == ["PUT", "POST"] && seen.allSatisfy { $0.body == bytes })
        #expect(seen.allSatisfy { $0.path == "/a%20b/../c" })
        #expect(seen.allSatisfy { $0.values("content-length") == [String(count)] })
        try handle.close()
    }

    @Test("a file that ends before its length ends the request")
    func short() async throws {
        let server = try HTTPTestServer { _, _ in .response() }
        defer { server.stop() }
        let body = HTTPBody(byteCount: 10) { offset, _ in offset == 0 ? nil : 0 }
        guard case .http(.local)? = await failure(request(server, .put(body)))?.code else {
            Issue.record("it went through")
            return
        }
    }

    @Test(
        "T146 a field that could be read as two is not sent at all",
        arguments: [("X", "a\r\nHost: b"), ("X\nY", "a"), ("X:Y", "a"), ("", "a"), ("X", "a\u{0}b"), ("X", "a\u{7f}")])
    func fields(_ name: String, _ value: String) async throws {
        let server = try HTTPTestServer { _, _ in .response() }
        defer { server.stop() }
        var request = request(server, .get)
        request.headers = [(name, value)]
        guard case .http(.header)? = await failure(request)?.code else {
            Issue.record("it was sent")
            return
        }
        #expect(server.connections == 0)
        request.headers = [("X", "ä"), ("Y", "")]
        #expect(await failure(request) == nil)
        #expect(server.requests.first?.values("x") == ["ä"] && server.requests.first?.lines.contains("Y:") == true)
    }

    @Test("what comes can be taken piece by piece, with its head, and be enough at any time")
    func receives() async throws {
        let server = try HTTPTestServer { _, _ in
            .response("200 OK", [UInt8](repeating: 1, count: 100_000), fields: ["ETag: \"x\"", "X-Empty:"])
        }
        defer { server.stop() }
        let got = Locked(0)
        var request = request(server, .get)
        request.receive = { head, bytes in
            got.withLock { $0 += bytes.count }
            return head.field("etag") == "\"x\"" && head.field("x-empty")?.isEmpty == true
        }
        let response = try await HTTPClient().send(request)
        #expect(got.withLock { $0 } == 100_000 && response.body.isEmpty && response.field("content-length") == "100000")
        request.receive = { _, _ in false }
        guard case .http(.local)? = await failure(request)?.code else {
            Issue.record("it went on")
            return
        }
    }

    @Test("a redirect that is not followed is told as a whole address")
    func redirect() async throws {
        let server = try HTTPTestServer { _, _ in .response("302 Found", fields: ["Location: /x?y"]) }
        defer { server.stop() }
        var request = request(server, .get)
        request.maximumRedirects = 0
        #expect(try await HTTPClient().send(request).redirect == "https://media.test/x?y")
    }

    @Test("T151 a transfer that all but stands still is given up")
    func stall() async throws {
        let server = try HTTPTestServer { _, _ in .silence }
        defer { server.stop() }
        var request = request(server, .get)
        request.stall = .seconds(1)
        guard case .timedOut? = await failure(request)?.code else {
            Issue.record("it went on")
            return
        }
    }

    private func failure(_ request: HTTPRequest) async -> TransportError? {
        do throws(TransportError) {
            _ = try await HTTPClient().send(request)
            return nil
        } catch { return error }
    }
}
