// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL
import Testing

@testable import ApusCrypto

@Suite struct TLSSessionTests {
    private let authority: TestAuthority
    private let certificate: TestCertificate

    init() throws {
        authority = try TestAuthority()
        certificate = try authority.issue(names: "DNS:example.org")
    }

    private func pair(
        _ settings: TestServer.Settings = .init(), protocols: [String] = [], sendsServerName: Bool = true
    ) throws -> TLSPair {
        let trust = TLSTrust(usesSystemRoots: false, authorityFiles: [authority.authorityFile])
        return try TLSPair(
            TLSConfiguration(
                identity: .domain("example.org"), sendsServerName: sendsServerName, trust: trust,
                applicationProtocols: protocols),
            TestServer(certificate, settings))
    }

    private func error(_ body: () throws -> Void) -> TLSError? {
        do {
            try body()
            return nil
        } catch {
            return error as? TLSError
        }
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION], [1, 7, Int.max])
    func `bytes go both ways whatever pieces they arrive in`(version: Int32, chunk: Int) throws {
        let pair = try pair(.init(maximumVersion: version))
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
        let pair = try pair(.init(maximumVersion: TLS1_2_VERSION))
        // The server's last flight of TLS 1.2 and its first data arrive as one piece.
        try pair.deliver(pair.firstServerFlight())
        pair.server.receive(pair.takeClientOutput())
        pair.server.write(Array("<stream>".utf8))
        try pair.deliver(pair.server.takeOutput())
        #expect(pair.client.state == .established)
        #expect(pair.clientReceived == Array("<stream>".utf8))
    }

    private let output = TLSBuffer()

    private func take() -> [UInt8] {
        let bytes = Array(output.bytes)
        output.removeAll()
        return bytes
    }

    @Test func `what is written at once becomes few records`() throws {
        let pair = try pair()
        try pair.exchange()
        try pair.write([UInt8](repeating: 1, count: 16 * 1024))
        #expect(pair.takeClientOutput().count == 5 + 16384 + 1 + 16)
    }

    @Test func `writing before the handshake is finished or after the end is an error`() throws {
        let pair = try pair()
        #expect(error { try pair.write([1]) }?.code == .notEstablished)
        try pair.exchange()
        pair.close()
        #expect(error { try pair.write([1]) }?.code == .notEstablished)
    }

    @Test("T029 FIN without close_notify is told from a clean end")
    func truncation() throws {
        let cut = try pair()
        try cut.exchange()
        cut.server.write(Array("<message><bo".utf8))
        try cut.exchange()
        #expect(cut.clientReceived == Array("<message><bo".utf8))
        #expect(error { try cut.client.endOfInput() }?.code == .closedUncleanly)
        #expect(cut.client.state == .failed)

        let clean = try pair()
        try clean.exchange()
        clean.server.write(Array("</stream:stream>".utf8))
        clean.server.close()
        try clean.exchange()
        #expect(clean.clientReceived == Array("</stream:stream>".utf8))
        #expect(clean.client.state == .closedByPeer)
        #expect(error { try clean.client.endOfInput() } == nil)
    }

    @Test("T029 half a record before the end is no clean end either")
    func truncatedRecord() throws {
        let pair = try pair()
        try pair.exchange()
        pair.server.write(Array("<presence/>".utf8))
        pair.server.close()
        try pair.deliver(Array(pair.server.takeOutput().dropLast()))
        #expect(pair.clientReceived == Array("<presence/>".utf8))
        #expect(error { try pair.client.endOfInput() }?.code == .closedUncleanly)
    }

    @Test func `closing sends the closing alert once and still reads`() throws {
        let pair = try pair()
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
        let pair = try pair()
        try pair.exchange()
        pair.server.close()
        try pair.exchange()
        #expect(pair.client.state == .closedByPeer)
        try pair.write(Array("</stream:stream>".utf8))
        try pair.exchange()
        #expect(pair.serverReceived == Array("</stream:stream>".utf8))
    }

    @Test func `a server that hangs up in the handshake is named`() throws {
        let pair = try pair()
        try pair.client.start(output: output)
        let error = error { try pair.client.endOfInput() }
        #expect(error?.code == .closedInHandshake)
        #expect(error?.description == "example.org closed the connection during the TLS handshake")
    }

    @Test func `nothing is left of a session that is let go in the middle of a handshake`() throws {
        weak var client: TLSSession?
        do {
            let pair = try pair()
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
            let pair = try pair()
            try pair.client.start(output: output)
            let error = error { try pair.deliver(Array(greeting.utf8), chunk: chunk) }
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
        let pair = try pair(.init(maximumVersion: version))
        let original = try pair.firstServerFlight()
        let bytes = change(original)
        do {
            try pair.deliver(bytes)
            try pair.exchange()
        } catch is TLSError {}
        return (bytes, original, pair.client.state == .established && pair.server.hasFinishedHandshake)
    }

    @Test func `random bytes after the handshake are refused`() throws {
        let pair = try pair()
        try pair.exchange()
        let error = error { try pair.deliver([23, 3, 3, 0, 40] + randomBytes(40)) }
        guard case .brokenRecord = error?.code else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("T027 TLS 1.1 is refused, asked for and answered")
    func oldVersions() throws {
        let refused = try pair(.init(minimumVersion: TLS1_VERSION, maximumVersion: TLS1_1_VERSION))
        let first = error { try refused.exchange() }
        #expect(first?.code == .protocolVersion)
        #expect(first?.description == "example.org offers no TLS version from 1.2 on")

        for minor: UInt8 in [0, 1, 2] {
            let answered = try pair()
            try answered.client.start(output: output)
            let hello: [UInt8] = [2, 0, 0, 38, 3, minor] + randomBytes(32) + [0, 0xC0, 0x13, 0]
            let second = error { try answered.deliver([22, 3, minor, 0, UInt8(hello.count)] + hello) }
            #expect(second?.code == .protocolVersion, "3.\(minor)")
        }
    }

    @Test("T027 T028 T030 no compression, early data or resumption is offered; TLS 1.2 suites are forward secret AEAD")
    func offer() throws {
        for _ in 0..<2 {
            let pair = try pair()
            try pair.client.start(output: output)
            let hello = try #require(ClientHello(record: take()))
            #expect(hello.compressionMethods == [0])
            #expect(hello.extensions[41] == nil, "pre-shared key")
            #expect(hello.extensions[42] == nil, "early data")
            #expect(hello.extensions[35] == nil, "session ticket")
            #expect(hello.extensions[23] != nil, "extended master secret")
            let allowed: Set<UInt16> = [
                0x1301, 0x1302, 0x1303, 0xC02B, 0xC02C, 0xC02F, 0xC030, 0xCCA8, 0xCCA9, 0x00FF,
            ]
            #expect(Set(hello.cipherSuites).isSubset(of: allowed))
            // A full connection with tickets in between must not change the next offer.
            let other = try self.pair()
            try other.exchange()
        }
    }

    @Test func `a server with only suites that are not forward secret or not AEAD is refused`() throws {
        for suites in ["AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA256"] {
            let pair = try pair(.init(maximumVersion: TLS1_2_VERSION, ciphersTLS12: suites))
            #expect(error { try pair.exchange() }?.code == .alert("handshake failure"))
        }
    }

    @Test func `the server name is the domain, and is left out for addresses and on request`() throws {
        let named = try pair()
        try named.exchange()
        #expect(named.server.serverName == "example.org")
        let silent = try pair(sendsServerName: false)
        try silent.exchange()
        #expect(silent.server.serverName == nil)
        for identity in [TLSIdentity.address("127.0.0.1"), .address("::1"), .domain("127.0.0.1")] {
            let client = try TLSSession(TLSConfiguration(identity: identity))
            try client.start(output: output)
            let hello = try #require(ClientHello(record: take()))
            #expect(hello.extensions[0] == nil)
        }
    }

    @Test("T013 the offered protocol may be answered or not; another one ends the handshake")
    func applicationProtocol() throws {
        let offered = try pair(.init(answeredProtocol: "xmpp-client"), protocols: ["xmpp-client"])
        try offered.exchange()
        #expect(offered.client.information?.applicationProtocol == "xmpp-client")

        let silent = try pair(protocols: ["xmpp-client"])
        try silent.exchange()
        #expect(silent.client.state == .established)
        #expect(silent.client.information?.applicationProtocol == nil)

        for version in [TLS1_2_VERSION, TLS1_3_VERSION] {
            let foreign = try pair(
                .init(maximumVersion: version, answeredProtocol: "http/1.1"), protocols: ["xmpp-client"])
            let error = error { try foreign.exchange() }
            #expect(error?.code == .applicationProtocol)
            #expect(
                error?.description == "example.org answers with the application protocol \"http/1.1\", not XMPP")
            #expect(foreign.client.state == .failed)
        }
    }

    @Test("T027 a flood of key updates ends the connection, a few do not", arguments: [true, false])
    func keyUpdates(requesting: Bool) throws {
        let pair = try pair()
        try pair.exchange()
        for _ in 0..<5 {
            pair.server.updateKeys(requesting: requesting)
            try pair.exchange()
        }
        try pair.write([1, 2])
        pair.server.write([3, 4])
        try pair.exchange()
        #expect(pair.serverReceived == [1, 2])
        #expect(pair.clientReceived == [3, 4])

        let error = error {
            for _ in 0..<300 {
                pair.server.updateKeys(requesting: requesting)
                try pair.deliver(pair.server.takeOutput())
            }
        }
        #expect(error?.code == .flood)
    }

    @Test("T027 a flood of key updates in one piece is refused too")
    func keyUpdatesAtOnce() throws {
        let pair = try pair()
        try pair.exchange()
        for _ in 0..<2000 { pair.server.updateKeys(requesting: true) }
        #expect(error { try pair.deliver(pair.server.takeOutput()) }?.code == .flood)
        #expect(pair.takeClientOutput().count < 64 * 1024)
    }

    @Test("T027 renegotiation is declined, and a flood of requests ends the connection")
    func renegotiation() throws {
        let pair = try pair(.init(maximumVersion: TLS1_2_VERSION))
        try pair.exchange()
        pair.server.requestRenegotiation()
        try pair.deliver(pair.server.takeOutput())
        let answer = pair.takeClientOutput()
        // One warning alert (record type 21), no new client hello.
        #expect(answer.first == 21)
        #expect(answer.count == 5 + 8 + 2 + 16)
        #expect(pair.client.state == .established)
        let error = error {
            for _ in 0..<300 {
                pair.server.requestRenegotiation()
                try pair.deliver(pair.server.takeOutput())
            }
        }
        #expect(error?.code == .flood)
    }

    @Test("T027 a handshake without end is cut off")
    func endlessHandshake() throws {
        let pair = try pair()
        try pair.client.start(output: output)
        // Hello requests, which a client must ignore while it is in a handshake (RFC 5246 §7.4.1.1).
        let record: [UInt8] = [22, 3, 3, 0x3F, 0xFC] + [UInt8](repeating: 0, count: 0x3FFC)
        let error = error { for _ in 0..<100 { try pair.deliver(record) } }
        #expect(error?.code == .flood)
    }
}
