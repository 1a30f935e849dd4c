// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@Suite("Which message makes the server close the stream")
struct SuspicionStateMachineTests {
    private func entry(_ sequence: UInt64, _ id: String?) -> UnacknowledgedQueue.Entry {
        .init(sequence: sequence, byteCount: 1, kind: .message, id: id)
    }

    @Test("T067 the third stream error with the same message in front gives it up, whatever its number is by then")
    func threeStrikes() {
        var machine = SuspicionStateMachine()
        #expect(!machine.isCautious)
        #expect(machine.streamFailed(oldest: entry(4, "a"), open: 2) == .keep)
        #expect(machine.isCautious)
        #expect(machine.streamFailed(oldest: entry(4, "a"), open: 1) == .keep)
        #expect(machine.streamFailed(oldest: entry(19, "a"), open: 1) == .giveUp(19))
        #expect(machine.streamFailed(oldest: entry(5, "b"), open: 1) == .keep)
    }

    @Test("T067 a message without an id is known by its number")
    func numbered() {
        var machine = SuspicionStateMachine()
        #expect(machine.streamFailed(oldest: entry(4, nil), open: 1) == .keep)
        #expect(machine.streamFailed(oldest: entry(5, nil), open: 1) == .keep)
        #expect(machine.streamFailed(oldest: entry(5, nil), open: 1) == .keep)
        #expect(machine.streamFailed(oldest: entry(5, nil), open: 1) == .giveUp(5))
    }

    @Test("T067 the suspect's acknowledgement clears it; the last doubtful one ends the caution")
    func innocent() {
        var machine = SuspicionStateMachine()
        _ = machine.streamFailed(oldest: entry(4, "a"), open: 3)
        _ = machine.streamFailed(oldest: entry(4, "a"), open: 3)
        machine.wrote(entry(7, "a"))
        machine.acknowledged(through: 6)
        #expect(machine.isCautious)
        machine.acknowledged(through: 7)
        #expect(machine.isCautious)
        #expect(machine.streamFailed(oldest: entry(9, "a"), open: 1) == .keep)
        machine.wrote(entry(10, "x"))
        machine.acknowledged(through: 10)
        #expect(machine.isCautious)
        machine.wrote(entry(12, "y"))
        machine.acknowledged(through: 12)
        #expect(!machine.isCautious)
        #expect(machine.streamFailed(oldest: entry(13, "a"), open: 1) == .keep)
    }

    @Test("T067 requests and presence between the messages clear nobody")
    func others() {
        var machine = SuspicionStateMachine()
        _ = machine.streamFailed(oldest: entry(4, "a"), open: 1)
        for sequence: UInt64 in 5...9 {
            machine.wrote(.init(sequence: sequence, byteCount: 1, kind: .iq, id: "i"))
            machine.acknowledged(through: sequence)
        }
        #expect(machine.isCautious)
        #expect(machine.streamFailed(oldest: entry(10, "a"), open: 1) == .keep)
        #expect(machine.streamFailed(oldest: entry(11, "a"), open: 1) == .giveUp(11))
        #expect(!machine.isCautious)
    }
}
