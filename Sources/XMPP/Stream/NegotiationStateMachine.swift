// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// Everything from the open socket to the bound or resumed stream (RFC 6120 §4 to §7, XEP-0198): pure decisions.
///
/// Each state has the list of what may come in it; anything else ends the stream. Nothing that was learnt before
/// TLS outlives it. What is sent ahead of the server's answer is in ``Ahead``: it was wrong to be sent when the answer
/// is another than expected, and then the stream ends before anything follows from it.
package struct NegotiationStateMachine: Sendable {
    enum State: Sendable {
        case idle
        /// Our header is sent, theirs is awaited.
        case opening(authenticated: Bool)
        case features(authenticated: Bool)
        /// `<starttls/>` is sent; the features may still be on their way when it was sent ahead of them.
        case startingTLS(awaitsFeatures: Bool)
        case handshake
        case authenticating(SASLExchange)
        case sasl2(SASLExchange)
        case upgrading(Upgrade)
        case resuming
        case binding(Binding)
        case session(id: String)
        case enabling
        /// A component showed that it knows the secret.
        case proving
        case done
    }

    /// What was sent in one write with a stream header.
    enum Ahead: Sendable {
        case startTLS
        /// A login made for the offer of an earlier stream, and the state it leads to.
        case login(State)
        case resumption
        case binding(Binding)
    }

    var configuration: Configuration
    var state = State.idle
    /// What the server has not answered with its header or features yet.
    var ahead: Ahead?
    var bindings: ChannelBindings?
    var features = StreamFeatures()
    /// How the login went so far; to be looked at also when it failed.
    package internal(set) var login = LoginSummary()
    var asked = InlineRequest()
    var failedResumption: FailedResumption?
    var boundJID: JID?
    var isSecure: Bool { bindings != nil }
    /// The login was accepted: from here on the server may send stanzas of full size.
    package internal(set) var isAuthenticated = false

    package init(_ configuration: Configuration) { self.configuration = configuration }

    /// The socket is open; with direct TLS its handshake is already done.
    package mutating func connected(secure bindings: ChannelBindings?) -> Action {
        self.bindings = bindings
        return open()
    }

    /// The server's stream header arrived; `carriesStanzas` when its default namespace is the one of client stanzas.
    package mutating func header(_ element: Element, carriesStanzas: Bool) -> Action {
        guard case .opening(let authenticated) = state else {
            return violation("a second stream header", .badFormat)
        }
        if configuration.purpose == .component { return componentHeader(element, carriesStanzas: carriesStanzas) }
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
        if case .startTLS? = ahead {
            ahead = nil
            state = .startingTLS(awaitsFeatures: true)
        }
        return .wait
    }

    /// A first-level element arrived.
    package mutating func element(_ element: Element) -> Action {
        if element.matches(.streamError) { return streamFailed(StreamError(element)) }
        switch state {
        case .features(let authenticated):
            guard element.matches(.streamFeatures) else { return unexpected(element) }
            features = StreamFeatures(element)
            return authenticated ? afterLogin() : beforeLogin()
        case .startingTLS(let awaitsFeatures): return startingTLS(element, awaitsFeatures)
        case .authenticating(let exchange): return authenticating(element, exchange)
        case .sasl2(let exchange): return sasl2(element, exchange)
        case .upgrading(let upgrade): return upgrading(element, upgrade)
        case .resuming: return resuming(element)
        case .binding(let binding): return self.binding(element, binding)
        case .session(let id):
            guard element.matches(.iq), element["id"] == id else { return early(element) }
            // RFC 3921 servers only; a refusal does not matter to anything that follows.
            return enable()
        case .enabling: return enabling(element)
        case .proving: return proving(element)
        case .idle, .opening, .handshake, .done: return unexpected(element)
        }
    }

    /// The TLS handshake that ``Action/startTLS`` asked for is done.
    package mutating func secured(_ bindings: ChannelBindings) -> Action {
        guard case .handshake = state else { return violation("TLS came out of order", nil) }
        self.bindings = bindings
        return open()
    }

    /// The server closed the stream in good order before it was up.
    package mutating func closed() -> Action {
        if wentTooFar { return choked("it closed the stream where another went on") }
        return fail(XMPPError(.connectionLost, "the server closed the stream during the login", isRetryable: true), nil)
    }

    /// The keys of ``Action/derive(_:)``.
    package mutating func keysDerived(_ keys: SCRAMKeys) -> Action {
        login.keys = keys
        switch state {
        case .authenticating(var exchange):
            guard let step = exchange.keysDerived(keys) else { return .wait }
            state = .authenticating(exchange)
            return classic(step)
        case .sasl2(var exchange):
            guard let step = exchange.keysDerived(keys) else { return .wait }
            state = .sasl2(exchange)
            return sasl2(step)
        default: return .wait
        }
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

    /// The end of what was sent ahead: nothing follows from it, and the next stream sends nothing ahead.
    mutating func changed(_ what: String) -> Action {
        ahead = nil
        return fail(
            XMPPError(
                .offerChanged, "the server is not as it was when it was last seen: \(what); the login begins anew",
                isRetryable: true), nil)
    }

    /// A server that ends the stream now may have choked on what was sent ahead.
    private var wentTooFar: Bool {
        switch ahead {
        case .login, .resumption, .binding: true
        case .startTLS, nil: false
        }
    }

    mutating func takeAhead() -> Ahead? {
        defer { ahead = nil }
        return ahead
    }

    private mutating func choked(_ what: String) -> Action {
        login.choked = true
        return changed(what)
    }

    private mutating func streamFailed(_ error: StreamError) -> Action {
        let blamesOrder = [.unsupportedStanzaType, .notAuthorized, .badFormat, .policyViolation].contains(
            error.condition)
        if blamesOrder, wentTooFar { return choked("\(error)") }
        state = .done
        return .fail(.stream(error), nil)
    }
}
