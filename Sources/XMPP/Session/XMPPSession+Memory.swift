// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport

/// What one login leaves for the next.
extension XMPPSession {
    /// Takes over what a login taught; only a login that was accepted inside TLS teaches anything but the end of a token.
    func learn(_ summary: NegotiationStateMachine.LoginSummary?) {
        guard let summary, let machine = negotiation, machine.isSecure else { return }
        memory.learn(
            summary, certificate: machine.bindings?.certificate,
            isInWebSocket: machine.bindings?.isWebSocket == true)
        isPatient = chokes
        announceMemory()
    }

    /// The features of a stream that came up without them (XEP-0388 §2.6.1).
    func learnFeatures(_ element: Element) {
        awaitsFeatures = false
        streamFeatures = StreamFeatures(element)
        memory.features = streamFeatures
        announceMemory()
        emit(
            .offered(
                StreamOffer(element, streamFeatures, isSecure: channel?.tlsInformation != nil, isAuthenticated: true)))
        tellClientState()
    }

    /// A login failed: the token may be worth nothing now, and what is known of the server may be wrong.
    func noteFailure(_ error: XMPPError) {
        guard let machine = negotiation else { return }
        if machine.login.lostToken { memory.token = nil }
        if machine.login.failedUpgrade { permitsUpgrade = false }
        if error.code == .offerChanged {
            memory.offer = nil
            memory.features = machine.isAuthenticated ? machine.login.featuresAfterLogin : nil
            isPatient = true
            if machine.login.choked { chokes = true }
        }
        announceMemory()
    }

    /// Gives the token back, so that nobody can log in with it any more (XEP-0484 §3.6); returns when the server has done so.
    ///
    /// To be called when an account leaves this installation, on a session that is not connected; the session ends
    /// with it. Does nothing when there is no token.
    ///
    /// Throws ``XMPPError`` when the server could not be asked; the token is worth something until it expires then.
    /// Cancelling ends the attempt.
    public func invalidateToken() async throws {
        guard case .idle = phase else {
            throw XMPPError(.invalidArgument, "the session is connected; disconnect it first")
        }
        guard let token = memory.token, token.isAlive(at: configuration.wallClock()) else { return }
        invalidatesToken = true
        defer { invalidatesToken = false }
        do { try await connect() } catch {
            // One that the server did not know any more is given back as well.
            if memory.hasToken { throw error }
        }
    }

    func announceMemory() {
        guard memory != announcedMemory else { return }
        announcedMemory = memory
        emit(.loginMemoryChanged)
    }

    /// Fills in what the account remembers, and counts the try of a token.
    func recall(_ machine: inout NegotiationStateMachine.Configuration) {
        let wasBound = login.isBoundToChannel || memory.wasBound
        machine.policy.requiresBinding =
            account.requiresChannelBinding || wasBound && !(isInWebSocket && memory.wasUnboundInWebSocket)
        machine.policy.strongest = memory.strongest.flatMap { SASLMechanism(name: $0) }
        machine.policy.isAnonymous = isAnonymous
        machine.usesSASL2 = configuration.usesSASL2
        machine.sendsAhead = configuration.sendsAhead && !isPatient
        if memory.userAgentID == nil { memory.userAgentID = configuration.randomness.uuid() }
        machine.userAgent = memory.userAgentID.map { UserAgent(id: $0) }
        machine.bindsInLogin = configuration.readsArchive
        machine.inline = modules.flatMap(\.inlineBindings) + inlineClientState
        machine.permitsUpgrade = configuration.upgradesPasswords && permitsUpgrade
        // Servers offer another thing to those who come another way.
        if memory.isOfferOfWebSocket == isInWebSocket { machine.knownOffer = memory.offer }
        machine.knownFeatures = memory.features
        guard !isAnonymous, configuration.usesSASL2 else { return }
        machine.requestsToken = true
        machine.invalidatesToken = invalidatesToken
        if let token = memory.token, token.isAlive(at: configuration.wallClock()) {
            memory.token = token.tried
            machine.token = memory.token
        }
    }
}
