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

    /// The network changed, another interface or address: finds out now whether the connection still works, and ends a
    /// wait for the next attempt at once.
    ///
    /// Call it when the system says so; a chat core of ChatKit does it by itself. Returns at once: the server is asked
    /// for a sign of life and has ``SessionConfiguration/livenessTimeout`` for it.
    public func networkDidChange() { lookNow() }

    /// The machine woke up: does the same, since nobody knows what became of the connection meanwhile.
    public func didWake() { lookNow() }

    private func lookNow() {
        retryGate?.open()
        guard case .online = phase, let action = liveness?.suspect(sinceStart) else { return }
        follow(action)
    }

    /// The server was asked for its count: silence is noticed after the timeout, not after the interval.
    func askedForCount() {
        liveness?.asked(sinceStart, isUnproven: management.isUnproven)
        tickSoon(configuration.livenessTimeout / (management.isUnproven ? 2 : 1))
    }

    private func tickSoon(_ span: Duration) {
        let due = configuration.clock.now.advanced(by: span)
        if due < livenessDue { rearm(span) }
    }

    /// So long a full reader may hold up what somebody waits for, and so many more messages it then gets.
    private static var grace: (wait: Duration, messages: Int) { (.seconds(1), 256) }

    /// A reader is full.
    ///
    /// Nothing more is read until it catches up; unless what it waits for itself, a reply or an
    /// acknowledgement, is among the unread: then it gets some more after a while, or it would wait for ever.
    func readerIsFull(_ published: Int) {
        leniency -= published
        guard leniency <= 0 else { return }
        leniency = 0
        pause(.reader)
        emit(.readingPaused)
        if liveness != nil { tickSoon(Self.grace.wait) }
    }

    /// The server gave its count.
    ///
    /// One that is no news is not asked for again at once, or the two sides would spin.
    func countAnswered(progressed: Bool) {
        liveness?.answered(progressed: progressed)
        if !progressed { tickSoon(configuration.livenessTimeout) }
    }

    private func tick() {
        if !pauses.isEmpty {
            liveness?.excused(sinceStart)
            if pauses.contains(.reader), tracker.count > 0 || sends.hasWaiters {
                leniency = Self.grace.messages
                unpause(.reader)
                pump()
            }
        }
        guard let action = liveness?.tick(sinceStart) else { return }
        follow(action)
        if pauses.contains(.reader) { tickSoon(Self.grace.wait) }
    }

    private func follow(_ action: LivenessStateMachine.Action) {
        switch action {
        case .wait(let span): rearm(span)
        case .probe(let span):
            probe()
            rearm(span)
        case .dead:
            if let channel { configuration.connector.report(channel.endpoint, worked: false) }
            channel?.abort()
            end(
                XMPPError(
                    .connectionLost, "the server has not answered for \(configuration.livenessTimeout)",
                    isRetryable: true))
        }
    }

    private func rearm(_ span: Duration) {
        livenessTimer?.cancel()
        livenessDue = configuration.clock.now.advanced(by: span)
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
            // A component asks itself, which takes the way over the server.
            Task { _ = try? await get(Ping.request, to: isComponent ? boundJID : nil) }
        }
    }
}
