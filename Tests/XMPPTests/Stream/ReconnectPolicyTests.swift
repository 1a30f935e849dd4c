// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@Suite("When to connect again")
struct ReconnectPolicyTests {
    typealias Machine = ReconnectStateMachine

    static let lost = XMPPError(.connectionLost, "lost", isRetryable: true)
    static let policy = ReconnectPolicy(minimum: .seconds(1), maximum: .seconds(300), stableAfter: .seconds(60))

    @Test("T008 the wait doubles up to the ceiling and stays there", arguments: [0.0, 0.5, 1.0])
    func doubles(_ chance: Double) {
        var machine = Machine(Self.policy)
        var wait = Duration.seconds(1)
        for _ in 0..<100 {
            #expect(machine.ended(Self.lost, lasted: nil, chance: chance) == .retry(after: wait * (0.5 + chance / 2)))
            wait = min(wait * 2, .seconds(300))
        }
    }

    @Test("T008 a server that lets in and throws out again gets no more attempts than one that is down")
    func flapping() {
        var machine = Machine(Self.policy)
        #expect(machine.ended(Self.lost, lasted: .seconds(1), chance: 1) == .retry(after: .milliseconds(200)))
        for wait in [2, 4, 8, 16, 32, 64, 128, 256, 300, 300] {
            #expect(machine.ended(Self.lost, lasted: .seconds(1), chance: 1) == .retry(after: .seconds(wait)))
        }
    }

    @Test("T008 only a session that lasted starts the waits anew")
    func stableSession() {
        var machine = Machine(Self.policy)
        for _ in 0..<5 { _ = machine.ended(Self.lost, lasted: nil, chance: 1) }
        #expect(machine.ended(Self.lost, lasted: .seconds(59), chance: 1) == .retry(after: .seconds(32)))
        #expect(machine.ended(Self.lost, lasted: .seconds(60), chance: 1) == .retry(after: .milliseconds(200)))
        #expect(machine.ended(Self.lost, lasted: nil, chance: 1) == .retry(after: .seconds(2)))
    }

    @Test(
        "T043 B34 B32 what trying again cannot mend is not tried again",
        arguments: [
            XMPPError(.notAuthorized, "wrong password"), XMPPError.stream(StreamError(.conflict)),
            XMPPError.stream(StreamError(.notAuthorized)), XMPPError.stream(StreamError(.policyViolation)),
            XMPPError(.tlsFailed, "expired"), XMPPError(.downgraded, "no binding"),
            XMPPError(.noUsableMechanism, "none"),
        ])
    func finalErrors(_ error: XMPPError) {
        var machine = Machine(Self.policy)
        #expect(machine.ended(error, lasted: .seconds(600), chance: 0.5) == .stop)
    }

    @Test(
        "B21 B38 errors that pass are tried again",
        arguments: [
            XMPPError.stream(StreamError(.systemShutdown)), XMPPError.stream(StreamError(.reset)),
            XMPPError.stream(StreamError(.internalServerError)), XMPPError.stream(StreamError(.connectionTimeout)),
            XMPPError.stream(StreamError(.resourceConstraint)), XMPPError.stream(StreamError(.other("odd"))),
        ])
    func passingErrors(_ error: XMPPError) {
        var machine = Machine(Self.policy)
        #expect(machine.ended(error, lasted: nil, chance: 1) == .retry(after: .seconds(1)))
    }

    @Test("a policy that never tries again never does")
    func never() {
        var machine = Machine(.never)
        #expect(machine.ended(Self.lost, lasted: .seconds(600), chance: 0.5) == .stop)
    }
}
