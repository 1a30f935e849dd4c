// SPDX-License-Identifier: Apache-2.0
import Foundation
import XMPP

extension Adapter {
    func login(_ report: inout Report) async throws -> Bool {
        let pin = try await learnCertificate()
        var times: [Double] = []
        let watch = Stopwatch()
        for _ in 0..<n {
            var configuration = SessionConfiguration()
            configuration.reconnect = .never
            configuration.initialPresence = nil
            let session = XMPPSession(
                account: try account(options["user"], pin: pin), configuration: configuration)
            let start = Stopwatch.now
            try await session.connect()
            times.append((Stopwatch.now - start) * 1000)
            await session.disconnect()
        }
        watch.stop(&report, n: n, ok: times.count == n)
        report.add("tls", options["tls"])
        report.add("login_ms", times)
        report.add("login_ms_median", times.sorted()[times.count / 2])
        return times.count == n
    }

    func idle(_ report: inout Report) async throws -> Bool {
        let pin = try await learnCertificate()
        var configuration = SessionConfiguration()
        configuration.initialPresence = nil
        let watch = Stopwatch()
        var sessions: [XMPPSession] = []
        var first = 0
        for index in 0...n {
            let session = XMPPSession(account: try account("u\(index)", pin: pin), configuration: configuration)
            try await session.connect()
            sessions.append(session)
            if index == 0 { first = memory("VmRSS:") }
        }
        try await Task.sleep(for: .seconds(1))
        let all = memory("VmRSS:")
        var connected = 0
        for session in sessions where await session.isOnline { connected += 1 }
        let ok = connected == n + 1
        watch.stop(&report, n: n, ok: ok)
        report.add("tls", options["tls"])
        report.add("rss_first_kb", first)
        report.add("rss_all_kb", all)
        report.add("kb_per_conn", Double(all - first) / Double(max(n, 1)))
        return ok
    }
}

/// Opens once; used to wait for a handler.
// Unchecked: the semaphore does the synchronising.
final class Gate: @unchecked Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }
    func open() { continuation.finish() }
    func wait() async { for await _ in stream {} }
}
