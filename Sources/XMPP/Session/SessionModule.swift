// SPDX-License-Identifier: Apache-2.0

/// A protocol extension inside a session: what it announces, and which requests it answers.
///
/// `docs/EXTENSIONS.md` has the recipe and an example.
public protocol SessionModule: Sendable {
    /// The features that service discovery announces for it (XEP-0030 §3).
    var features: [String] { get }

    /// The payloads of get and set requests that it answers.
    var requests: [XMLName] { get }

    /// Answers one request, in the order of arrival, on the stream's own thread: it must not block.
    ///
    /// Work that takes time goes into ``RequestAnswer/later(_:)``.
    func answer(_ request: IQ, _ context: RequestContext) -> RequestAnswer

    /// Looks at each message on the stream's own thread, before any subscription has it, and may give one to send in
    /// return; nil when the module does not look at messages. It must not block.
    var messageHandler: (@Sendable (Message) -> Message?)? { get }

    /// What it switches on together with a new address, where the server can do that in one step with the login
    /// (XEP-0386); ``XMPPSession/isSwitchedOn(_:)`` says afterwards whether it was.
    var inlineBindings: [InlineBinding] { get }

    /// Looks at each presence on the stream's own thread, before any subscription has it; nil when the module does not
    /// look at presences. It must not block.
    var presenceHandler: (@Sendable (Presence) -> Void)? { get }

    /// What every presence that says one is available carries for the module, given all features of the session.
    func presencePayloads(features: [String]) -> [Element]

    /// A stream is up. Runs beside the stream, never on its thread.
    func didGoOnline(_ session: XMPPSession, isResumed: Bool) async
}

extension SessionModule {
    /// Announces nothing.
    public var features: [String] { [] }
    /// Answers nothing.
    public var requests: [XMLName] { [] }
    /// Looks at no messages.
    public var messageHandler: (@Sendable (Message) -> Message?)? { nil }
    /// Switches nothing on.
    public var inlineBindings: [InlineBinding] { [] }
    /// Looks at no presences.
    public var presenceHandler: (@Sendable (Presence) -> Void)? { nil }
    /// Adds nothing.
    public func presencePayloads(features: [String]) -> [Element] { [] }
    /// Refuses the request.
    public func answer(_ request: IQ, _ context: RequestContext) -> RequestAnswer {
        .error(StanzaError(.serviceUnavailable))
    }
    /// Does nothing.
    public func didGoOnline(_ session: XMPPSession, isResumed: Bool) async {}
}

/// What a module may know when it answers.
public struct RequestContext: Sendable {
    /// The address that is bound.
    public let own: JID
    /// All features of all modules, sorted, without repetition.
    public let features: [String]
    /// The session that was asked; nil only in tests of a module alone.
    package var session: XMPPSession?

    /// Whether a request comes from one's own account or its server acting for it: no `from`, or one's own bare
    /// address.
    ///
    /// Nobody else may change one's own state (RFC 6121 §2.1.6).
    public func isFromOwnAccount(_ request: IQ) -> Bool {
        request.from == nil || request.from == own.bare
    }
}

/// How a request is answered (RFC 6120 §8.2.3).
public enum RequestAnswer: Sendable {
    /// It worked.
    case result(Element?)
    /// It did not.
    case error(StanzaError)
    /// No answer at all: for a request that nobody but an attacker sends.
    case ignore
    /// The answer comes later, from beside the stream.
    case later(@Sendable () async -> RequestAnswer)
}
