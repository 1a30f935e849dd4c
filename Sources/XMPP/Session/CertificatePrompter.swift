// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport

/// Puts the questions of TLS about refused certificates to the user, each once, and remembers the answers.
///
/// Several connections that race to one server bring the same certificate: they share one question. Owner of the
/// state: its lock.
final class CertificatePrompter: Sendable {
    private struct State {
        /// What was answered about a certificate, by its digest.
        var answers: [[UInt8]: Bool] = [:]
        var waiting: [[UInt8]: [@Sendable (Bool) -> Void]] = [:]
        var tasks: [[UInt8]: Task<Void, Never>] = [:]
    }

    private let state = Locked(State())
    private let prompt: @Sendable (CertificateRefusal) async -> Bool
    private let timeout: Duration
    private let clock: any LoopClock
    private let bridge: SessionBridge

    /// Nil when there is nobody to ask.
    init?(_ configuration: SessionConfiguration, _ bridge: SessionBridge) {
        guard let prompt = configuration.certificatePrompt else { return nil }
        self.prompt = prompt
        self.bridge = bridge
        timeout = configuration.certificatePromptTimeout
        clock = configuration.clock
    }

    /// For the configuration of TLS; made once, so that equal configurations stay equal.
    var decider: TLSTrustDecider {
        TLSTrustDecider { [weak self] refusal, answer in
            guard let self, let question = CertificateRefusal(refusal) else { return answer(false) }
            self.ask(question, answer)
        }
    }

    /// Whether the user said no to a certificate.
    func hasRefused(_ fingerprint: [UInt8]) -> Bool { state.withLock { $0.answers[fingerprint] == false } }

    /// All open questions are answered with no, for this attempt only.
    func cancel() {
        let open = state.withLock { state -> [@Sendable (Bool) -> Void] in
            for task in state.tasks.values { task.cancel() }
            defer { (state.waiting, state.tasks) = ([:], [:]) }
            return state.waiting.values.flatMap { $0 }
        }
        for answer in open { answer(false) }
    }

    private func ask(_ question: CertificateRefusal, _ answer: @escaping @Sendable (Bool) -> Void) {
        let fingerprint = question.certificate.fingerprint
        let (known, isFirst) = state.withLock { state -> (Bool?, Bool) in
            if let known = state.answers[fingerprint] { return (known, false) }
            state.waiting[fingerprint, default: []].append(answer)
            return (nil, state.waiting[fingerprint]?.count == 1)
        }
        if let known { return answer(known) }
        guard isFirst else { return }
        tell { $0.questionOpened() }
        let timer = clock.schedule(after: timeout) { [weak self] in self?.end(question, nil) }
        let task = Task { [prompt] in
            let accepts = await prompt(question)
            timer.cancel()
            // A cancelled prompt says nothing.
            self.end(question, Task.isCancelled ? nil : accepts)
        }
        state.withLock { $0.tasks[fingerprint] = $0.waiting[fingerprint] == nil ? nil : task }
    }

    /// Ends a question; nil when nobody answered it.
    private func end(_ question: CertificateRefusal, _ answer: Bool?) {
        let fingerprint = question.certificate.fingerprint
        let waiting = state.withLock { state -> [@Sendable (Bool) -> Void] in
            guard let waiting = state.waiting.removeValue(forKey: fingerprint) else { return [] }
            state.tasks.removeValue(forKey: fingerprint)?.cancel()
            state.answers[fingerprint] = answer
            return waiting
        }
        guard !waiting.isEmpty else { return }
        // First the session, so that it knows of the pin when the handshake is done.
        tell { $0.questionAnswered(question, answer ?? false) }
        for reply in waiting { reply(answer ?? false) }
    }

    private func tell(_ call: @escaping @Sendable (isolated XMPPSession) -> Void) {
        bridge.loopDo { session in session.assumeIsolated { call($0) } }
    }
}
