// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import XMPP

@testable import ChatKit

extension FakeLink {
    nonisolated func blockedAddresses() async throws -> [JID] { recorded.blocked }

    nonisolated func block(_ jid: JID, reporting report: AbuseReport?) async throws -> Bool {
        script { log in
            log.blocked.append(jid)
            if let report { log.reports.append(report) }
        }
        return report != nil
    }

    nonisolated func unblock(_ jid: JID) async throws { script { log in log.blocked.removeAll { $0 == jid } } }

    nonisolated func card(of jid: JID?) async throws -> VCard? {
        jid.flatMap { recorded.cards[$0] } ?? (jid == nil ? recorded.ownCard : nil)
    }

    nonisolated func program(of jid: JID) async throws -> String? {
        guard let name = recorded.programs[jid] else { throw XMPPError(.requestFailed, "it does not say") }
        if name.isEmpty { for await _ in AsyncStream<Void>(bufferingPolicy: .unbounded, { _ in }) {} }
        return name
    }

    nonisolated func changeCard(_ change: @escaping @Sendable (inout VCard) -> Void) async throws -> VCard {
        script { change(&$0.ownCard) }
        return recorded.ownCard
    }

    nonisolated func publish(_ picture: Picture?) async throws { script { $0.ownPicture = picture } }

    nonisolated func picture(_ request: AvatarRequest, cache: PictureFolder?) async throws -> Picture? {
        if let hash = request.hash, let bytes = await cache?.picture(hash) { return try? Picture(bytes, named: hash) }
        script { $0.askedPictures.append(request) }
        let found = request.hash.flatMap { recorded.pictures[$0] }
        if let found { await cache?.keep(found) }
        return found
    }
}
