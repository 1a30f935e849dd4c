// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
public import XMPP

extension ChatCore {
    /// Who is writing to us at this moment (XEP-0085), and every change; never stored.
    ///
    /// Somebody who says nothing more for 30 seconds has stopped.
    public nonisolated func typingUpdates() -> LiveQuery<TypingState> {
        LiveQuery(hub: store.hub) {
            $0.typing
        } fetch: { [typingBook] in
            typingBook.states()
        }
    }

    /// Tells the other side that the user writes, or has stopped (XEP-0085).
    ///
    /// Does nothing while offline, nor for somebody who does not see our presence and whom we never wrote to.
    ///
    /// - Throws: ``ChatError/Code/unknownAccount``.
    public func setTyping(_ isTyping: Bool, to peer: JID, account: JID) async throws(ChatError) {
        let runner = try runner(account)
        guard runner.connection.isOnline, let link = await runner.link else { return }
        let (row, peer) = (runner.account, peer.bare)
        let mayKnow: Bool
        do {
            mayKnow = try await store.read { connection in
                let transaction = StoreTransaction(connection, now: 0)
                let name = peer.description
                if try transaction.contact(account: row, jid: name)?.subscription.showsOurs == true { return true }
                guard let conversation = try transaction.conversation(account: row, peer: name) else { return false }
                return try transaction.hasOutgoing(conversation: conversation.id)
            }
        } catch {
            throw ChatError(error)
        }
        guard mayKnow else { return }
        try? await link.deliver(.chatState(isTyping ? .composing : .paused, to: peer))
    }
}

extension StoreTransaction {
    /// Whether the user ever wrote something there.
    func hasOutgoing(conversation: Int64) throws -> Bool {
        try settleGathered()
        return try connection.value("SELECT has_sent FROM conversation WHERE id = ?", conversation) ?? false
    }
}
