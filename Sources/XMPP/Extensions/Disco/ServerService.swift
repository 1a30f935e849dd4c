// SPDX-License-Identifier: Apache-2.0

/// A service that a chat program uses when its server has it, by the feature that tells so (XEP-0030 §3).
package enum ServerService: String, Sendable, Hashable, CaseIterable {
    case carbons = "urn:xmpp:carbons:2"
    case archive = "urn:xmpp:mam:2"
    case personalEventing = "http://jabber.org/protocol/pubsub#publish"
    case blocking = "urn:xmpp:blocking"
    case upload = "urn:xmpp:http:upload:0"
    case rooms = "http://jabber.org/protocol/muc"
    case push = "urn:xmpp:push:0"

    /// What it is called for people.
    package var name: String {
        switch self {
        case .carbons: "copies for all devices (XEP-0280)"
        case .archive: "archive (XEP-0313)"
        case .personalEventing: "avatars and bookmarks (XEP-0163)"
        case .blocking: "blocking (XEP-0191)"
        case .upload: "file upload (XEP-0363)"
        case .rooms: "rooms (XEP-0045)"
        case .push: "push (XEP-0357)"
        }
    }
}

extension XMPPSession {
    /// The services of the account, its server and what the server lists; at most twenty of these are asked.
    ///
    /// Throws ``XMPPError`` when account or server do not answer.
    package func discoverServices() async throws -> Set<ServerService> {
        guard let own = boundJID?.bare else { throw XMPPError(.notConnected, "the session is not online") }
        let server = try JID(own.domain)
        var answers = [try await discoverInfo(of: own), try await discoverInfo(of: server)]
        let hasPersonalEventing = answers.contains { $0.isKind("pubsub", "pep") }
        for item in ((try? await discoverItems(of: server)) ?? []).prefix(20) where item.jid.local == nil {
            if let info = try? await discoverInfo(of: item.jid, node: item.node) { answers.append(info) }
        }
        var services = Set(
            ServerService.allCases.filter { service in answers.contains { $0.supports(service.rawValue) } })
        if hasPersonalEventing { services.insert(.personalEventing) } else { services.remove(.personalEventing) }
        return services
    }
}
