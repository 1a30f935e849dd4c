// SPDX-License-Identifier: Apache-2.0

extension XMPPSession {
    /// Asks who is blocked (XEP-0191 §3.2).
    ///
    /// Ask on each new stream, also since servers tell of changes only those who asked (OF36). Throws ``XMPPError``, with a
    /// ``StanzaError`` when the server cannot block. Cancelling ends the wait.
    public func fetchBlockList() async throws -> BlockList {
        let reply = try await get(Element(Blocking.list))
        guard let list = reply.payload, list.matches(Blocking.list) else {
            throw XMPPError(.invalidReply, "the server answered with something else than a list of blocked addresses")
        }
        return BlockList(Blocking.addresses(list))
    }

    /// Keeps stanzas of these addresses away (XEP-0191 §3.3); they see one as offline.
    ///
    /// Waits until the server confirms. A bare address stands for all its resources, a domain for everybody there.
    /// Throws ``XMPPError``: `invalidArgument` without an address, `yourself` for one's own, else as
    /// ``request(_:timeout:)`` does. Cancelling ends the wait, not the block.
    public func block(_ jids: [JID]) async throws {
        try checkBlockable(jids)
        _ = try await set(Blocking.element(Blocking.block, jids))
    }

    /// Keeps stanzas of an address away, and says why (XEP-0377 §6).
    ///
    /// Gives whether the report went along: to a server that takes none only the block goes. Waits, throws and is cancelled
    /// as ``block(_:)``.
    @discardableResult
    public func block(_ jid: JID, reporting report: AbuseReport) async throws -> Bool {
        try checkBlockable([jid])
        let takesReports = try await discoverServer().supports(AbuseReport.namespace)
        _ = try await set(Blocking.element(Blocking.block, [jid], report: takesReports ? report : nil))
        return takesReports
    }

    /// Lets stanzas of these addresses through again (XEP-0191 §3.4).
    ///
    /// They have to stand in the list as they are given here: ``BlockList/rule(for:)``. Waits until the server confirms.
    /// Throws ``XMPPError``: `invalidArgument` without an address, since that would unblock everybody, else as
    /// ``request(_:timeout:)`` does. Cancelling ends the wait, not the change.
    public func unblock(_ jids: [JID]) async throws {
        guard !jids.isEmpty else { throw XMPPError(.invalidArgument, "there is nobody to unblock") }
        _ = try await set(Blocking.element(Blocking.unblock, jids))
    }

    /// Lets everybody through again (XEP-0191 §3.5); waits, throws and is cancelled as ``unblock(_:)``.
    public func unblockAll() async throws { _ = try await set(Element(Blocking.unblock)) }

    private func checkBlockable(_ jids: [JID]) throws(XMPPError) {
        guard !jids.isEmpty else { throw XMPPError(.invalidArgument, "there is nobody to block") }
        let own = boundJID ?? account.jid
        if jids.contains(where: { $0.isSameBare(as: own) }) { throw .yourself }
    }
}

/// Answers the server when it tells of changes to the list of blocked addresses (XEP-0191 §3.3, §3.4).
///
/// A forged one is neither answered nor told to anybody (T075). A program with a ``SessionStore`` finds the true ones among
/// the committed stanzas, with ``IQ/blockPush(for:)``; another one gives the module a function.
public struct BlockingModule: SessionModule {
    private let onPush: (@Sendable (BlockPush) -> Void)?

    /// Makes the module.
    /// - Parameter onPush: Told of each change, in order, on the stream's own thread: it must not block.
    public init(onPush: (@Sendable (BlockPush) -> Void)? = nil) { self.onPush = onPush }

    /// `<block/>` and `<unblock/>`.
    public var requests: [XMLName] { [Blocking.block, Blocking.unblock] }

    /// An empty result for a change, an error for what is none, nothing at all for a forgery.
    public func answer(_ request: IQ, _ context: RequestContext) -> RequestAnswer {
        guard request.kind == .set else { return .error(StanzaError(.serviceUnavailable)) }
        guard context.isFromOwnAccount(request) else { return .ignore }
        guard let push = request.blockPush(for: context.own) else { return .error(StanzaError(.badRequest)) }
        onPush?(push)
        return .result(nil)
    }
}
