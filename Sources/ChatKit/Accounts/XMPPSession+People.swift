// SPDX-License-Identifier: Apache-2.0
package import XMPP

extension XMPPSession {
    package nonisolated func blockedAddresses() async throws -> [JID] {
        Array(try await fetchBlockList().addresses)
    }

    package nonisolated func block(_ jid: JID, reporting report: AbuseReport?) async throws -> Bool {
        guard let report else {
            try await block([jid])
            return false
        }
        return try await block(jid, reporting: report)
    }

    package nonisolated func unblock(_ jid: JID) async throws { try await unblock([jid]) }

    package nonisolated func card(of jid: JID?) async throws -> VCard? { try await fetchVCard(of: jid) }

    /// What it says with its presence is known for many at once; its version is asked of each.
    package nonisolated func program(of jid: JID) async throws -> String? {
        let identities = try await capabilities(of: jid).identities
        if let named = identities.first(where: { $0.category == "client" && $0.name?.isEmpty == false }) {
            return named.name
        }
        return try await softwareVersion(of: jid).program
    }

    package nonisolated func changeCard(_ change: @escaping @Sendable (inout VCard) -> Void) async throws -> VCard {
        try await updateVCard { change(&$0) }
    }

    package nonisolated func publish(_ picture: Picture?) async throws {
        if let picture { try await publishAvatar(picture) } else { try await removeAvatar() }
    }

    package nonisolated func picture(_ request: AvatarRequest, cache: PictureFolder?) async throws -> Picture? {
        try await fetchAvatar(request, cache: cache)
    }
}
