// SPDX-License-Identifier: Apache-2.0
import Testing
@testable import XMPP
import XMPPTesting

@Suite("Bytes inside the stream (XEP-0047)")
struct InBandBytesTests {
    @Test("the elements are written and read")
    func roundTrips() throws {
        try roundTrip(InBandOpen(sid: "a", blockSize: 4096))
        try roundTrip(InBandOpen(sid: "a", blockSize: 65_535, usesMessages: true))
        try roundTrip(InBandData(sid: "a", sequence: 65_535, bytes: [1, 2, 3]))
        try roundTrip(InBandData(sid: "a", sequence: 0, bytes: []))
        try roundTrip(InBandClose(sid: "a"))
    }

    @Test(
        "T157 an opening that breaks the rules is refused",
        arguments: [
            "block-size='4096'", "sid='a'", "sid='' block-size='4096'", "sid='a' block-size='0'",
            "sid='a' block-size='65536'", "sid='a' block-size='-1'", "sid='a' block-size='x'",
            "sid='a' block-size='4096' stanza='presence'",
        ])
    func opening(_ attributes: String) throws {
        #expect(InBandOpen(try received("<open xmlns='http://jabber.org/protocol/ibb' \(attributes)/>")) == nil)
    }

    @Test(
        "T157 a block that breaks the rules is refused",
        arguments: [
            "seq='0'>AQID", "sid='a'>AQID", "sid='a' seq='65536'>AQID", "sid='a' seq='-1'>AQID", "sid='a' seq='0'>A",
            "sid='a' seq='0'>%%%%", "sid='a' seq='0'>AQ=ID",
        ])
    func block(_ content: String) throws {
        #expect(InBandData(try received("<data xmlns='http://jabber.org/protocol/ibb' \(content)</data>")) == nil)
    }

    @Test("a block in lines is read")
    func lines() throws {
        let data = InBandData(
            try received("<data xmlns='http://jabber.org/protocol/ibb' sid='a' seq='1'>\n  AQ\n  ID\n</data>"))
        #expect(data?.bytes == [1, 2, 3])
    }

    func receiver(_ byteCount: Int64? = 10, limit: Int64 = 20) -> InBandReceiverStateMachine {
        var machine = InBandReceiverStateMachine(blockSize: 8, byteCount: byteCount, limit: limit)
        #expect(machine.opened(InBandOpen(sid: "a", blockSize: 6)) == .acknowledge)
        return machine
    }

    func isFailure(_ action: InBandReceiverStateMachine.Action, _ condition: StanzaError.Condition) -> Bool {
        if case .fail(let error, _) = action { error.condition == condition } else { false }
    }

    @Test("everything in order is taken, and finished when it was all")
    func order() {
        var machine = receiver()
        #expect(machine.received(0, count: 6) == .take)
        #expect(machine.received(1, count: 4) == .take)
        #expect(machine.closed() == .finish)
        #expect(machine.closed() == .refuse(StanzaError(.itemNotFound)))
    }

    @Test("T157 a gap, a repetition, a block out of order end it", arguments: [[1], [0, 0], [0, 2], [65_535]])
    func gaps(_ sequences: [UInt16]) {
        var machine = receiver()
        for sequence in sequences.dropLast() { #expect(machine.received(sequence, count: 1) == .take) }
        #expect(isFailure(machine.received(sequences.last ?? 0, count: 1), .unexpectedRequest))
        #expect(machine.received(0, count: 1) == .refuse(StanzaError(.itemNotFound)))
    }

    @Test("T157 a block larger than agreed, more bytes than offered, and fewer end it")
    func sizes() {
        var large = receiver()
        #expect(isFailure(large.received(0, count: 7), .badRequest))
        var more = receiver()
        #expect(more.received(0, count: 6) == .take)
        #expect(isFailure(more.received(1, count: 5), .notAcceptable))
        var fewer = receiver()
        #expect(fewer.received(0, count: 6) == .take)
        #expect(isFailure(fewer.closed(), .notAcceptable))
        var endless = receiver(nil, limit: 7)
        #expect(endless.received(0, count: 6) == .take)
        #expect(isFailure(endless.received(1, count: 2), .notAcceptable))
    }

    @Test("the number of a block begins again after 65535")
    func wraps() {
        var machine = receiver(nil, limit: 1 << 40)
        for number in 0...70_000 {
            guard machine.received(UInt16(truncatingIfNeeded: number), count: 1) == .take else {
                Issue.record("block \(number) was refused")
                return
            }
        }
        #expect(machine.count == 70_001)
    }

    @Test("T157 data before the opening, messages instead of requests, blocks over the limit are refused")
    func openings() {
        var machine = InBandReceiverStateMachine(blockSize: 8, byteCount: 10, limit: 10)
        #expect(machine.received(0, count: 1) == .refuse(StanzaError(.itemNotFound)))
        guard case .refuse(let large) = machine.opened(InBandOpen(sid: "a", blockSize: 9)),
            case .refuse(let message) = machine.opened(InBandOpen(sid: "a", blockSize: 8, usesMessages: true))
        else {
            Issue.record("it was opened")
            return
        }
        #expect(large.condition == .resourceConstraint && message.condition == .notAcceptable)
        #expect(machine.opened(InBandOpen(sid: "a", blockSize: 8)) == .acknowledge)
        guard case .refuse(let again) = machine.opened(InBandOpen(sid: "a", blockSize: 8)) else {
            Issue.record("it was opened twice")
            return
        }
        #expect(again.condition == .notAcceptable)
    }

    @Test("a file goes out block by block, each after the one before was acknowledged")
    func sending() {
        var machine = InBandSenderStateMachine(bytes: 0..<5, blockSize: 2)
        #expect(machine.start() == .open(blockSize: 2))
        #expect(machine.acknowledged() == .send(sequence: 0, offset: 0, count: 2))
        #expect(machine.acknowledged() == .send(sequence: 1, offset: 2, count: 2))
        #expect(machine.acknowledged() == .send(sequence: 2, offset: 4, count: 1))
        #expect(machine.acknowledged() == .close)
        #expect(machine.acknowledged() == .finished)
    }

    @Test("smaller blocks are tried when the other side wants them, and a refusal in the middle is the end")
    func smaller() {
        var machine = InBandSenderStateMachine(bytes: 0..<5000, blockSize: 4096)
        let small = StanzaError(.resourceConstraint)
        #expect(machine.refused(small) == .open(blockSize: 2048))
        #expect(machine.refused(small) == .open(blockSize: 1024))
        #expect(machine.refused(small) == .fail)
        var other = InBandSenderStateMachine(bytes: 0..<5000, blockSize: 4096)
        #expect(other.refused(StanzaError(.notAcceptable)) == .fail)
        _ = other.acknowledged()
        #expect(other.refused(small) == .fail)
    }

    @Test("a file of nothing is opened and closed, and a close that crosses another one is fine")
    func empty() {
        var machine = InBandSenderStateMachine(bytes: 0..<0, blockSize: 4096)
        #expect(machine.acknowledged() == .close)
        #expect(machine.refused(StanzaError(.itemNotFound)) == .finished)
    }
}
