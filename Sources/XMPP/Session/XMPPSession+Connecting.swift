// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport

extension XMPPSession {
    /// Connects, logs in and binds or resumes; returns when the session is online.
    ///
    /// From then on the session stays connected by itself as ``SessionConfiguration/reconnect`` says, until
    /// ``disconnect()`` or an error that trying again cannot mend; that error ends all subscriptions. Connecting a session
    /// that is online returns at once.
    ///
    /// Throws ``XMPPError`` when the first attempt fails; nothing goes on then. Cancelling the task ends the attempt.
    public func connect() async throws {
        guard !isLeaving else { throw XMPPError(.disconnected, "the session is disconnecting") }
        switch phase {
        case .online: return
        case .idle: start(persists: false)
        case .connecting, .waiting: break
        case .disconnecting: throw XMPPError(.disconnected, "the session is disconnecting")
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { onlineWaiters.append($0) }
        } onCancel: {
            Task { await self.disconnect() }
        }
    }

    /// Keeps the session connected from now on, through failures of the first attempt too; returns at once.
    ///
    /// ``events()`` tells how it goes.
    public func start() {
        if case .idle = phase { start(persists: true) }
    }

    /// Ends the session in good order: unavailable presence, the last acknowledgements, the end of the stream; then returns.
    ///
    /// Waits up to 2 seconds for the server. What was not acknowledged by then is kept by a store, and otherwise lost; tickets
    /// say so. Cancelling does not shorten it.
    public func disconnect() async {
        guard let driver else { return }
        guard !isLeaving else { return await driver.value }
        isLeaving = true
        if case .online = phase, !isUnauthenticated { await sayGoodbye() }
        let patience = configuration.clock.now.advanced(by: Self.goodbye)
        // The end of the stream may have been the end of the session already; the next one is none of our business.
        guard self.driver == driver else { return await commitsFinished(until: patience) }
        phase = .disconnecting
        if channel != nil {
            channel?.abort()
            end(XMPPError(.disconnected, "the session was disconnected"))
        }
        await commitsFinished(until: patience)
        certificatePrompter?.cancel()
        driver.cancel()
        await driver.value
    }

    private func start(persists: Bool) {
        isLeaving = false
        phase = .connecting
        if !isUnauthenticated, configuration.purpose != .registration { sends.open() }
        driver = Task { await drive(persists: persists) }
    }

    /// Connects again and again, as the policy says.
    private func drive(persists: Bool) async {
        var policy = ReconnectStateMachine(configuration.reconnect)
        var wasOnline = persists
        attempt = 0
        var last: XMPPError?
        var hasBegunAnew = false
        await loadStore()
        while !Task.isCancelled {
            attempt += 1
            phase = .connecting
            // What came on the stream before is handled first: the server must not hear a count that leaves it out and send it
            // again.
            await commitsFinished()
            if let store, management.resumption != nil, !(await store.mayResume()) { forgetStream() }
            if isOrderlyEnd { break }
            emit(.connecting(attempt: attempt))
            hasFreshPin = false
            let error = judged(await runAttempt())
            let lasted = onlineSince.map { $0.duration(to: configuration.clock.now) }
            if lasted != nil { wasOnline = true }
            onlineSince = nil
            last = error
            if isOrderlyEnd { break }
            if beginsAnew {
                beginsAnew = false
                continue
            }
            // Once: the next attempt sends nothing ahead.
            if error.code == .offerChanged, !hasBegunAnew {
                hasBegunAnew = true
                continue
            }
            hasBegunAnew = false
            // The server may have lost its patience while the user thought about its certificate.
            if hasFreshPin, lasted == nil, error.code == .tlsFailed || error.code == .connectionLost { continue }
            guard wasOnline else { break }
            let chance = configuration.randomness.fraction()
            guard case .retry(let wait) = policy.ended(error, lasted: lasted, chance: chance) else { break }
            phase = .waiting
            emit(.interrupted(error, retryIn: wait))
            await sleep(wait)
        }
        // Whoever hears of the end may end the process, and what was written last is to be with the system by then.
        await loop.flushed()
        ended(last)
    }

    /// The session ends because it was told to, or because its account was removed.
    var isOrderlyEnd: Bool {
        if case .disconnecting = phase { return true }
        return isLeaving
    }

    private func sleep(_ span: Duration) async {
        let gate = WakeGate()
        retryGate = gate
        let timer = configuration.clock.schedule(after: span) { gate.open() }
        await withTaskCancellationHandler {
            await gate.wait(isolation: self)
        } onCancel: {
            gate.open()
        }
        timer.cancel()
    }

    private func ended(_ error: XMPPError?) {
        let isOrderly = isOrderlyEnd
        isLeaving = false
        let reason =
            isOrderly || error == nil ? XMPPError(.disconnected, "the session was disconnected") : error
        let cause = reason ?? XMPPError(.disconnected, "the session was disconnected")
        failRequests(cause)
        sends.close(cause)
        leave(isOrderly: isOrderly)
        phase = .idle
        driver = nil
        for waiter in onlineWaiters { waiter.resume(throwing: cause) }
        onlineWaiters = []
        emit(.ended(isOrderly ? nil : error))
        messagePublisher.finish(isOrderly ? nil : error)
        presencePublisher.finish(isOrderly ? nil : error)
        eventPublisher.finish(isOrderly ? nil : error)
        inboxes.finish(isOrderly ? nil : error)
        roomsEnded()
    }

    /// What the session leaves behind: with a store that has it all, without one nothing after an orderly end.
    private func leave(isOrderly: Bool) {
        if store == nil {
            if isOrderly { management = StreamManagementStateMachine() }
        } else if commits.isGivenUp {
            commits = CommitPipeline()
        } else {
            commits.isLoaded = false
            startCommit(isUrgent: true)
        }
    }

    /// One stream from the look-up to its end; gives the reason of the end.
    func runStream(at place: RedirectStateMachine.Place, deadline: Duration) async -> XMPPError {
        let started = configuration.clock.now
        let found: any ByteChannel
        do throws(TransportError) {
            found = configuration.traced(
                try await configuration.connector.connect(to: target(place), loop: loop, deadline: deadline),
                account: account.jid.bare)
        } catch { return XMPPError(transport: error, domain: account.jid.domain) }
        if Task.isCancelled {
            found.abort()
            return XMPPError(.disconnected, "the session was disconnected")
        }
        let used = started.duration(to: configuration.clock.now)
        // Where the user was asked about the certificate, that time does not count.
        let left = hasFreshPin ? deadline : deadline - used
        return await withCheckedContinuation { continuation in
            endOfStream = continuation
            channel = found
            lastEndpoint = found.endpoint
            if !pauses.isEmpty { found.pauseReading() }
            parser.reset()
            parser.limits = .beforeLogin
            decoder = StanzaDecoder()
            kept = []
            startLoginTimer(left)
            awaitsFeatures = false
            var machine = NegotiationStateMachine(negotiationConfiguration())
            var bindings = found.tlsInformation.map {
                isInWebSocket ? ChannelBindings(webSocket: $0) : ChannelBindings($0)
            }
            if let information = found.tlsInformation {
                announce(information)
            } else if account.server?.security == ServerAddress.Security.none {
                bindings = nil
            }
            let action = machine.connected(secure: bindings)
            negotiation = machine
            perform(action)
            found.delegate = bridge
        }
    }

    var target: ConnectTarget {
        var target = ConnectTarget(
            domain: account.jid.asciiDomain, trust: tlsTrust, override: account.server?.endpoint)
        target.tls.tickets = tickets
        target.proxy = account.proxy?.proxy
        target.webSocket = .xmpp
        if !configuration.looksForWebSockets { target.webSocket?.lookup = nil }
        return completed(target)
    }

    private func negotiationConfiguration() -> NegotiationStateMachine.Configuration {
        var machine = NegotiationStateMachine.Configuration(
            domain: account.jid.domain, local: isAnonymous ? "" : account.jid.local ?? "",
            nonce: configuration.randomness.token())
        machine.purpose = configuration.purpose
        machine.resource = account.jid.resource
        machine.language = configuration.language
        machine.password = account.credentials.password.map { (try? saslPrep($0)).map { Array($0.utf8) } ?? [] }
        // The secret of a component counts byte by byte.
        if isComponent { machine.password = account.credentials.password.map { Array($0.utf8) } }
        machine.keys = account.credentials.keys ?? login.keys
        machine.policy.permitsPlain = account.permitsPlain
        machine.policy.hasCertificate = account.clientCertificate != nil
        machine.policy.hasPassword = account.credentials.password != nil
        machine.policy.storedHash = machine.keys.flatMap { HashAlgorithm(scramName: $0.hashName) }
        machine.requiresTLS = account.server?.security != ServerAddress.Security.none
        machine.policy.permitsInsecure = !machine.requiresTLS && account.permitsPlain
        machine.enablesManagement = configuration.usesStreamManagement
        machine.resumption = management.resumption
        recall(&machine)
        return machine
    }

    /// The stream is inside a WebSocket.
    var isInWebSocket: Bool { channel?.endpoint.webSocketPath != nil }

    func startLoginTimer(_ span: Duration) {
        loginTimer?.cancel()
        loginTimer = configuration.clock.schedule(after: span) { [weak self] in
            self?.assumeIsolated { $0.loginTimedOut() }
        }
    }

    private func loginTimedOut() {
        guard channel != nil, let machine = negotiation else { return }
        // Bytes ahead of an answer may have got lost in a server that was not ready for them.
        if machine.login.wasSentAhead {
            isPatient = true
            chokes = true
        }
        guard management.resumption != nil else { return fail(loginTimeoutError, nil) }
        // The server may have resumed the session already: to close the stream would end it there.
        channel?.abort()
        end(loginTimeoutError)
    }

    var loginTimeoutError: XMPPError {
        XMPPError(
            .timedOut, "\(account.jid.domain) took longer than \(configuration.loginTimeout) for the login",
            isRetryable: true)
    }
}

extension XMPPError {
    /// The SHA-256 digest of the certificate that was refused, to be shown, and to go into
    /// ``Trust/pinnedCertificates`` if the user says that it is the right one.
    public var refusedCertificate: [UInt8]? {
        guard let cause = underlying as? TransportError, case .tls(let error) = cause.code else { return nil }
        return error.peerFingerprint
    }

    init(transport error: TransportError, domain: String) {
        switch error.code {
        case .tls:
            self.init(.tlsFailed, error.description, isRetryable: error.isRetryable, underlying: error)
        case .timedOut:
            self.init(.timedOut, error.description, isRetryable: true, underlying: error)
        case .cancelled:
            self.init(.disconnected, "the session was disconnected", underlying: error)
        default:
            self.init(.connectionFailed, error.description, isRetryable: error.isRetryable, underlying: error)
        }
    }
}
