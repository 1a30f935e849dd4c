// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatKit
import XMPP

/// What the names in a request mean.
extension LocalChatClient {
    /// The account that is named, or the only one.
    nonisolated func account(_ address: String?) async throws(ChatAPIError) -> JID {
        let accounts = try await asking { () async throws(ChatError) in try await core.accounts() }
        if let address {
            let jid = try Self.address(address)
            guard let account = accounts.first(where: { $0.jid == jid }) else {
                throw ChatAPIError(
                    .unknownAccount, "the profile \(paths.profile) has no account \(jid)",
                    hint: "'apus account list' shows those it has")
            }
            return account.jid
        }
        guard let first = accounts.first else { throw noAccount(isEmpty: true) }
        guard accounts.count == 1 else {
            throw ChatAPIError(
                .invalidArgument,
                "the profile has several accounts: " + accounts.map(\.jid.description).joined(separator: ", "),
                hint: "choose one with --account")
        }
        return first.jid
    }

    /// A bare address as somebody typed it.
    nonisolated static func address(_ text: String) throws(ChatAPIError) -> JID {
        do throws(JIDError) {
            return try JID(text).bare
        } catch {
            throw ChatAPIError(
                .invalidArgument, "\"\(text)\" is not an address: \(error)", hint: "write it as name@example.org")
        }
    }

    /// The conversation that a name means: without an account, the only one that has it, else the only account.
    ///
    /// A name that is no address may be that of a room or of a contact.
    nonisolated func place(_ id: ConversationID) async throws(ChatAPIError) -> (account: JID, peer: JID) {
        if id.account == nil, let peer = try? Self.address(id.conversation) {
            let known = try await asking { () async throws(ChatError) in try await core.conversations() }
                .filter { $0.peer == peer }
            if known.count == 1, let only = known.first { return (only.account, peer) }
        }
        let account = try await account(id.account)
        let peer = try await asking { () async throws(ChatError) in
            try await core.address(named: id.conversation, account: account)
        }
        return (account, peer)
    }

    /// Somebody else's address; a name without a domain is completed with the account's.
    nonisolated func peer(_ text: String, _ account: JID) throws(ChatAPIError) -> JID {
        do throws(ChatError) {
            return try core.contactAddress(text, account: account)
        } catch {
            throw ChatAPIError(error)
        }
    }

    /// A room; a name without a domain is that of one that is known, else of one on the account's own server.
    nonisolated func roomPlace(_ text: String, _ account: JID) async throws(ChatAPIError) -> JID {
        if text.contains("@") { return try Self.address(text) }
        return try await asking { () async throws(ChatError) in
            try await core.roomAddress(text, account: account)
        }
    }

    nonisolated func noAccount(isEmpty: Bool) -> ChatAPIError {
        ChatAPIError(
            .unknownAccount,
            isEmpty ? "the profile \(paths.profile) has no account" : "all accounts of \(paths.profile) are disabled",
            hint: "add one with 'apus account add JID'")
    }
}
