// SPDX-License-Identifier: Apache-2.0
import ApusTransport

extension XMPPSession {
    /// Time on the session's clock, for the machines that know no clock.
    var sinceStart: Duration { .nanoseconds(configuration.clock.now.nanoseconds) }

    func startLiveness() {
        liveness = LivenessStateMachine(
            interval: configuration.livenessInterval, timeout: configuration.livenessTimeout, now: sinceStart)
        tick()
    }

    /// The network changed, or the machine woke up: find out now whether the connection still works.
    ///
    /// Waiting for the next attempt ends at once.
    public func networkChanged() {
        guard case .online = phase, let action = liveness?.suspect(sinceStart) else { return }
        follow(action)
    }

    private func tick() {
        guard let action = liveness?.tick(sinceStart) else { return }
        follow(action)
    }

    private func follow(_ action: LivenessStateMachine.Action) {
        livenessTimer?.cancel()
        switch action {
        case .wait(let span): rearm(span)
        case .probe(let span):
            probe()
            rearm(span)
        case .dead:
            channel?.abort()
            end(
                XMPPError(
                    .connectionLost, "the server has not answered for \(configuration.livenessTimeout)",
                    isRetryable: true))
        }
    }

    private func rearm(_ span: Duration) {
        livenessTimer = configuration.clock.schedule(after: span) { [weak self] in
            self?.assumeIsolated { $0.tick() }
        }
    }

    /// A request for acknowledgement, or without stream management a ping (XEP-0199 §4.2); both must be answered.
    private func probe() {
        if management.isEnabled {
            control.raw("<r xmlns=\"urn:xmpp:sm:3\"/>")
            flushControl()
        } else if !isUnauthenticated {
            Task { _ = try? await get(Ping.request) }
        }
    }
}
