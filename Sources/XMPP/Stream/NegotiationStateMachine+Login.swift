// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// The login of RFC 6120 §6, and what both kinds of login have in common.
extension NegotiationStateMachine {
    /// What to send to log in, and the state after it.
    struct LoginRequest {
        var element: Element
        var state: State
    }

    /// Chooses a login for the features that are there.
    ///
    /// SASL2 comes first: fewer turns, and what it offers includes what the other one does.
    mutating func loginRequest() -> Result<LoginRequest, XMPPError> {
        do throws(XMPPError) {
            if configuration.usesSASL2, isSecure, let offer = features.sasl2 {
                do throws(XMPPError) { return .success(try sasl2Request(offer)) } catch {
                    guard error.code == .noUsableMechanism, !features.mechanisms.isEmpty else { throw error }
                }
            }
            return .success(try classicRequest())
        } catch { return .failure(error) }
    }

    private mutating func classicRequest() throws(XMPPError) -> LoginRequest {
        guard !configuration.invalidatesToken else { throw Self.nothingToInvalidate }
        if features.mechanisms.isEmpty, features.offersLegacyAuthentication {
            throw XMPPError(
                .noUsableMechanism,
                "the server only has the login from before XMPP 1.0 (XEP-0078), which shows the password to it")
        }
        let offer = MechanismChoice.Offer(mechanisms: features.mechanisms, channelBindings: features.channelBindings)
        let choice = try MechanismChoice.choose(offer, available: bindings, policy: configuration.policy)
        let (exchange, initial) = try begin(choice, offer)
        let text = initial.isEmpty ? "=" : base64(initial)
        return LoginRequest(
            element: Element(.auth, attributes: ["mechanism": login.mechanism], text: text),
            state: .authenticating(exchange))
    }

    /// Starts the mechanism; gives its first message.
    mutating func begin(
        _ choice: MechanismChoice, _ offer: MechanismChoice.Offer
    ) throws(XMPPError) -> (SASLExchange, [UInt8]) {
        login.mechanism = choice.mechanism.name
        login.isBoundToChannel = choice.mechanism.bindsChannel
        login.keys = nil
        switch choice.mechanism.family {
        case .external:
            return (SASLExchange(.single), Array("\(configuration.local)@\(configuration.domain)".utf8))
        case .anonymous:
            return (SASLExchange(.single), [])
        case .plain:
            guard let password = configuration.password, !password.isEmpty else { throw Self.emptyPassword }
            return (SASLExchange(.single), [0] + Array(configuration.local.utf8) + [0] + password)
        case .scram(let hash):
            if let password = configuration.password, password.isEmpty { throw Self.emptyPassword }
            var machine = SCRAMStateMachine(
                hash: hash, binding: choice.binding, user: configuration.local, nonce: configuration.nonce,
                stored: configuration.keys,
                offer: SASLOffer(mechanisms: offer.mechanisms, channelBindings: offer.channelBindings),
                requiresProtection: choice.requiresProtection)
            let first = machine.start()
            return (SASLExchange(.scram(machine)), first)
        }
    }

    mutating func authenticating(_ element: Element, _ before: SASLExchange) -> Action {
        var exchange = before
        guard !exchange.awaitsKeys else { return unexpected(element) }
        if element.matches(.challenge) {
            let step = exchange.challenge(decodeBase64(element.text))
            state = .authenticating(exchange)
            return classic(step)
        }
        if element.matches(.success) {
            let text = element.text.trimmingXMLSpace
            guard let message = text == "=" ? [] : decodeBase64(text) else {
                return fail(XMPPError(.serverNotAuthentic, "the server's proof cannot be read"), nil)
            }
            if let error = exchange.finish(message) { return fail(error, nil) }
            return reopen()
        }
        if element.matches(.saslFailure) { return fail(Self.error(element), nil) }
        return unexpected(element)
    }

    mutating func classic(_ step: SASLExchange.Step) -> Action {
        switch step {
        case .respond(let bytes):
            noteKeys()
            return .send(Element(.response, text: base64(bytes)))
        case .derive(let derivation): return .derive(derivation)
        case .fail(let error): return fail(error, nil)
        }
    }

    /// The stored keys fitted: there are no newer ones.
    mutating func noteKeys() { if login.keys == nil { login.keys = configuration.keys } }

    private static var emptyPassword: XMPPError { XMPPError(.invalidArgument, "the password is empty") }

    /// What a SASL failure means to the user (RFC 6120 §6.5); the text of the server is shown as text.
    static func error(_ element: Element) -> XMPPError {
        let condition = element.children.first { $0.localName != "text" }?.localName ?? "not-authorized"
        let text = element.children.first { $0.localName == "text" }?.text.trimmingXMLSpace ?? ""
        let detail = text.isEmpty ? "" : ": \(text.prefix(512))"
        return switch condition {
        case "not-authorized", "invalid-authzid":
            XMPPError(.notAuthorized, "wrong user name or password\(detail)")
        case "credentials-expired":
            XMPPError(.notAuthorized, "the password has expired; set a new one with the provider\(detail)")
        case "account-disabled":
            XMPPError(.accountDisabled, "this account is switched off; ask the provider\(detail)")
        case "temporary-auth-failure":
            XMPPError(
                .authenticationFailed, "the server cannot check logins for now\(detail)", isRetryable: true)
        default:
            XMPPError(.authenticationFailed, "the server refused the login (\(condition.prefix(64)))\(detail)")
        }
    }
}
