// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import TransportTesting

/// A Web server without TLS or login that keeps what is put there and gives it to whoever asks, as chat tutorials set one up.
final class MediaTestServer: Sendable {
    private let server: TestServer
    private let files: Locked<[String: [UInt8]]>
    private let delay: Locked<Bool>

    init() throws {
        let files = Locked<[String: [UInt8]]>([:])
        let delay = Locked(false)
        self.files = files
        self.delay = delay
        server = try TestServer { peer in
            let lines = peer.read(through: "\r\n\r\n").split(separator: "\r\n").map { $0.lowercased() }
            let words = (lines.first ?? "").split(separator: " ").map(String.init)
            guard words.count == 3 else { return }
            let length = lines.first { $0.hasPrefix("content-length:") }.flatMap {
                Int($0.dropFirst(15).filter { $0 != " " })
            }
            if lines.contains(where: { $0.hasPrefix("expect:") }) { peer.write("HTTP/1.1 100 Continue\r\n\r\n") }
            if words[0] == "put" {
                var body: [UInt8] = []
                while body.count < length ?? 0 {
                    let more = peer.readSome()
                    if more.isEmpty { return }
                    body += more
                }
                // Whoever sends it dies before it has an answer.
                if delay.withLock({ $0 }) { return _ = peer.readToEnd() }
                let content = body
                files.withLock { $0[words[1]] = content }
                peer.write("HTTP/1.1 201 Created\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            } else if let content = files.withLock({ $0[words[1]] }) {
                peer.write("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\nConnection: close\r\n\r\n")
                peer.write(content)
            } else {
                peer.write("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            }
            peer.endWriting()
        }
    }

    var baseURL: String { "http://127.0.0.1:\(server.port)/files" }
    var count: Int { files.withLock { $0.count } }
    /// How many came to it.
    var visits: Int { server.acceptedCount }
    /// Takes a file and never says so.
    var isSilent: Bool {
        get { delay.withLock { $0 } }
        set { delay.withLock { $0 = newValue } }
    }
    func stop() { server.stop() }
}
