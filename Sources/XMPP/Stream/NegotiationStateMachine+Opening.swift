// SPDX-License-Identifier: Apache-2.0

/// Stream headers, TLS, and what goes out together with a header (RFC 6120 §4 and §5).
extension NegotiationStateMachine {
    private var header: StreamHeader {
        let from = isSecure && configuration.purpose == .login ? "\(configuration.local)@\(configuration.domain)" : nil
        return StreamHeader(
            to: configuration.domain, from: configuration.local.isEmpty ? nil : from,
            language: configuration.language)
    }

    /// The first stream, and the one inside TLS.
    mutating func open() -> Action {
        state = .opening(authenticated: false)
        if configuration.purpose == .component { return .open(componentHeader) }
        guard configuration.sendsAhead else { return .open(header) }
        if !isSecure {
            guard configuration.requiresTLS else { return .open(header) }
            // There is no stream without TLS, so it is asked for at once.
            ahead = .startTLS
            return .openAhead(header, [Element(.startTLS)])
        }
        guard configuration.purpose == .login, let known = configuration.knownOffer else { return .open(header) }
        features = known
        defer { features = StreamFeatures() }
        guard case .success(let request) = loginRequest() else { return .open(header) }
        login.wasSentAhead = true
        ahead = .login(request.state)
        return .openAhead(header, [request.element])
    }

    /// The stream after a login of RFC 6120: binding an address is the only thing that can follow, and with it
    /// `<enable/>`, unless this server is known to have no stream management.
    mutating func reopen() -> Action {
        isAuthenticated = true
        state = .opening(authenticated: true)
        guard configuration.sendsAhead else { return .open(header) }
        let known = configuration.knownFeatures
        login.wasSentAhead = true
        if let resumption = configuration.resumption, known?.offersStreamManagement ?? true {
            ahead = .resumption
            return .openAhead(header, [StreamManagement.resume(resumption)])
        }
        var (request, binding) = bindRequest(resource: configuration.resource)
        binding.enables =
            configuration.enablesManagement
            && known.map { $0.offersStreamManagement && !$0.requiresSession } ?? true
        ahead = .binding(binding)
        return .openAhead(header, [request] + (binding.enables ? [StreamManagement.enable] : []))
    }

    mutating func startingTLS(_ element: Element, _ awaitsFeatures: Bool) -> Action {
        if awaitsFeatures {
            guard element.matches(.streamFeatures) else { return unexpected(element) }
            guard StreamFeatures(element).offersStartTLS else { return noTLS() }
            state = .startingTLS(awaitsFeatures: false)
            return .wait
        }
        if element.matches(.proceed) {
            state = .handshake
            features = StreamFeatures()
            return .startTLS
        }
        if element.matches(.tlsFailure) {
            return fail(XMPPError(.tlsFailed, "the server offers TLS but could not start it"), nil)
        }
        return unexpected(element)
    }

    private mutating func noTLS() -> Action {
        fail(
            XMPPError(
                .tlsNotOffered,
                "\(configuration.domain) does not offer TLS here; nothing was sent. "
                    + "Somebody may have taken the offer away, or the server lacks a certificate"),
            StreamError(.policyViolation))
    }

    /// The features of a stream without a login arrived.
    mutating func beforeLogin() -> Action {
        if !isSecure {
            if features.offersStartTLS {
                state = .startingTLS(awaitsFeatures: false)
                return .send(Element(.startTLS))
            }
            if configuration.requiresTLS { return noTLS() }
        }
        guard configuration.purpose == .login else {
            state = .done
            return .unauthenticated(features)
        }
        if isSecure { login.offer = features }
        if case .login(let next)? = takeAhead() {
            guard let known = configuration.knownOffer, features.offersSameLogin(as: known) else {
                return changed("it offers other logins")
            }
            state = next
            return .wait
        }
        switch loginRequest() {
        case .failure(let error): return fail(error, nil)
        case .success(let request):
            state = request.state
            return .send(request.element)
        }
    }

    /// The features of a stream after the login arrived.
    mutating func afterLogin() -> Action {
        login.featuresAfterLogin = features
        switch takeAhead() {
        case .resumption:
            guard features.offersStreamManagement else { return changed("it has no stream management") }
            state = .resuming
            return .wait
        case .binding(let binding):
            guard features.offersBind else { return noBind() }
            if binding.enables, !features.offersStreamManagement || features.requiresSession {
                return changed("it has no stream management")
            }
            state = .binding(binding)
            return .wait
        case .startTLS, .login, nil: break
        }
        if let resumption = configuration.resumption, features.offersStreamManagement {
            state = .resuming
            return .send(StreamManagement.resume(resumption))
        }
        return bind()
    }
}
