// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@Suite("Which stanza makes the server close the stream")
struct SuspicionStateMachineTests {
    @Test("T067 the third stream error with the same stanza in front gives it up")
    func threeStrikes() {
        var machine = SuspicionStateMachine()
        #expect(!machine.isCautious)
        #expect(machine.streamFailed(oldest: 4) == .keep)
        #expect(machine.isCautious)
        #expect(machine.streamFailed(oldest: 4) == .keep)
        #expect(machine.streamFailed(oldest: 4) == .giveUp(4))
        #expect(machine.streamFailed(oldest: 5) == .keep)
    }

    @Test("T067 an acknowledgement clears the suspect; all of them end the caution")
    func innocent() {
        var machine = SuspicionStateMachine()
        _ = machine.streamFailed(oldest: 4)
        _ = machine.streamFailed(oldest: 4)
        machine.acknowledged(isEmpty: false)
        #expect(machine.isCautious)
        #expect(machine.streamFailed(oldest: 4) == .keep)
        #expect(machine.streamFailed(oldest: 5) == .keep)
        #expect(machine.streamFailed(oldest: 5) == .keep)
        machine.acknowledged(isEmpty: true)
        #expect(!machine.isCautious)
        #expect(machine.streamFailed(oldest: 5) == .keep)
    }

    @Test("T067 without anything unacknowledged there is no suspect")
    func nobody() {
        var machine = SuspicionStateMachine()
        for _ in 0..<5 { #expect(machine.streamFailed(oldest: nil) == .keep) }
        #expect(!machine.isCautious)
    }
}
