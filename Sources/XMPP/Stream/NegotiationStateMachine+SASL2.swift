// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// The login of XEP-0388, in which an address is bound (XEP-0386) or the stream of before taken up (XEP-0198 §9).
extension NegotiationStateMachine {
    /// The login with a token where there is a usable one (XEP-0484 §3.4), else with what the account has.
    mutating func sasl2Request(_ offer: SASL2Offer) throws(XMPPError) -> LoginRequest {
        var inline = inlineRequest(offer)
        let exchange: SASLExchange
        let initial: [UInt8]
        if let token = configuration.token, let mechanism = usableMechanism(of: token, offer) {
            login.mechanism = mechanism.name
            login.isBoundToChannel = mechanism.binding != nil
            exchange = SASLExchange(.token(proof: mechanism.answer(token: token.secret, bindings)))
            initial = mechanism.initial(user: configuration.local, token: token.secret, bindings)
            inline.append(FAST.use(count: token.count, invalidates: configuration.invalidatesToken))
            // A new one may come unasked, for the same mechanism (§3.5).
            asked.tokenMechanism = mechanism.name
        } else {
            guard !configuration.invalidatesToken else { throw Self.nothingToInvalidate }
            let list = MechanismChoice.Offer(
                mechanisms: offer.mechanisms, channelBindings: features.channelBindings, isSASL2: true)
            let choice = try MechanismChoice.choose(list, available: bindings, policy: configuration.policy)
            (exchange, initial) = try begin(choice, list)
            inline += tokenRequest(offer) + upgradeRequest(offer, choice)
        }
        return LoginRequest(
            element: SASL2.authenticate(
                mechanism: login.mechanism, initial: initial, userAgent: configuration.userAgent, inline: inline),
            state: .sasl2(exchange))
    }

    static var nothingToInvalidate: XMPPError {
        XMPPError(.notSupported, "the server no longer takes this kind of token")
    }

    private func usableMechanism(of token: FASTToken, _ offer: SASL2Offer) -> HTMechanism? {
        guard configuration.userAgent != nil, let mechanism = HTMechanism(name: token.mechanism),
            offer.tokenMechanisms?.contains(mechanism.name) == true, mechanism.fits(bindings),
            token.certificate == nil || token.certificate == bindings?.certificate,
            mechanism.binding != nil || !configuration.policy.requiresBinding
        else { return nil }
        return mechanism
    }

    private mutating func tokenRequest(_ offer: SASL2Offer) -> [Element] {
        guard configuration.requestsToken, configuration.userAgent != nil, let offered = offer.tokenMechanisms,
            let best = HTMechanism.best(
                offered: offered, available: bindings, requiresBinding: configuration.policy.requiresBinding)
        else { return [] }
        asked.tokenMechanism = best.name
        return [FAST.request(mechanism: best.name)]
    }

    /// XEP-0480: only who is bound to the channel hands over a new hash, or somebody in between would get it (T046).
    private mutating func upgradeRequest(_ offer: SASL2Offer, _ choice: MechanismChoice) -> [Element] {
        guard configuration.permitsUpgrade, configuration.password != nil, choice.mechanism.bindsChannel,
            case .scram(let hash) = choice.mechanism.family,
            let target = SASLUpgrade.target(offered: offer.upgrades, from: hash)
        else { return [] }
        asked.upgrade = target
        return [SASLUpgrade.request(target)]
    }

    /// What is to happen with the success: the stream of before goes on, or else an address is bound.
    private mutating func inlineRequest(_ offer: SASL2Offer) -> [Element] {
        asked = InlineRequest()
        guard !configuration.invalidatesToken else { return [] }
        var elements: [Element] = []
        if let resumption = configuration.resumption {
            // Bound inside the login, it could not be resumed after it.
            guard offer.resumes else { return [] }
            asked.resumes = true
            elements.append(StreamManagement.resume(resumption))
        }
        guard configuration.bindsInLogin, let offered = offer.bindFeatures else { return elements }
        let manages = offered.contains(StreamManagement.namespace)
        // An old way to enable stream management is better than none.
        guard manages || !configuration.enablesManagement else { return elements }
        let features = configuration.inline.filter { offered.contains($0.feature) }
        asked.binds = true
        asked.features = features.map(\.feature)
        elements.append(
            Bind2.request(
                tag: configuration.resource ?? "Apus",
                features: features.map(\.request) + (configuration.enablesManagement ? [StreamManagement.enable] : [])))
        return elements
    }

    mutating func sasl2(_ element: Element, _ before: SASLExchange) -> Action {
        var exchange = before
        guard !exchange.awaitsKeys else { return unexpected(element) }
        if element.matches(.sasl2Challenge) {
            let step = exchange.challenge(decodeBase64(element.text.trimmingXMLSpace))
            state = .sasl2(exchange)
            return sasl2(step)
        }
        if element.matches(.sasl2Failure) { return refused(element, exchange) }
        let isSuccess = element.matches(.sasl2Success)
        guard isSuccess || element.matches(.sasl2Continue) else { return unexpected(element) }
        if let error = prove(&exchange, element) {
            if exchange.isToken { login.lostToken = true }
            return fail(error, nil)
        }
        return isSuccess ? succeeded(element) : task(element)
    }

    mutating func sasl2(_ step: SASLExchange.Step) -> Action {
        switch step {
        case .respond(let bytes):
            noteKeys()
            return .send(SASL2.response(bytes))
        case .derive(let derivation): return .derive(derivation)
        case .fail(let error):
            // After a refused token Prosody 13 vouches for another list than it gave. A new stream settles whether it does
            // so there, before any proof goes out.
            if error.code == .downgraded, login.lostToken { return changed("it refused the token of this account") }
            return fail(error, nil)
        }
    }

    /// Whether the server is the one that knows the account.
    private func prove(_ exchange: inout SASLExchange, _ element: Element) -> XMPPError? {
        guard let data = element.child(.sasl2AdditionalData) else { return exchange.finish(nil) }
        guard let message = decodeBase64(data.text.trimmingXMLSpace) else {
            return XMPPError(.serverNotAuthentic, "the server's proof cannot be read")
        }
        return exchange.finish(message)
    }

    /// A refused token is forgotten, and the account logs in with what else it has, on the same stream (XEP-0484 §4.1).
    private mutating func refused(_ element: Element, _ exchange: SASLExchange) -> Action {
        let error = Self.error(element)
        guard exchange.isToken, error.code != .accountDisabled, !error.isRetryable else { return fail(error, nil) }
        login.lostToken = true
        configuration.token = nil
        guard !configuration.invalidatesToken, let offer = login.offer?.sasl2 else { return fail(error, nil) }
        do throws(XMPPError) {
            let request = try sasl2Request(offer)
            state = request.state
            return .send(request.element)
        } catch {
            guard error.code == .passwordNeeded else { return fail(error, nil) }
            return fail(
                XMPPError(
                    .passwordNeeded,
                    "the server no longer takes the token that stood for the password; enter the password again"), nil)
        }
    }

    mutating func succeeded(_ element: Element) -> Action {
        guard let text = element.child(.sasl2Identifier)?.text.trimmingXMLSpace, let jid = try? JID(text) else {
            return violation("its success names no address", .undefinedCondition)
        }
        guard isOurs(jid) else {
            return violation("it let \(jid) in, which is not the account that logged in", .invalidFrom)
        }
        isAuthenticated = true
        guard !configuration.invalidatesToken else {
            login.lostToken = true
            state = .done
            return .invalidated
        }
        if let mechanism = asked.tokenMechanism, let token = element.child(FAST.token) {
            login.token = FASTToken(token, mechanism: mechanism)
        }
        let (resumed, failed) = (element.child(.managementResumed), element.child(.managementFailed))
        let bound = element.child(Bind2.bound)
        if let resumed {
            guard asked.resumes, bound == nil, failed == nil else {
                return violation("it resumed a stream that it was not asked for", .policyViolation)
            }
            features = configuration.knownFeatures ?? StreamFeatures()
            login.awaitsFeatures = true
            return self.resumed(resumed)
        }
        if let failed {
            guard asked.resumes else {
                return violation("it refused to resume what it was not asked for", .policyViolation)
            }
            failedResumption = FailedResumption(failed)
            configuration.resumption = nil
        }
        guard let bound else {
            // Bind 2 was not asked for, or a server does not know what it offers: the features say how it goes on.
            state = .features(authenticated: true)
            return .wait
        }
        guard asked.binds, jid.resource != nil else {
            return violation("it bound no address", .undefinedCondition)
        }
        boundJID = jid
        features = configuration.knownFeatures ?? StreamFeatures()
        login.awaitsFeatures = true
        login.inlineFeatures = asked.features
        return self.bound(bound.child(.managementEnabled).map { EnabledManagement($0) })
    }
}

/// Tasks after the login (XEP-0388 §2.6.3): only the better hash of XEP-0480 is one that we do.
extension NegotiationStateMachine {
    private mutating func task(_ element: Element) -> Action {
        let tasks = element.child(.sasl2Tasks).map { $0.children(.sasl2Task).map { $0.text.trimmingXMLSpace } } ?? []
        guard let hash = asked.upgrade, tasks.contains(SASLUpgrade.task(hash)) else {
            let names = tasks.prefix(4).map { "\($0.prefix(64))" }.joined(separator: ", ")
            let text = element.child(.sasl2Text)?.text.trimmingXMLSpace ?? ""
            return fail(
                XMPPError(
                    .taskRequired,
                    "the server wants more than the password before it lets this account in (\(names)), which Apus "
                        + "cannot do; see the provider's pages" + (text.isEmpty ? "" : ": \(text.prefix(512))")), nil)
        }
        asked.upgrade = nil
        state = .upgrading(Upgrade(hash: hash, step: .salt))
        return .send(SASL2.next(task: SASLUpgrade.task(hash)))
    }

    mutating func upgrading(_ element: Element, _ upgrade: Upgrade) -> Action {
        if element.matches(.sasl2Failure) {
            login.failedUpgrade = true
            let error = Self.error(element)
            return fail(
                XMPPError(
                    .authenticationFailed, "the server did not take the new hash of the password (\(error))",
                    isRetryable: true), nil)
        }
        switch upgrade.step {
        case .salt:
            guard element.matches(.sasl2TaskData) else { return unexpected(element) }
            do throws(XMPPError) {
                let derivation = try SASLUpgrade.derivation(element, hash: upgrade.hash)
                state = .upgrading(Upgrade(hash: upgrade.hash, step: .derivation))
                return .salt(derivation)
            } catch {
                return fail(error, nil)
            }
        case .derivation: return unexpected(element)
        case .outcome:
            if element.matches(.sasl2Continue) { return task(element) }
            return element.matches(.sasl2Success) ? succeeded(element) : unexpected(element)
        }
    }

    /// The password of ``Action/salt(_:)``.
    package mutating func passwordSalted(_ salted: SaltedPassword) -> Action {
        guard case .upgrading(let upgrade) = state, upgrade.step == .derivation else { return .wait }
        login.keys = salted.keys
        state = .upgrading(Upgrade(hash: upgrade.hash, step: .outcome))
        return .send(SASL2.taskData(SASLUpgrade.hash(salted)))
    }
}
