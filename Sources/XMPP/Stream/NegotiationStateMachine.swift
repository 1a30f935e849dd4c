// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// Everything from the open socket to the bound or resumed stream (RFC 6120 §4 to §7, XEP-0198): pure decisions.
///
/// Each state has the list of what may come in it; anything else ends the stream. Nothing that was learnt before
/// TLS outlives it.
package struct NegotiationStateMachine: Sendable {
    /// What to do after an event.
    package enum Action: Sendable, Hashable {
        /// Wait for more.
        case wait
        /// Forget the parser's state and send this stream header.
        case open(StreamHeader)
        /// Send this element.
        case send(Element)
        /// Give all further bytes to TLS.
        case startTLS
        /// Derive keys away from this thread, then call ``NegotiationStateMachine/keysDerived(_:)``.
        case derive(SCRAMDerivation)
        /// A stanza that came after the address was bound and before the stream is up: keep it for then.
        case keep(Element)
        /// The stream is up with a fresh session.
        case bound(BoundStream)
        /// The stream of before goes on.
        case resumed(ResumedStream)
        /// The stream is ready for registration, not logged in (XEP-0077).
        case unauthenticated(StreamFeatures)
        /// Close the stream, with that stream error if there is one to tell the server.
        case fail(XMPPError, StreamError?)
    }

    package struct BoundStream: Sendable, Hashable {
        package var jid: JID
        package var features: StreamFeatures
        /// Stream management as the server enabled it, nil without.
        package var management: EnabledManagement?
        /// A resumption was tried and refused; the count that the server handled, if it said so.
        package var failedResumption: FailedResumption?
        package var login: LoginSummary
    }

    package struct ResumedStream: Sendable, Hashable {
        /// The number of our stanzas that the server handled.
        package var handled: UInt32
        package var features: StreamFeatures
        package var login: LoginSummary
    }

    package struct EnabledManagement: Sendable, Hashable {
        package var id: String?
        package var canResume: Bool
        package var maximumSeconds: UInt32?
        package var location: String?

        package init(id: String?, canResume: Bool, maximumSeconds: UInt32? = nil, location: String? = nil) {
            self.id = id
            self.canResume = canResume
            self.maximumSeconds = maximumSeconds
            self.location = location
        }
    }

    package struct FailedResumption: Sendable, Hashable {
        package var handled: UInt32?
        package init(handled: UInt32?) { self.handled = handled }
    }

    /// How the login went, for the timeline and for what the account remembers.
    package struct LoginSummary: Sendable, Hashable {
        package var mechanism = ""
        package var isBoundToChannel = false
        package var keys: SCRAMKeys?
    }

    /// The stream to resume.
    package struct Resumption: Sendable, Hashable {
        package var previousID: String
        package var received: UInt32
        package init(previousID: String, received: UInt32) {
            self.previousID = previousID
            self.received = received
        }
    }

    package struct Configuration: Sendable {
        package enum Purpose: Sendable { case login, registration }
        package var purpose = Purpose.login
        /// The domain of the account as it goes into `to`.
        package var domain: String
        package var local: String
        package var resource: String?
        package var language: String?
        package var password: [UInt8]?
        package var keys: SCRAMKeys?
        package var policy = MechanismChoice.Policy()
        package var requiresTLS = true
        package var enablesManagement = true
        package var resumption: Resumption?
        /// Fresh random text for SCRAM and for ids.
        package var nonce: String

        package init(domain: String, local: String, nonce: String) {
            self.domain = domain
            self.local = local
            self.nonce = nonce
        }
    }

    enum State: Sendable {
        case idle
        /// Our header is sent, theirs is awaited.
        case opening(authenticated: Bool)
        case features(authenticated: Bool)
        case startingTLS
        case handshake
        case authenticating(SASL, rounds: Int)
        case deriving(SASL, rounds: Int)
        case resuming
        case binding(id: String, triedWithoutResource: Bool)
        case session(id: String)
        case enabling
        case done
    }

    enum SASL: Sendable {
        case plain
        case scram(SCRAMStateMachine)
    }

    var configuration: Configuration
    var state = State.idle
    var bindings: ChannelBindings?
    var features = StreamFeatures()
    var login = LoginSummary()
    var failedResumption: FailedResumption?
    var boundJID: JID?
    var isSecure: Bool { bindings != nil }
    /// The login was accepted: from here on the server may send stanzas of full size.
    var isAuthenticated: Bool {
        switch state {
        case .opening(let done), .features(let done): done
        case .resuming, .binding, .session, .enabling: true
        case .idle, .startingTLS, .handshake, .authenticating, .deriving, .done: false
        }
    }

    package init(_ configuration: Configuration) { self.configuration = configuration }

    /// The socket is open; with direct TLS its handshake is already done.
    package mutating func connected(secure bindings: ChannelBindings?) -> Action {
        self.bindings = bindings
        return open(authenticated: false)
    }

    /// The server's stream header arrived; `carriesStanzas` when its default namespace is the one of client stanzas.
    package mutating func header(_ element: Element, carriesStanzas: Bool) -> Action {
        guard case .opening(let authenticated) = state else {
            return violation("a second stream header", .badFormat)
        }
        do throws(StreamError) {
            _ = try ReceivedStreamHeader(element, domain: configuration.domain, carriesStanzas: carriesStanzas)
        } catch {
            if error.condition == .unsupportedVersion, element["version"] == nil {
                return fail(
                    XMPPError(.tlsNotOffered, "the server speaks a protocol from before XMPP 1.0, without TLS"), error)
            }
            return violation("its stream header is wrong (\(error))", error.condition)
        }
        state = .features(authenticated: authenticated)
        return .wait
    }

    /// A first-level element arrived.
    package mutating func element(_ element: Element) -> Action {
        if element.matches(.streamError) {
            state = .done
            return .fail(.stream(StreamError(element)), nil)
        }
        switch state {
        case .features(let authenticated):
            guard element.matches(.streamFeatures) else { return unexpected(element) }
            features = StreamFeatures(element)
            return authenticated ? afterLogin() : beforeLogin()
        case .startingTLS:
            if element.matches(.proceed) {
                state = .handshake
                features = StreamFeatures()
                return .startTLS
            }
            if element.matches(.tlsFailure) {
                return fail(XMPPError(.tlsFailed, "the server offers TLS but could not start it"), nil)
            }
            return unexpected(element)
        case .authenticating(let sasl, let rounds): return authenticating(element, sasl, rounds)
        case .resuming: return resuming(element)
        case .binding(let id, let tried): return binding(element, id, tried)
        case .session(let id):
            guard element.matches(.iq), element["id"] == id else { return early(element) }
            // RFC 3921 servers only; a refusal does not matter to anything that follows.
            return enable()
        case .enabling: return enabling(element)
        case .idle, .opening, .handshake, .deriving, .done: return unexpected(element)
        }
    }

    /// The TLS handshake that ``Action/startTLS`` asked for is done.
    package mutating func secured(_ bindings: ChannelBindings) -> Action {
        guard case .handshake = state else { return violation("TLS came out of order", nil) }
        self.bindings = bindings
        return open(authenticated: false)
    }

    /// The server closed the stream in good order before it was up.
    package mutating func closed() -> Action {
        fail(XMPPError(.connectionLost, "the server closed the stream during the login", isRetryable: true), nil)
    }

    mutating func open(authenticated: Bool) -> Action {
        state = .opening(authenticated: authenticated)
        let from = isSecure && configuration.purpose == .login ? "\(configuration.local)@\(configuration.domain)" : nil
        return .open(
            StreamHeader(
                to: configuration.domain, from: configuration.local.isEmpty ? nil : from,
                language: configuration.language))
    }

    private mutating func beforeLogin() -> Action {
        if !isSecure {
            if features.offersStartTLS {
                state = .startingTLS
                return .send(Element(.startTLS))
            }
            if configuration.requiresTLS {
                return fail(
                    XMPPError(
                        .tlsNotOffered,
                        "\(configuration.domain) does not offer TLS here; nothing was sent. "
                            + "Somebody may have taken the offer away, or the server lacks a certificate"),
                    StreamError(.policyViolation))
            }
        }
        guard configuration.purpose == .login else {
            state = .done
            return .unauthenticated(features)
        }
        return authenticate()
    }

    mutating func afterLogin() -> Action {
        if let resumption = configuration.resumption, features.offersStreamManagement {
            state = .resuming
            return .send(StreamManagement.resume(resumption))
        }
        return bind()
    }

    mutating func fail(_ error: XMPPError, _ streamError: StreamError?) -> Action {
        state = .done
        return .fail(error, streamError)
    }

    mutating func violation(_ what: String, _ condition: StreamError.Condition?) -> Action {
        fail(.violation(what), condition.map { StreamError($0) })
    }

    /// Once an address is bound the server may send stanzas at any time.
    mutating func early(_ element: Element) -> Action {
        element.matches(.message) || element.matches(.presence) || element.matches(.iq)
            ? .keep(element) : unexpected(element)
    }

    mutating func unexpected(_ element: Element) -> Action {
        violation("<\(element.localName.prefix(64))/> came out of order", .unsupportedStanzaType)
    }
}
