// SPDX-License-Identifier: Apache-2.0
package import ApusTransport

/// An HTTPS server on loopback that answers each request by a script, one request for each connection.
///
/// Its certificate is for `media.test`, `other.test` and `localhost`, by the authority of the tests.
package final class HTTPTestServer: Sendable {
    /// A request as it came.
    package struct Request: Sendable {
        package var method: String
        package var path: String
        /// The lines of the head behind the first.
        package var lines: [String]
        package var body: [UInt8]

        /// The values of a field, by its name in lower case.
        package func values(_ name: String) -> [String] {
            lines.compactMap { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, parts[0].lowercased() == name else { return nil }
                return String(parts[1].drop { $0 == " " })
            }
        }
    }

    package enum Answer: Sendable {
        case bytes([UInt8])
        /// These bytes, and then the connection is cut.
        case cut([UInt8])
        /// Nothing until the other end has had enough.
        case silence

        package static func response(
            _ status: String = "200 OK", _ body: [UInt8] = [], fields: [String] = []
        ) -> Answer {
            let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + fields
            return .bytes(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
        }
    }

    private let server: TestServer
    private let seen = Locked([Request]())

    /// `bodyLimit`: the connection is cut when so many bytes of a request's body have come.
    package init(
        bodyLimit: Int = .max, answer: @escaping @Sendable (Request, _ number: Int) -> Answer
    ) throws {
        let context = TestTLSContext("DNS:media.test,DNS:other.test,DNS:localhost,IP:127.0.0.1")
        let seen = seen
        server = try TestServer { peer in
            guard peer.acceptTLS(context) else { return }
            let head = peer.read(through: "\r\n\r\n")
            var lines = head.split(separator: "\r\n").map(String.init)
            guard !lines.isEmpty else { return }
            let words = lines.removeFirst().split(separator: " ").map(String.init)
            guard words.count == 3 else { return }
            var request = Request(method: words[0], path: words[1], lines: lines, body: [])
            let length = request.values("content-length").first.flatMap { Int($0) } ?? 0
            if request.values("expect").first == "100-continue" { peer.write("HTTP/1.1 100 Continue\r\n\r\n") }
            while request.body.count < min(length, bodyLimit) {
                let more = peer.readSome()
                if more.isEmpty { break }
                request.body += more
            }
            let number = seen.withLock { seen in
                seen.append(request)
                return seen.count
            }
            if request.body.count < length { return peer.reset() }
            switch answer(request, number) {
            case .bytes(let bytes):
                peer.write(bytes)
                peer.endTLS()
            case .cut(let bytes):
                peer.write(bytes)
                peer.reset()
            case .silence: _ = peer.readToEnd()
            }
        }
    }

    /// The requests so far.
    package var requests: [Request] { seen.withLock { $0 } }
    package var connections: Int { server.acceptedCount }
    package var endpoint: Endpoint { server.endpoint }
    /// The authority that vouches for it.
    package var authority: String { TestCertificates.shared.authorityFile }

    package func stop() { server.stop() }
}
