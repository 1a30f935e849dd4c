// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// The login itself (RFC 6120 §6).
extension NegotiationStateMachine {
    /// SCRAM needs two rounds; a server that asks for more is not speaking it (T041).
    private static var maximumRounds: Int { 4 }

    mutating func authenticate() -> Action {
        if features.mechanisms.isEmpty, features.offersLegacyAuthentication {
            return fail(
                XMPPError(
                    .noUsableMechanism,
                    "the server only has the login from before XMPP 1.0 (XEP-0078), which shows the password to it"),
                nil)
        }
        let choice: MechanismChoice
        do throws(XMPPError) {
            choice = try MechanismChoice.choose(
                offered: features.mechanisms, channelBindings: features.channelBindings, available: bindings,
                policy: configuration.policy)
        } catch { return fail(error, nil) }
        login = LoginSummary(mechanism: choice.mechanism.name, isBoundToChannel: choice.mechanism.bindsChannel)
        switch choice.mechanism.family {
        case .plain:
            guard let password = configuration.password, !password.isEmpty else { return emptyPassword() }
            state = .authenticating(.plain, rounds: 0)
            return auth([0] + Array(configuration.local.utf8) + [0] + password)
        case .scram(let hash):
            if let password = configuration.password, password.isEmpty { return emptyPassword() }
            var machine = SCRAMStateMachine(
                hash: hash, binding: choice.binding, user: configuration.local, nonce: configuration.nonce,
                stored: configuration.keys)
            let first = machine.start()
            state = .authenticating(.scram(machine), rounds: 0)
            return auth(first)
        }
    }

    /// The keys of ``Action/derive(_:)``.
    package mutating func keysDerived(_ keys: SCRAMKeys) -> Action {
        guard case .deriving(.scram(var machine), let rounds) = state else { return .wait }
        login.keys = keys
        let action = machine.keysDerived(keys)
        state = .authenticating(.scram(machine), rounds: rounds)
        return answer(action)
    }

    mutating func authenticating(_ element: Element, _ sasl: SASL, _ rounds: Int) -> Action {
        if element.matches(.challenge) {
            guard rounds < Self.maximumRounds else { return violation("its login never ends", .policyViolation) }
            guard case .scram(var machine) = sasl, let message = decodeBase64(element.text) else {
                return fail(XMPPError(.authenticationFailed, "the server sent a challenge that cannot be read"), nil)
            }
            let action = machine.challenge(message)
            if case .derive = action {
                state = .deriving(.scram(machine), rounds: rounds + 1)
            } else {
                login.keys = configuration.keys
                state = .authenticating(.scram(machine), rounds: rounds + 1)
            }
            return answer(action)
        }
        if element.matches(.success) {
            if case .scram(var machine) = sasl {
                let text = element.text.trimmingXMLSpace
                guard let message = text == "=" ? [] : decodeBase64(text) else {
                    return fail(XMPPError(.serverNotAuthentic, "the server's proof cannot be read"), nil)
                }
                let verdict = machine.finish(message)
                guard verdict == .verified else { return answer(verdict) }
            }
            return open(authenticated: true)
        }
        if element.matches(.saslFailure) { return fail(Self.error(element), nil) }
        return unexpected(element)
    }

    private mutating func answer(_ action: SCRAMStateMachine.Action) -> Action {
        switch action {
        case .respond(let bytes): .send(Element(.response, text: base64(bytes)))
        case .derive(let derivation): .derive(derivation)
        case .verified: .wait
        case .fail(let error): fail(error, nil)
        }
    }

    private func auth(_ initial: [UInt8]) -> Action {
        .send(Element(.auth, attributes: ["mechanism": login.mechanism], text: base64(initial)))
    }

    private mutating func emptyPassword() -> Action {
        fail(XMPPError(.invalidArgument, "the password is empty"), nil)
    }

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
