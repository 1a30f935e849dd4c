// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@Suite("The counters of stream management")
struct StreamManagementStateMachineTests {
    typealias Machine = StreamManagementStateMachine
    typealias Entry = UnacknowledgedQueue.Entry

    /// A machine on a fresh stream.
    static func enabled(_ id: String = "s1") -> Machine {
        var machine = Machine()
        var dropped: [Entry] = []
        _ = machine.restarted(.init(id: id, canResume: true), handledBefore: nil, dropped: &dropped)
        return machine
    }

    /// Writes stanzas of one byte each with these sequence numbers.
    static func write(_ machine: inout Machine, _ sequences: ClosedRange<UInt64>, _ kind: SentStanza.Kind = .message) {
        let entries = sequences.map { Entry(sequence: $0, byteCount: 1, kind: kind, id: "m\($0)") }
        let bytes = sequences.map { UInt8(truncatingIfNeeded: $0) }
        machine.wrote(entries[...], bytes[...])
    }

    @Test("B150 B151 acknowledged stanzas leave the queue in order and for good")
    func acknowledges() {
        var machine = Self.enabled()
        Self.write(&machine, 1...5)
        #expect(machine.answered(0) == .none)
        #expect(machine.answered(3) == .through(3))
        #expect(machine.answered(3) == .none)
        #expect(machine.answered(5) == .through(5))
        Self.write(&machine, 6...6)
        #expect(machine.resumed(5) == .none)
        #expect(machine.unacknowledged.pending.map(\.sequence) == [6])
        #expect(Array(machine.unacknowledged.pendingBytes) == [6])
    }

    @Test(
        "T088 B154 B158 a count above what was sent is told and marks nothing",
        arguments: [
            (0, 1), (3, 4), (3, 40), (3, UInt32.max), (0, UInt32.max),
        ])
    func tooHigh(_ sent: Int, _ handled: UInt32) {
        for resumes in [false, true] {
            var machine = Self.enabled()
            if sent > 0 { Self.write(&machine, 1...UInt64(sent)) }
            let outcome = resumes ? machine.resumed(handled) : machine.answered(handled)
            #expect(outcome == .tooHigh(handled: handled, sent: UInt32(sent)))
            #expect(machine.unacknowledged.count == sent)
            #expect(machine.acknowledged == 0)
        }
    }

    @Test("T088 a count that goes back is too high by almost 2³²")
    func goesBack() {
        var machine = Self.enabled()
        Self.write(&machine, 1...5)
        #expect(machine.answered(3) == .through(3))
        #expect(machine.answered(2) == .tooHigh(handled: 2, sent: 5))
        #expect(machine.unacknowledged.count == 2)
    }

    @Test("T088 what waits for its turn was not sent, so it cannot be acknowledged")
    func notYetWritten() {
        var machine = Self.enabled()
        Self.write(&machine, 1...3)
        var dropped: [Entry] = []
        _ = machine.restarted(.init(id: "s2", canResume: true), handledBefore: nil, dropped: &dropped)
        machine.rewrote(1)
        #expect(machine.answered(2) == .tooHigh(handled: 2, sent: 1))
        #expect(machine.answered(1) == .through(1))
        machine.rewrote(1)
        #expect(machine.answered(2) == .through(2))
    }

    @Test("T090 the counters wrap around at 2³²")
    func wrapsAround() {
        let stored = StoredSession(
            state: SessionState(
                streamID: "s1", received: .max - 1, sentOnStream: .max - 1, acknowledgedOnStream: .max - 1),
            unacknowledged: [])
        var machine = Machine(stored)
        Self.write(&machine, 1...4)
        #expect(machine.sent == 2)
        #expect(machine.answered(.max) == .through(1))
        #expect(machine.answered(1) == .through(3))
        #expect(machine.answered(3) == .tooHigh(handled: 3, sent: 2))
        #expect(machine.answered(2) == .through(4))
        machine.handled(3)
        #expect(machine.received == 1)
        #expect(machine.resumption == .init(previousID: "s1", received: 1))
    }

    @Test("T091 B153 nothing is counted before the stream is managed, everything after it")
    func countsFromEnabled() {
        var machine = Machine()
        machine.handled(5)
        Self.write(&machine, 1...2)
        #expect((machine.received, machine.sent, machine.unacknowledged.count) == (0, 0, 0))
        #expect(machine.resumption == nil)
        machine = Self.enabled()
        machine.handled(2)
        Self.write(&machine, 3...3)
        #expect((machine.received, machine.sent, machine.unacknowledged.count) == (2, 1, 1))
    }

    @Test("T092 B148 resuming carries both counters on")
    func carriesOn() {
        var machine = Self.enabled()
        machine.handled(20)
        Self.write(&machine, 1...4)
        #expect(machine.answered(2) == .through(2))
        #expect(machine.resumption == .init(previousID: "s1", received: 20))
        #expect(machine.resumed(3) == .through(3))
        machine.handled(1)
        #expect((machine.received, machine.sent, machine.acknowledged) == (21, 4, 3))
        Self.write(&machine, 5...5)
        #expect(machine.answered(5) == .through(5))
    }

    @Test("B144 a refusal with a count acknowledges up to it, the rest starts a new count")
    func failedWithCount() {
        var machine = Self.enabled()
        machine.handled(9)
        Self.write(&machine, 1...8)
        #expect(machine.answered(3) == .through(3))
        var dropped: [Entry] = []
        let outcome = machine.restarted(.init(id: "s2", canResume: true), handledBefore: 6, dropped: &dropped)
        #expect(outcome == .through(6))
        #expect(machine.unacknowledged.pending.map(\.sequence) == [7, 8])
        #expect((machine.received, machine.sent, machine.acknowledged) == (0, 2, 0))
        #expect(machine.resumption == .init(previousID: "s2", received: 0))
        machine.rewrote(2)
        #expect(machine.answered(2) == .through(8))
    }

    @Test("T095 a refusal without a count leaves every message, and drops what is of its own time")
    func failedWithoutCount() {
        for handled in [nil, UInt32(400)] {
            var machine = Self.enabled()
            Self.write(&machine, 1...2)
            Self.write(&machine, 3...3, .presence)
            Self.write(&machine, 4...4, .iq)
            Self.write(&machine, 5...5)
            var dropped: [Entry] = []
            let outcome = machine.restarted(.init(id: "s2", canResume: true), handledBefore: handled, dropped: &dropped)
            #expect(outcome == .none)
            #expect(machine.unacknowledged.pending.map(\.sequence) == [1, 2, 5])
            #expect(Array(machine.unacknowledged.pendingBytes) == [1, 2, 5])
            #expect(dropped.map(\.sequence) == [3, 4])
        }
    }

    @Test("B149 a count is asked for when something is open and no question is")
    func asks() {
        var machine = Self.enabled()
        #expect(machine.takeRequest() == false)
        Self.write(&machine, 1...2)
        #expect(machine.takeRequest() == true)
        #expect(machine.takeRequest() == false)
        _ = machine.answered(1)
        #expect(machine.takeRequest() == true)
        _ = machine.resumed(1)
        #expect(machine.takeRequest() == true)
        _ = machine.answered(2)
        #expect(machine.takeRequest() == false)
        // A resumed stream has to prove that it is read, whether anything is open or not.
        _ = machine.resumed(2)
        #expect(machine.takeRequest() == true)
        #expect(machine.takeRequest() == false)
        _ = machine.answered(2)
        #expect(machine.takeRequest() == false)
        var unmanaged = Machine()
        Self.write(&unmanaged, 1...1)
        #expect(unmanaged.takeRequest() == false)
    }

    @Test("T092 a resumed stream that ended unanswered tells its count once more, and what is left was not handled")
    func unanswered() {
        var machine = Self.enabled()
        Self.write(&machine, 1...4)
        machine.disconnected()
        #expect(!machine.isSpent)
        // It was resumed, and ended before anything could be asked.
        #expect(machine.resumed(1) == .through(1))
        machine.disconnected()
        #expect(!machine.isSpent)
        #expect(machine.resumed(1) == .none)
        machine.rewrote(3)
        #expect(machine.takeRequest() == true)
        machine.disconnected()
        #expect(machine.isSpent)
        #expect(machine.resumption == .init(previousID: "s1", received: 0))
        #expect(machine.resumed(2) == .through(2))
        machine.counted()
        #expect(machine.resumption == nil && !machine.isSpent)
        machine.disconnected()
        #expect(!machine.isSpent)
        var dropped: [Entry] = []
        _ = machine.restarted(.init(id: "s2", canResume: true), handledBefore: nil, dropped: &dropped)
        #expect(machine.leftIsUnhandled && !machine.isUnproven)
        #expect(machine.unacknowledged.pending.map(\.sequence) == [3, 4])
        // That was known of the stream before, and is not of this one.
        _ = machine.restarted(.init(id: "s3", canResume: true), handledBefore: nil, dropped: &dropped)
        #expect(!machine.leftIsUnhandled)
    }

    @Test("T092 a resumed stream that answered is resumed as often as it breaks")
    func answeredAfterResumption() {
        var machine = Self.enabled()
        for _ in 0..<5 {
            _ = machine.resumed(0)
            #expect(machine.takeRequest() == true)
            #expect(machine.answered(0) == .none)
            machine.disconnected()
            #expect(!machine.isSpent)
        }
        // A stream that is new need not prove anything.
        var dropped: [Entry] = []
        _ = machine.resumed(0)
        _ = machine.restarted(.init(id: "s2", canResume: true), handledBefore: nil, dropped: &dropped)
        Self.write(&machine, 1...1)
        #expect(machine.takeRequest() == true)
        machine.disconnected()
        #expect(!machine.isSpent)
    }

    @Test("B154 a stored session comes back with its queue, counters and location")
    func restores() {
        let stanza = SentStanza(sequence: 7, kind: .message, id: "a", bytes: Array("<message/>".utf8))
        var machine = Machine(
            StoredSession(
                state: SessionState(
                    streamID: "s1", location: "[2001:db8::1]:5222", received: 4, sentOnStream: 9,
                    acknowledgedOnStream: 8),
                unacknowledged: [stanza]))
        #expect(machine.resumption == .init(previousID: "s1", received: 4))
        #expect(machine.location == "[2001:db8::1]:5222")
        #expect(machine.resumed(10) == .tooHigh(handled: 10, sent: 9))
        #expect(machine.resumed(9) == .through(7))
        machine = Machine(StoredSession(state: SessionState(), unacknowledged: [stanza]))
        #expect(machine.resumption == nil)
        #expect(machine.unacknowledged.count == 1)
    }

    @Test("a server that does not keep sessions is counted with, not resumed")
    func withoutResumption() {
        var machine = Machine()
        var dropped: [Entry] = []
        _ = machine.restarted(.init(id: "s1", canResume: false), handledBefore: nil, dropped: &dropped)
        #expect(machine.isEnabled)
        #expect(machine.resumption == nil)
        machine = Self.enabled()
        machine.ended()
        #expect(machine.resumption == nil)
    }
}

@Suite("The queue of unacknowledged stanzas")
struct UnacknowledgedQueueTests {
    static func queue(_ count: Int, bytes: Int) -> UnacknowledgedQueue {
        var queue = UnacknowledgedQueue()
        for index in 0..<count {
            queue.append(
                .init(sequence: UInt64(index), byteCount: bytes, kind: .message, id: nil),
                [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: bytes)[...])
        }
        return queue
    }

    @Test("each stanza keeps its own bytes while the front is taken away")
    func keepsBytes() {
        var queue = Self.queue(1000, bytes: 300)
        for taken in stride(from: 0, to: 1000, by: 7) {
            #expect(queue.first?.sequence == UInt64(taken))
            let leading = queue.leading(messages: 1)
            #expect(leading.entries.map(\.sequence) == [UInt64(taken)])
            #expect(leading.bytes.allSatisfy { $0 == UInt8(truncatingIfNeeded: taken) })
            #expect(leading.bytes.count == 300)
            let last = queue.stanzas.last
            #expect(last?.0.sequence == 999)
            #expect(last?.1.allSatisfy { $0 == UInt8(truncatingIfNeeded: 999) } == true)
            guard queue.count >= 7 else { break }
            #expect(queue.removeFirst(7) == UInt64(taken + 6))
        }
        #expect(queue.removeFirst(queue.count + 1) == nil)
        #expect(queue.removeFirst(0) == nil)
    }

    @Test(
        "T098 the queue says when nothing more should be written",
        arguments: [
            (16384, 1, false), (16385, 1, true), (4, 1024 * 1024, false), (5, 1024 * 1024, true),
        ])
    func highWater(_ count: Int, _ bytes: Int, _ isOver: Bool) {
        #expect(Self.queue(count, bytes: bytes).isOverHighWater == isOver)
    }
}
