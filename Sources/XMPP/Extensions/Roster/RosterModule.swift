// SPDX-License-Identifier: Apache-2.0

/// Answers the server's announcements of changes to the contact list (RFC 6121 §2.1.6).
///
/// A forged one is neither answered nor told to anybody. A program with a ``SessionStore`` finds the true ones among the
/// committed stanzas, with ``IQ/rosterPush(for:)``; another one gives the module a function.
public struct RosterModule: SessionModule {
    private let onPush: (@Sendable (RosterPush) -> Void)?

    /// Makes the module.
    /// - Parameter onPush: Told of each change, in order, on the stream's own thread: it must not block.
    public init(onPush: (@Sendable (RosterPush) -> Void)? = nil) { self.onPush = onPush }

    /// `<query xmlns="jabber:iq:roster"/>`.
    public var requests: [XMLName] { [Roster.query] }

    /// An empty result for a change, an error for what is none, nothing at all for a forgery.
    public func answer(_ request: IQ, _ context: RequestContext) -> RequestAnswer {
        guard request.kind == .set else { return .error(StanzaError(.serviceUnavailable)) }
        guard context.isFromOwnAccount(request) else { return .ignore }
        guard let push = request.rosterPush(for: context.own) else { return .error(StanzaError(.badRequest)) }
        onPush?(push)
        return .result(nil)
    }
}
