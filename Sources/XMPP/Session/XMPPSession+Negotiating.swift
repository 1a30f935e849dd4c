// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import Dispatch

extension XMPPSession {
    /// Does what the negotiation decided.
    func perform(_ action: NegotiationStateMachine.Action) {
        if negotiation?.isAuthenticated == true { parser.limits = .afterLogin }
        switch action {
        case .wait: break
        case .open(let header): open(header)
        case .openAhead(let header, let elements): open(header, elements)
        case .send(let element): write(element)
        case .sendAll(let elements): write(elements)
        case .startTLS:
            // Whatever followed <proceed/> belongs to TLS (RFC 6120 §5.4.2.3).
            let unread = parser.takeBufferedBytes()
            unread.withUnsafeBytes { channel?.startTLS(target.tls, unread: $0) }
        case .derive(let derivation):
            withPassword {
                derivation.keys(password: $0)
            } then: {
                $0.keysDerived($1)
            }
        case .salt(let derivation):
            withPassword {
                derivation.salted(password: $0)
            } then: {
                $0.passwordSalted($1)
            }
        case .keep(let element): if kept.count < 1024 { kept.append(element) }
        case .bound(let stream): bound(stream)
        case .resumed(let stream): resumed(stream)
        case .unauthenticated(let features):
            negotiation = nil
            streamFeatures = features
            isUnauthenticated = true
            phase = .online
            onlineSince = configuration.clock.now
            loginTimer?.cancel()
            startLiveness()
            releaseOnlineWaiters()
        case .invalidated:
            learn(negotiation?.login)
            fail(XMPPError(.disconnected, "the token was given back"), nil)
        case .fail(let error, let streamError):
            noteFailure(error)
            fail(error, streamError)
        }
    }

    private func open(_ header: StreamHeader, _ elements: [Element] = []) {
        parser.reset()
        parser.limits = negotiation?.isAuthenticated == true ? .afterLogin : .beforeLogin
        _ = try? header.write(to: &control)
        write(elements)
    }

    private func write(_ elements: [Element]) {
        for element in elements { _ = try? control.element(element, inheriting: Namespace.client) }
        flushControl()
    }

    func secured(_ information: TLSInformation) {
        // With direct TLS the handshake was over before the channel came here.
        guard let negotiation, !negotiation.isSecure else { return }
        announce(information)
        if let action = self.negotiation?.secured(ChannelBindings(information)) { perform(action) }
    }

    /// PBKDF2 takes milliseconds and more: it runs on a thread that may be busy that long.
    private func withPassword<Derived: Sendable>(
        _ derive: @escaping @Sendable ([UInt8]) -> Derived,
        then take: @escaping @Sendable (inout NegotiationStateMachine, Derived) -> NegotiationStateMachine.Action
    ) {
        guard let text = account.credentials.password else {
            let what =
                "the stored keys do not fit any more, since the password was changed or the server salts it anew for each"
                + " login; give the password again"
            return fail(XMPPError(.passwordNeeded, what), nil)
        }
        guard let password = try? saslPrep(text), !password.isEmpty else {
            return fail(XMPPError(.invalidArgument, "the password holds characters that no password may have"), nil)
        }
        let stream = channel
        DispatchQueue.global(qos: .userInitiated).async { [loop, weak self] in
            let derived = derive(Array(password.utf8))
            loop.execute { [weak self] in
                self?.assumeIsolated { session in
                    guard session.channel === stream, var machine = session.negotiation else { return }
                    let action = take(&machine, derived)
                    session.negotiation = machine
                    session.perform(action)
                }
            }
        }
    }

    private func bound(_ stream: NegotiationStateMachine.BoundStream) {
        announce(stream.login)
        if stream.management?.id != management.resumptionID || management.resumption != nil {
            failRequests(
                XMPPError(.connectionLost, "the connection was lost before the answer came", isRetryable: true))
        }
        streamFeatures = stream.features
        inlineFeatures = stream.login.inlineFeatures
        boundJID = stream.jid
        if isAnonymous { account.jid = stream.jid.bare }
        var dropped: [UnacknowledgedQueue.Entry] = []
        let outcome = management.restarted(
            stream.management, handledBefore: stream.failedResumption?.handled, dropped: &dropped)
        apply(outcome)
        giveUp(dropped, XMPPError(.connectionLost, "the session could not be resumed", isRetryable: true))
        giveBack()
        isUnannounced = true
        (isOfEarlierRun, presenceNews) = (false, .untold)
        commits.isDirty = true
        sends.acknowledges(management.isEnabled)
        // The store must know the new stream before anything is written on it.
        afterCommit { [self] in wentOnline(isResumed: false) }
    }

    private func resumed(_ stream: NegotiationStateMachine.ResumedStream) {
        announce(stream.login)
        streamFeatures = stream.features
        // That holds for the stream that was bound; carbons go on.
        inlineFeatures.removeAll { $0 == ClientState.namespace }
        if case .tooHigh(let handled, let sent) = apply(management.resumed(stream.handled)) {
            return acknowledgedTooMuch(handled, sent)
        }
        if management.isSpent { return leaveSpentStream() }
        sends.acknowledges(true)
        afterCommit { [self] in wentOnline(isResumed: true) }
    }

    /// The stream was resumed before, and nothing on it was answered: it is not used again.
    ///
    /// Now that its count is known, what is left goes out on a new one, at once and once
    /// (docs/design/0003-half-a-stanza.md).
    private func leaveSpentStream() {
        management.counted()
        commits.isDirty = true
        beginsAnew = true
        onlineSince = configuration.clock.now
        control.raw("</stream:stream>")
        flushControl()
        channel?.close()
        let what = "the resumed stream is not answered; a new one begins"
        end(XMPPError(.connectionLost, what, isRetryable: true))
    }

    private func announce(_ summary: NegotiationStateMachine.LoginSummary) {
        let keys = summary.keys ?? login.keys
        login = summary
        login.keys = keys
        awaitsFeatures = summary.awaitsFeatures
        learn(summary)
        emit(.authenticated(mechanism: summary.mechanism, isBoundToChannel: summary.isBoundToChannel))
    }

    private func wentOnline(isResumed: Bool) {
        guard let boundJID, let channel else { return }
        // One that is resumed before anybody heard of it is news all the same.
        let isResumed = isResumed && !isUnannounced
        isUnannounced = false
        negotiation = nil
        loginTimer?.cancel()
        parser.limits = .afterLogin
        phase = .online
        onlineSince = configuration.clock.now
        configuration.connector.report(channel.endpoint, worked: true)
        startLiveness()
        rewriteUnacknowledged()
        if !isResumed { inboxes.streamBegan() }
        tellPresence()
        roomsWentOnline(boundJID, isResumed: isResumed)
        clientStateBegins()
        emit(.online(boundJID, isResumed: isResumed))
        releaseOnlineWaiters()
        let early = kept
        kept = []
        for element in early { receive(element, counts: false) }
        deliver()
        flush()
        let isSetUp = isResumed && !isOfEarlierRun
        isOfEarlierRun = false
        for module in modules { Task { await module.didGoOnline(self, isResumed: isSetUp) } }
        pump()
    }

    private func releaseOnlineWaiters() {
        for waiter in onlineWaiters { waiter.resume() }
        onlineWaiters = []
    }

    func emit(_ event: SessionEvent) { _ = eventPublisher.publish([event]) }
}
