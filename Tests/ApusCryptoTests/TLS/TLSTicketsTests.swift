// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL
import Testing

@testable import ApusCrypto

@Suite("TLS sessions that are taken up again") struct TLSTicketsTests {
    private let fixture: TLSFixture
    private let tickets = TLSTickets()
    private static let keys = [UInt8](repeating: 5, count: 80)

    init() throws { fixture = try TLSFixture() }

    /// A connection that is established, and whether it went on from an earlier one.
    private func connect(
        _ tickets: TLSTickets?, version: Int32 = TLS1_3_VERSION, earlyData: UInt32 = 0,
        _ change: (inout TLSConfiguration) -> Void = { _ in }
    ) throws -> (pair: TLSPair, isResumed: Bool) {
        var configuration = TLSConfiguration(
            identity: .domain("example.org"),
            trust: TLSTrust(usesSystemRoots: false, authorityFiles: [fixture.authority.authorityFile]))
        configuration.tickets = tickets
        change(&configuration)
        var settings = TestServer.Settings(maximumVersion: version)
        settings.ticketKeys = Self.keys
        settings.earlyData = earlyData
        // SSL_OP_NO_ANTI_REPLAY, a macro: else a server that takes early data keeps its sessions to itself.
        settings.options = 1 << 24
        let pair = try TLSPair(configuration, TestServer(fixture.certificate, settings))
        try pair.exchange()
        // Tickets come with the first data.
        pair.server.write([1])
        try pair.exchange()
        #expect(pair.client.state == .established)
        return (pair, pair.client.information?.isResumed ?? false)
    }

    @Test(
        "the second connection of an account goes on from the first, with bindings of its own",
        arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func resumes(version: Int32) throws {
        let first = try connect(tickets, version: version)
        #expect(!first.isResumed)
        #expect(tickets.count > 0)
        let second = try connect(tickets, version: version)
        #expect(second.isResumed)
        let (before, after) = (
            try #require(first.pair.client.information), try #require(second.pair.client.information)
        )
        #expect(before.exporter != after.exporter)
        #expect(before.serverEndPoint == after.serverEndPoint)
        #expect(before.peerCertificate == after.peerCertificate)
    }

    @Test("T027 nothing is taken up for another account, another name, other trust or other protocols")
    func nothingShared() throws {
        _ = try connect(tickets)
        #expect(try !connect(TLSTickets()).isResumed)
        #expect(try !connect(nil).isResumed)
        let pin = TLSFingerprint.of(try fixture.authority.der(of: fixture.certificate))
        for change: (inout TLSConfiguration) -> Void in [
            { $0.unicodeDomain = "exämple.org" }, { $0.trust.pinnedCertificates = [pin] },
            { $0.trust.usesSystemRoots = true }, { $0.applicationProtocols = ["xmpp-client"] },
        ] {
            _ = try connect(tickets)
            #expect(try !connect(tickets, change).isResumed)
        }
    }

    @Test("T027 a session is taken up once")
    func onlyOnce() throws {
        _ = try connect(tickets)
        var left = tickets.count
        while left > 0 {
            let configuration = TLSConfiguration(
                identity: .domain("example.org"),
                trust: TLSTrust(usesSystemRoots: false, authorityFiles: [fixture.authority.authorityFile]))
            let session = try #require(tickets.take(for: configuration))
            SSL_SESSION_free(session)
            #expect(tickets.count == left - 1)
            left -= 1
        }
    }

    @Test("T028 no data goes out before the handshake is finished, whatever the server would take")
    func noEarlyData() throws {
        _ = try connect(tickets, earlyData: 16384)
        let second = try connect(tickets, earlyData: 16384)
        #expect(second.isResumed)
        #expect(SSL_get_early_data_status(second.pair.server.ssl) != SSL_EARLY_DATA_ACCEPTED)
    }
}

private enum TLSFingerprint {
    static func of(_ certificate: [UInt8]) -> [UInt8] { digest(.sha256, certificate) }
}
