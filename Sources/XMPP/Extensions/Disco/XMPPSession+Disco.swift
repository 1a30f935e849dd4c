// SPDX-License-Identifier: Apache-2.0

extension XMPPSession {
    /// Asks an entity what it is and can do (XEP-0030 §3.1).
    ///
    /// Throws ``XMPPError``, with a ``StanzaError`` when the entity refuses. Cancelling ends the wait.
    /// - Parameters:
    ///   - jid: The entity: a server, a service, a resource of a contact. Nil asks one's own account.
    ///   - node: A part of it, nil for the entity itself.
    public func discoverInfo(of jid: JID? = nil, node: String? = nil) async throws -> DiscoInfo {
        let reply = try await get(Element(Disco.info, attributes: ["node": node]), to: jid)
        guard let info = reply.payload.flatMap({ DiscoInfo($0) }) else {
            throw XMPPError(.invalidReply, "the answer does not say what is supported")
        }
        return info
    }

    /// Asks one's own server what it can do.
    ///
    /// Throws as ``discoverInfo(of:node:)`` does.
    public func discoverServer() async throws -> DiscoInfo { try await discoverInfo(of: try serverAddress()) }

    /// Asks an entity what belongs to it, as the services of a server (XEP-0030 §4.1).
    ///
    /// Items without a valid address are left out. Throws ``XMPPError``, with a ``StanzaError`` when the entity refuses.
    /// Cancelling ends the wait.
    public func discoverItems(of jid: JID? = nil, node: String? = nil) async throws -> [DiscoItem] {
        let reply = try await get(Element(Disco.items, attributes: ["node": node]), to: jid)
        guard let query = reply.payload, query.matches(Disco.items) else {
            throw XMPPError(.invalidReply, "the answer has no list of items")
        }
        return query.children(DiscoItem.name).compactMap { DiscoItem($0) }
    }

    /// The address of one's own server.
    package func serverAddress() throws -> JID { try JID(local: nil, domain: account.jid.domain) }
}
