// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
@testable import XMPP
import XMPPTesting

@Suite("Stream logs", .timeLimit(.minutes(1)))
struct StreamTraceTests {
    private final class Log: Sendable {
        let lines = Locked<[StreamTrace.Line]>([])
        var text: String { lines.withLock { $0.map { "\($0.direction.rawValue) \($0.text)" }.joined(separator: "\n") } }
    }

    @Test("T181 a whole session is told in order, without anything that opens the account or was written by people")
    func session() async throws {
        let log = Log()
        let fixture = try SessionFixture {
            $0.trace = StreamTrace { line in log.lines.withLock { $0.append(line) } }
        }
        try await fixture.connect()
        try await fixture.session.send(.chat(to: try JID("bo@example.org"), "private words", id: "m1"))
        await fixture.expect("message")
        fixture.peer.inject(SessionFixture.message("more private words"))
        #expect(await fixture.count() == "1")
        await fixture.leave()
        let text = log.text
        for secret in ["private words", "secret", "n=juliet", "sm-1"] {
            #expect(!text.contains(secret), "\(secret): \(text)")
        }
        // The proofs of SCRAM are base64: none of what either side sent stands in the log.
        for payload in fixture.peer.writtenText.split(separator: ">").compactMap({ $0.split(separator: "<").first })
        where payload.count > 24 && payload.allSatisfy({ $0.isLetter || $0.isNumber || "+/=".contains($0) }) {
            #expect(!text.contains(payload))
        }
        let lines = text.split(separator: "\n")
        func place(_ start: String) -> Int? { lines.firstIndex { $0.hasPrefix(start) } }
        // What is sent ahead of an answer makes only each direction's own order sure.
        let orders = [
            ["> <stream:stream", "> <starttls", "> <auth", "> <response", "> <iq", "> <enable", "> <message"],
            [
                "- connected to", "< <stream:stream", "< <features", "< <proceed", "- TLSv1.3", "< <challenge",
                "< <success",
                "< <enabled", "< <message",
            ],
        ]
        for order in orders {
            let places = order.compactMap { place($0) }
            #expect(places.count == order.count, "\(text)")
            #expect(places == places.sorted(), "\(text)")
        }
        #expect(log.lines.withLock { $0.allSatisfy { $0.account.description == "juliet@example.org" } })
    }

    @Test("T181 without a log nothing stands between session and channel")
    func off() async throws {
        let channel = ScriptedChannel(
            loop: .shared, information: ScriptedPeer.defaultInformation, onWrite: { _ in }, onEnd: {})
        let account = try JID("juliet@example.org")
        var configuration = SessionConfiguration()
        #expect(configuration.traced(channel, account: account) === channel)
        configuration.trace = StreamTrace { _ in }
        #expect(configuration.traced(channel, account: account) !== channel)
    }

    private func tapped(_ chunks: [[UInt8]]) -> [String] {
        var lines: [String] = []
        let tap = StreamTap(StreamRedactor()) { lines.append($0) }
        for chunk in chunks { chunk.withUnsafeBytes { tap.take($0) } }
        return lines
    }

    private static let restarted =
        "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' id='1'>"
        + "<a/><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' id='2'><b/>"
        + "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' id='3'>"
        + "<c/></stream:stream>"

    @Test("streams that begin anew are followed, however the bytes are cut", arguments: [1, 2, 3, 7, 16, 1000])
    func restarts(size: Int) {
        let bytes = Array(Self.restarted.utf8)
        let chunks = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
        let lines = tapped(chunks)
        #expect(lines.count == 7)
        #expect(
            lines.map { $0.prefix(8) } == [
                "<stream:", "<a xmlns", "<stream:", "<b xmlns", "<stream:", "<c xmlns", "</stream",
            ])
    }

    @Test("T181 what cannot be read is told by its length alone, until a stream begins anew")
    func broken() {
        let start = "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"
        let lines = tapped([
            Array((start + "<message><body>SECRET</mess").utf8), Array("age>SECRET more".utf8),
            Array((start + "<a/>").utf8),
        ])
        #expect(!lines.joined().contains("SECRET"))
        #expect(lines.contains { $0.contains("15 bytes") || $0.contains("cannot be read") })
        #expect(lines.last?.hasPrefix("<a") == true)
    }
}
