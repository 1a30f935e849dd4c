// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL
import Testing

@testable import ApusCrypto

@Suite struct TLSFloodTests {
    private let fixture: TLSFixture

    init() throws {
        fixture = try TLSFixture()
    }

    @Test("T027 a flood of key updates ends the connection, a few do not", arguments: [true, false])
    func keyUpdates(requesting: Bool) throws {
        let pair = try fixture.pair()
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

        let error = tlsError {
            for _ in 0..<300 {
                pair.server.updateKeys(requesting: requesting)
                try pair.deliver(pair.server.takeOutput())
            }
        }
        #expect(error?.code == .flood)
    }

    @Test("T027 a flood of key updates in one piece is refused too")
    func keyUpdatesAtOnce() throws {
        let pair = try fixture.pair()
        try pair.exchange()
        for _ in 0..<2000 { pair.server.updateKeys(requesting: true) }
        #expect(tlsError { try pair.deliver(pair.server.takeOutput()) }?.code == .flood)
        #expect(pair.takeClientOutput().count < 64 * 1024)
    }

    @Test("T027 renegotiation is declined, and a flood of requests ends the connection")
    func renegotiation() throws {
        let pair = try fixture.pair(.init(maximumVersion: TLS1_2_VERSION))
        try pair.exchange()
        pair.server.requestRenegotiation()
        try pair.deliver(pair.server.takeOutput())
        let answer = pair.takeClientOutput()
        // One warning alert (record type 21), no new client hello.
        #expect(answer.first == 21)
        #expect(answer.count == 5 + 8 + 2 + 16)
        #expect(pair.client.state == .established)
        let error = tlsError {
            for _ in 0..<300 {
                pair.server.requestRenegotiation()
                try pair.deliver(pair.server.takeOutput())
            }
        }
        #expect(error?.code == .flood)
    }

    @Test("T027 a handshake without end is cut off")
    func endlessHandshake() throws {
        let pair = try fixture.pair()
        try pair.client.start(output: TLSBuffer())
        // Hello requests, which a client must ignore while it is in a handshake (RFC 5246 §7.4.1.1).
        let record: [UInt8] = [22, 3, 3, 0x3F, 0xFC] + [UInt8](repeating: 0, count: 0x3FFC)
        let error = tlsError { for _ in 0..<100 { try pair.deliver(record) } }
        #expect(error?.code == .flood)
    }
    @Test("T027 a flood of empty records ends the connection, empty records between others do not")
    func emptyRecords() throws {
        let pair = try fixture.pair(.init(ciphersTLS13: "TLS_AES_128_GCM_SHA256", tickets: 0))
        try pair.exchange()
        var forge = RecordForge(trafficSecret: try #require(pair.server.trafficSecret))
        for byte: UInt8 in 0..<100 {
            try pair.deliver(forge.record([]) + forge.record([], padding: 300) + forge.record([byte], padding: 7))
        }
        #expect(pair.clientReceived == Array(0..<100))
        let error = tlsError { for _ in 0..<100 { try pair.deliver(forge.record([])) } }
        #expect(error?.code == .flood)
        #expect(error?.description == "example.org floods the TLS connection with empty records")
    }

    @Test("T027 warnings without end are refused")
    func warnings() throws {
        let pair = try fixture.pair(.init(maximumVersion: TLS1_2_VERSION))
        try pair.client.start(output: TLSBuffer())
        // user_canceled as a warning, in clear, before anything else (RFC 5246 §7.2).
        let error = tlsError { for _ in 0..<100 { try pair.deliver([21, 3, 3, 0, 2, 1, 90]) } }
        #expect(error?.code == .flood)
    }

    @Test("T027 the budget for control messages fills up with time")
    func budget() {
        var budget = ControlMessageBudget()
        var now = ContinuousClock.now
        // Once a second is never too much, nor is a burst after a pause.
        for _ in 0..<1000 {
            budget.spend(now: now)
            now = now.advanced(by: .seconds(1))
        }
        now = now.advanced(by: .seconds(3600))
        for _ in 0..<ControlMessageBudget.burst { budget.spend(now: now) }
        #expect(!budget.isExceeded)
        budget.spend(now: now)
        #expect(budget.isExceeded)
        // What is exceeded stays so.
        budget.spend(now: now.advanced(by: .seconds(3600)))
        #expect(budget.isExceeded)
    }
}
