// SPDX-License-Identifier: Apache-2.0

/// The one error of this library: what happened, whether trying again can help, and what caused it.
///
/// No secret is ever part of it.
public struct XMPPError: Error, Sendable {
    /// What happened.
    ///
    /// The set is open: a later version may add codes, so keep a `default` case.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the code, stable across versions.
        public let rawValue: String
        /// Makes a code by its name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// What happened.
    public let code: Code
    /// One line fit to show: the cause, and what can be done about it.
    public let description: String
    /// Whether the same call may succeed later without any change.
    public let isRetryable: Bool
    /// The error of a lower layer that caused this one.
    public let underlying: (any Error)?

    /// Makes an error.
    public init(_ code: Code, _ description: String, isRetryable: Bool = false, underlying: (any Error)? = nil) {
        self.code = code
        self.description = description
        self.isRetryable = isRetryable
        self.underlying = underlying
    }

    /// The error that the other side answered with, where there was one.
    public var stanzaError: StanzaError? { underlying as? StanzaError }
    /// The error that closed the stream, where there was one.
    public var streamError: StreamError? { underlying as? StreamError }
}

extension XMPPError.Code {
    /// The session is not online, and was not told to get there.
    public static let notConnected = Self(rawValue: "notConnected")
    /// The server could not be found or reached.
    public static let connectionFailed = Self(rawValue: "connectionFailed")
    /// The connection ended.
    public static let connectionLost = Self(rawValue: "connectionLost")
    /// The other side did not answer in time.
    public static let timedOut = Self(rawValue: "timedOut")
    /// The session was told to disconnect.
    public static let disconnected = Self(rawValue: "disconnected")
    /// TLS could not be set up, or the certificate was refused.
    public static let tlsFailed = Self(rawValue: "tlsFailed")
    /// The server does not offer TLS; nothing was sent in clear.
    public static let tlsNotOffered = Self(rawValue: "tlsNotOffered")
    /// The server offers no mechanism that this account permits.
    public static let noUsableMechanism = Self(rawValue: "noUsableMechanism")
    /// The user name or the password is wrong.
    public static let notAuthorized = Self(rawValue: "notAuthorized")
    /// The account is switched off.
    public static let accountDisabled = Self(rawValue: "accountDisabled")
    /// The server refused the login for another reason.
    public static let authenticationFailed = Self(rawValue: "authenticationFailed")
    /// The server failed to prove that it knows the account.
    public static let serverNotAuthentic = Self(rawValue: "serverNotAuthentic")
    /// Something is weaker than when this account logged in before.
    public static let downgraded = Self(rawValue: "downgraded")
    /// The server offers other things than when it was last seen; the login begins anew, without relying on that.
    public static let offerChanged = Self(rawValue: "offerChanged")
    /// The server wants something done before it lets this account in, which Apus cannot do.
    public static let taskRequired = Self(rawValue: "taskRequired")
    /// The stored keys do not fit what the server asks for; the password is needed.
    public static let passwordNeeded = Self(rawValue: "passwordNeeded")
    /// The address could not be bound.
    public static let bindFailed = Self(rawValue: "bindFailed")
    /// Another connection took this address.
    public static let replaced = Self(rawValue: "replaced")
    /// The server broke the protocol.
    public static let protocolViolation = Self(rawValue: "protocolViolation")
    /// The server sent us to other hosts, and not to one that works.
    public static let redirected = Self(rawValue: "redirected")
    /// The server closed the stream with an error.
    public static let streamError = Self(rawValue: "streamError")
    /// The other side answered a request with an error.
    public static let requestFailed = Self(rawValue: "requestFailed")
    /// An argument is not acceptable; nothing was sent.
    public static let invalidArgument = Self(rawValue: "invalidArgument")
    /// A text holds a character that XML cannot carry; nothing was sent.
    public static let unsendableText = Self(rawValue: "unsendableText")
    /// The store of the session failed; nothing more is acknowledged until it works again.
    public static let storeFailed = Self(rawValue: "storeFailed")
    /// The server closed the stream each time this stanza was sent; it will not be sent again.
    public static let undeliverable = Self(rawValue: "undeliverable")
    /// The other side does not support this.
    public static let notSupported = Self(rawValue: "notSupported")
    /// The answer could not be understood.
    public static let invalidReply = Self(rawValue: "invalidReply")
}

extension XMPPError: CustomStringConvertible, CustomDebugStringConvertible, Hashable {
    /// Code, description and all causes.
    public var debugDescription: String {
        var text = "XMPPError.\(code.rawValue)\(isRetryable ? " (retryable)" : ""): \(description)"
        if let underlying { text += "; caused by \(String(reflecting: underlying))" }
        return text
    }

    /// Two errors are equal when code and description are.
    public static func == (left: XMPPError, right: XMPPError) -> Bool {
        left.code == right.code && left.description == right.description
    }

    /// Feeds code and description into a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(description)
    }

    package static func stream(_ error: StreamError) -> XMPPError {
        switch error.condition {
        case .conflict:
            XMPPError(
                .replaced, "another connection took this address; give this one a resource of its own",
                underlying: error)
        case .notAuthorized:
            XMPPError(.notAuthorized, "the server no longer accepts this login: \(error)", underlying: error)
        default:
            XMPPError(
                .streamError, "the server closed the stream: \(error)", isRetryable: error.isRetryable,
                underlying: error)
        }
    }

    package static func request(_ error: StanzaError) -> XMPPError {
        XMPPError(
            .requestFailed, "the request was refused: \(error)", isRetryable: error.kind == .wait, underlying: error)
    }

    package static func violation(_ what: String, _ cause: (any Error)? = nil) -> XMPPError {
        XMPPError(.protocolViolation, "the server broke the protocol: \(what)", isRetryable: true, underlying: cause)
    }
}
