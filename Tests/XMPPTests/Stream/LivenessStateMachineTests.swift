// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@Suite("Is the connection alive")
struct LivenessStateMachineTests {
    typealias Machine = LivenessStateMachine

    static func machine() -> Machine { Machine(interval: .seconds(120), timeout: .seconds(20), now: .seconds(1000)) }
    static func at(_ seconds: Int) -> Duration { .seconds(1000 + seconds) }

    @Test("B33 silence is asked about after the interval, and is death after the timeout")
    func silence() {
        var machine = Self.machine()
        #expect(machine.tick(Self.at(0)) == .wait(.seconds(120)))
        #expect(machine.tick(Self.at(119)) == .wait(.seconds(1)))
        #expect(machine.tick(Self.at(120)) == .probe(.seconds(20)))
        #expect(machine.tick(Self.at(139)) == .wait(.seconds(1)))
        #expect(machine.tick(Self.at(140)) == .dead)
    }

    @Test("T063 B15 anything that arrives is a sign of life")
    func signsOfLife() {
        var machine = Self.machine()
        #expect(machine.tick(Self.at(120)) == .probe(.seconds(20)))
        machine.heard(Self.at(130))
        #expect(machine.tick(Self.at(140)) == .wait(.seconds(110)))
        machine.heard(Self.at(249))
        #expect(machine.tick(Self.at(250)) == .wait(.seconds(119)))
    }

    @Test("T006 silence after something was sent is death after the timeout, not after the interval")
    func halfOpen() {
        var machine = Self.machine()
        machine.asked(Self.at(5))
        machine.asked(Self.at(15))
        #expect(machine.tick(Self.at(24)) == .wait(.seconds(1)))
        #expect(machine.tick(Self.at(25)) == .dead)
    }

    @Test("B33 a change of the network is followed by a probe at once")
    func networkChange() {
        var machine = Self.machine()
        #expect(machine.suspect(Self.at(3)) == .probe(.seconds(20)))
        #expect(machine.tick(Self.at(22)) == .wait(.seconds(1)))
        #expect(machine.tick(Self.at(23)) == .dead)
    }

    @Test("T098 a server that talks and never acknowledges is left in the end")
    func neverAcknowledges() {
        var machine = Self.machine()
        machine.asked(Self.at(0))
        for second in stride(from: 10, through: 130, by: 10) {
            machine.heard(Self.at(second))
            #expect(machine.tick(Self.at(second)) != .dead)
        }
        machine.heard(Self.at(139))
        #expect(machine.tick(Self.at(139)) == .wait(.seconds(1)))
        machine.heard(Self.at(140))
        #expect(machine.tick(Self.at(140)) == .dead)
    }

    @Test("T098 a resumed stream that does not answer is left after half the timeout, after all of it if it talks")
    func unproven() {
        var machine = Self.machine()
        machine.asked(Self.at(0), isUnproven: true)
        #expect(machine.tick(Self.at(9)) == .wait(.seconds(1)))
        #expect(machine.tick(Self.at(10)) == .dead)
        machine = Self.machine()
        machine.asked(Self.at(0), isUnproven: true)
        machine.heard(Self.at(19))
        #expect(machine.tick(Self.at(19)) == .wait(.seconds(1)))
        #expect(machine.tick(Self.at(20)) == .dead)
        machine = Self.machine()
        machine.asked(Self.at(0), isUnproven: true)
        machine.heard(Self.at(19))
        machine.answered(progressed: true)
        #expect(machine.tick(Self.at(20)) == .wait(.seconds(119)))
        machine.asked(Self.at(50))
        machine.heard(Self.at(91))
        #expect(machine.tick(Self.at(91)) == .wait(.seconds(99)))
    }

    @Test("T098 an acknowledgement starts the patience anew, one without news is asked for again at the next tick")
    func answers() {
        var machine = Self.machine()
        machine.asked(Self.at(0))
        machine.heard(Self.at(1))
        machine.answered(progressed: true)
        #expect(machine.tick(Self.at(100)) == .wait(.seconds(21)))
        machine.asked(Self.at(100))
        machine.heard(Self.at(101))
        machine.answered(progressed: false)
        #expect(machine.tick(Self.at(110)) == .probe(.seconds(20)))
        machine.heard(Self.at(111))
        #expect(machine.tick(Self.at(240)) == .dead)
    }

    @Test("while nothing is read, nothing is said about the other side")
    func excused() {
        var machine = Self.machine()
        machine.asked(Self.at(0))
        machine.excused(Self.at(140))
        #expect(machine.tick(Self.at(140)) == .wait(.seconds(120)))
    }

    @Test("T014 a clock that stood still or ran far ahead asks once, then judges")
    func jumps() {
        var machine = Self.machine()
        #expect(machine.tick(Self.at(8 * 3600)) == .probe(.seconds(20)))
        #expect(machine.tick(Self.at(8 * 3600)) == .wait(.seconds(20)))
    }
}
