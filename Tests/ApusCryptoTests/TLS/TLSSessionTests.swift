// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL
import Testing

@testable import ApusCrypto

@Suite struct TLSSessionTests {
    private let fixture: TLSFixture

    init() throws {
        fixture = try TLSFixture()
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION], [1, 7, Int.max])
    func `bytes go both ways whatever pieces they arrive in`(version: Int32, chunk: Int) throws {
        let pair = try fixture.pair(.init(maximumVersion: version))
        try pair.exchange(chunk: chunk)
        #expect(pair.client.state == .established)
        let up = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let down = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        try pair.write(up)
        pair.server.write(down)
        try pair.exchange(chunk: chunk)
        #expect(pair.serverReceived == up)
        #expect(pair.clientReceived == down)
        #expect(pair.client.information?.isTLS13 == (version == TLS1_3_VERSION))
    }

    @Test func `data in the same flight as the end of the handshake is read`() throws {
        let pair = try fixture.pair(.init(maximumVersion: TLS1_2_VERSION))
        // The server's last flight of TLS 1.2 and its first data arrive as one piece.
        try pair.deliver(pair.firstServerFlight())
        pair.server.receive(pair.takeClientOutput())
        pair.server.write(Array("<stream>".utf8))
        try pair.deliver(pair.server.takeOutput())
        #expect(pair.client.state == .established)
        #expect(pair.clientReceived == Array("<stream>".utf8))
    }

    @Test func `what is written at once becomes few records`() throws {
        let pair = try fixture.pair()
        try pair.exchange()
        try pair.write([UInt8](repeating: 1, count: 16 * 1024))
        #expect(pair.takeClientOutput().count == 5 + 16384 + 1 + 16)
    }

    @Test func `writing before the handshake is finished or after the end is an error`() throws {
        let pair = try fixture.pair()
        #expect(tlsError { try pair.write([1]) }?.code == .notEstablished)
        try pair.exchange()
        pair.close()
        #expect(tlsError { try pair.write([1]) }?.code == .notEstablished)
    }

    @Test("T029 FIN without close_notify is told from a clean end")
    func truncation() throws {
        let cut = try fixture.pair()
        try cut.exchange()
        cut.server.write(Array("<message><bo".utf8))
        try cut.exchange()
        #expect(cut.clientReceived == Array("<message><bo".utf8))
        #expect(tlsError { try cut.client.endOfInput() }?.code == .closedUncleanly)
        #expect(cut.client.state == .failed)

        let clean = try fixture.pair()
        try clean.exchange()
        clean.server.write(Array("</stream:stream>".utf8))
        clean.server.close()
        try clean.exchange()
        #expect(clean.clientReceived == Array("</stream:stream>".utf8))
        #expect(clean.client.state == .closedByPeer)
        #expect(tlsError { try clean.client.endOfInput() } == nil)
    }

    @Test("T029 half a record before the end is no clean end either")
    func truncatedRecord() throws {
        let pair = try fixture.pair()
        try pair.exchange()
        pair.server.write(Array("<presence/>".utf8))
        pair.server.close()
        try pair.deliver(Array(pair.server.takeOutput().dropLast()))
        #expect(pair.clientReceived == Array("<presence/>".utf8))
        #expect(tlsError { try pair.client.endOfInput() }?.code == .closedUncleanly)
    }

    @Test func `closing sends the closing alert once and still reads`() throws {
        let pair = try fixture.pair()
        try pair.exchange()
        pair.close()
        let alert = pair.takeClientOutput()
        pair.close()
        #expect(pair.takeClientOutput().isEmpty)
        #expect(!alert.isEmpty)
        pair.server.write(Array("late".utf8))
        pair.server.receive(alert)
        #expect(pair.server.hasReceivedClose)
        try pair.deliver(pair.server.takeOutput())
        #expect(pair.clientReceived == Array("late".utf8))
    }

    @Test func `writing goes on after the server closed its direction`() throws {
        let pair = try fixture.pair()
        try pair.exchange()
        pair.server.close()
        try pair.exchange()
        #expect(pair.client.state == .closedByPeer)
        try pair.write(Array("</stream:stream>".utf8))
        try pair.exchange()
        #expect(pair.serverReceived == Array("</stream:stream>".utf8))
    }

    @Test func `a server that hangs up in the handshake is named`() throws {
        let pair = try fixture.pair()
        try pair.client.start(output: TLSBuffer())
        let error = tlsError { try pair.client.endOfInput() }
        #expect(error?.code == .closedInHandshake)
        #expect(error?.description == "example.org closed the connection during the TLS handshake")
    }

    @Test func `nothing is left of a session that is let go in the middle of a handshake`() throws {
        weak var client: TLSSession?
        do {
            let pair = try fixture.pair()
            client = pair.client
            try pair.deliver(Array(pair.firstServerFlight().prefix(100)))
            #expect(client != nil)
        }
        #expect(client == nil)
    }

    @Test(
        arguments: [
            "<?xml version='1.0'?><stream:stream xmlns='jabber:client'>", "HTTP/1.1 400 Bad Request\r\n\r\n",
            "SSH-2.0-OpenSSH_9.2\r\n", "220 mail.example.org ESMTP\r\n", "\0\0\0\0\0\0\0\0",
        ])
    func `something else than TLS is recognised`(greeting: String) throws {
        for chunk in [1, Int.max] {
            let pair = try fixture.pair()
            try pair.client.start(output: TLSBuffer())
            let error = tlsError { try pair.deliver(Array(greeting.utf8), chunk: chunk) }
            #expect(error?.code == .notTLS)
            #expect(error?.description == "example.org does not answer with TLS")
            #expect(pair.client.state == .failed)
        }
    }

    @Test func `a changed byte anywhere in the server's flights never leads to a connection`() throws {
        for version in [TLS1_2_VERSION, TLS1_3_VERSION] {
            let reference = try flight(version) { $0 }.flight
            for position in stride(from: 5, to: reference.count, by: 23) {
                let outcome = try flight(version) { bytes in
                    var bytes = bytes
                    if position < bytes.count { bytes[position] ^= 0x55 }
                    return bytes
                }
                // A byte of a record's legacy version is ignored by rule; all else is covered by the handshake.
                let headers = recordHeaders(of: outcome.original)
                #expect(!outcome.isEstablished || headers.contains(position), "byte \(position)")
            }
        }
    }

    private func recordHeaders(of bytes: [UInt8]) -> Set<Int> {
        var headers: Set<Int> = []
        var start = 0
        while start + 5 <= bytes.count {
            headers.formUnion([start + 1, start + 2])
            start += 5 + (Int(bytes[start + 3]) << 8 | Int(bytes[start + 4]))
        }
        return headers
    }

    private func flight(
        _ version: Int32, _ change: ([UInt8]) -> [UInt8]
    ) throws -> (flight: [UInt8], original: [UInt8], isEstablished: Bool) {
        let pair = try fixture.pair(.init(maximumVersion: version))
        let original = try pair.firstServerFlight()
        let bytes = change(original)
        do {
            try pair.deliver(bytes)
            try pair.exchange()
        } catch is TLSError {}
        return (bytes, original, pair.client.state == .established && pair.server.hasFinishedHandshake)
    }

    @Test func `random bytes after the handshake are refused`() throws {
        let pair = try fixture.pair()
        try pair.exchange()
        let error = tlsError { try pair.deliver([23, 3, 3, 0, 40] + randomBytes(40)) }
        guard case .brokenRecord = error?.code else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
