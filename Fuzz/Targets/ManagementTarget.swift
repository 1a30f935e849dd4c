// SPDX-License-Identifier: Apache-2.0
import XMPP

/// Stream management against a model that is obviously right: a list of what is open, and 64-bit counters.
///
/// Each byte is a step; a count that the server says is taken from the next one, near the true one or far off.
func fuzzManagement(_ bytes: UnsafeRawBufferPointer) {
    var input = FuzzInput(bytes)
    var machine = StreamManagementStateMachine()
    var open: [UInt64] = []
    /// How many of those, the oldest ones, were written on this stream.
    var written = 0
    var next: UInt64 = 1
    var (acknowledged, handled): (UInt32, UInt32) = (0, 0)
    var isEnabled = false
    /// The stream was resumed, and no answer came since.
    var isUnproven = false
    // Near the wrap-around, so that it is reached.
    if input.byte() & 1 != 0 {
        machine = StreamManagementStateMachine(
            StoredSession(
                state: SessionState(
                    streamID: "s", received: .max - 3, sentOnStream: .max - 2, acknowledgedOnStream: .max - 2,
                    nextSequence: 1), unacknowledged: []))
        (acknowledged, handled, isEnabled) = (.max - 2, .max - 3, true)
    }
    while !input.isEmpty {
        let step = input.byte()
        switch step % 7 {
        case 0, 1:
            let count = Int(step >> 4) + 1
            let entries = (0..<count).map { offset in
                UnacknowledgedQueue.Entry(
                    sequence: next + UInt64(offset), byteCount: 1,
                    kind: offset.isMultiple(of: 3) ? .presence : .message, id: nil)
            }
            machine.wrote(entries[...], [UInt8](repeating: 1, count: count)[...])
            if isEnabled {
                open += entries.map(\.sequence)
                written += count
            }
            next += UInt64(count)
        case 2, 3:
            let distance = input.byte()
            let said = acknowledged &+ (distance < 250 ? UInt32(distance) : UInt32.max - UInt32(distance))
            let count = Int(said &- acknowledged)
            isUnproven = step % 7 == 3
            let outcome = isUnproven ? machine.resumed(said) : machine.answered(said)
            if count > written {
                guard case .tooHigh = outcome else { preconditionFailure("\(count) of \(written) were believed") }
            } else if count == 0 {
                precondition(outcome == .none)
            } else {
                precondition(outcome == .through(open[count - 1]))
                open.removeFirst(count)
                written -= count
                acknowledged = said
            }
        case 4:
            machine.handled(Int(step))
            if isEnabled { handled &+= UInt32(step) }
        case 5:
            let kind = input.byte()
            let management: NegotiationStateMachine.EnabledManagement? =
                kind & 1 != 0 ? .init(id: kind & 2 != 0 ? "x" : nil, canResume: kind & 4 != 0) : nil
            let before = kind & 8 != 0 ? acknowledged &+ UInt32(kind >> 4) : nil
            var dropped: [UnacknowledgedQueue.Entry] = []
            let outcome = machine.restarted(management, handledBefore: before, dropped: &dropped)
            if let before, case let count = Int(before &- acknowledged), count > 0, count <= written {
                precondition(outcome == .through(open[count - 1]))
                open.removeFirst(count)
            } else {
                precondition(outcome == .none, "a count of a stream that is over ended this one")
            }
            precondition(dropped.allSatisfy { $0.kind != .message }, "a message was given up")
            open.removeAll { sequence in dropped.contains { $0.sequence == sequence } }
            (acknowledged, handled, written) = (0, 0, 0)
            isEnabled = management != nil
            isUnproven = false
            if !isEnabled {
                machine.forgetUnacknowledged()
                open = []
            }
        default:
            if isEnabled {
                machine.rewrote(open.count)
                written = max(written, open.count)
            }
            let asked = machine.takeRequest()
            precondition(!asked || isUnproven || !open.isEmpty, "a request for nothing")
        }
        precondition(machine.unacknowledged.pending.map(\.sequence) == open, "the queue is another")
        precondition(machine.received == handled && machine.acknowledged == acknowledged)
    }
}
