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
        machine.wrote([entry(7, "a")])
        machine.acknowledged(through: 6)
        #expect(machine.isCautious)
        machine.acknowledged(through: 7)
        #expect(machine.isCautious)
        #expect(machine.streamFailed(oldest: entry(9, "a"), open: 1) == .keep)
        machine.wrote([entry(10, "x")])
        machine.acknowledged(through: 10)
        #expect(machine.isCautious)
        machine.wrote([entry(12, "y")])
        machine.acknowledged(through: 12)
        #expect(!machine.isCautious)
        #expect(machine.streamFailed(oldest: entry(13, "a"), open: 1) == .keep)
    }

    @Test("T067 requests and presence between the messages clear nobody")
    func others() {
        var machine = SuspicionStateMachine()
        _ = machine.streamFailed(oldest: entry(4, "a"), open: 1)
        for sequence: UInt64 in 5...9 {
            machine.wrote([.init(sequence: sequence, byteCount: 1, kind: .iq, id: "i")])
            machine.acknowledged(through: sequence)
        }
        #expect(machine.isCautious)
        #expect(machine.streamFailed(oldest: entry(10, "a"), open: 1) == .keep)
        #expect(machine.streamFailed(oldest: entry(11, "a"), open: 1) == .giveUp(11))
        #expect(!machine.isCautious)
    }

    /// Sends until nobody is doubtful any more, and the server handles all of it; gives the sizes of the groups.
    private func drain(_ machine: inout SuspicionStateMachine, from first: UInt64) -> [Int] {
        var sizes: [Int] = []
        var next = first
        while machine.isCautious, sizes.count < 2000 {
            let group = (0..<UInt64(machine.allowance)).map { entry(next + $0, "m\(next + $0)") }
            machine.wrote(group[...])
            next += UInt64(group.count)
            machine.acknowledged(through: next - 1)
            sizes.append(group.count)
        }
        return sizes
    }

    @Test("T067 when the server takes them, a few turns are enough for hundreds of doubtful messages")
    func speed() {
        var machine = SuspicionStateMachine()
        _ = machine.streamFailed(oldest: entry(1, "m1"), open: 928)
        let sizes = drain(&machine, from: 1)
        #expect(sizes.prefix(7) == [1, 2, 4, 8, 16, 32, 32])
        #expect(sizes.count == 34)
        // All is forgotten: the next one begins with one again.
        _ = machine.streamFailed(oldest: entry(2000, "x"), open: 3)
        #expect(machine.allowance == 1)
    }

    @Test("T067 those that were together when the stream ended go out one at a time")
    func together() {
        var machine = SuspicionStateMachine()
        _ = machine.streamFailed(oldest: entry(1, "m1"), open: 100)
        for group in [1...1, 2...3, 4...7] as [ClosedRange<UInt64>] {
            machine.wrote(group.map { entry($0, "m\($0)") }[...])
            machine.acknowledged(through: group.upperBound)
        }
        machine.wrote((8...15).map { entry($0, "m\($0)") }[...])
        // The server handled two of them before.
        machine.acknowledged(through: 9)
        #expect(machine.streamFailed(oldest: entry(10, "m10"), open: 6) == .keep)
        for sequence: UInt64 in 10...11 {
            #expect(machine.allowance == 1)
            machine.wrote([entry(sequence, "m\(sequence)")])
            machine.acknowledged(through: sequence)
        }
        #expect(machine.streamFailed(oldest: entry(12, "m12"), open: 1) == .keep)
        #expect(machine.allowance == 1)
        machine.wrote([entry(12, "m12")])
        #expect(machine.streamFailed(oldest: entry(12, "m12"), open: 1) == .keep)
        machine.wrote([entry(12, "m12")])
        #expect(machine.streamFailed(oldest: entry(12, "m12"), open: 1) == .giveUp(12))
        #expect(drain(&machine, from: 13).prefix(5) == [1, 1, 1, 1, 2])
    }
}
