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
    /// - Parameters:
    ///   - jid: The entity; nil asks one's own account.
    ///   - node: A part of it, nil for the entity itself.
    ///   - limit: So many items are taken at most. Defaults to 1000.
    public func discoverItems(of jid: JID? = nil, node: String? = nil, limit: Int = 1000) async throws -> [DiscoItem] {
        let reply = try await get(Element(Disco.items, attributes: ["node": node]), to: jid)
        return try Self.items(reply, limit: limit)
    }

    /// The items that belong to an entity, page by page where the entity can do that (XEP-0030 §4.1, XEP-0059).
    ///
    /// An entity that cannot sends all of them, and they are one page.
    /// - Parameters:
    ///   - jid: The entity; nil asks one's own account.
    ///   - node: A part of it, nil for the entity itself.
    ///   - pageSize: How many items a page holds. Defaults to 50.
    ///   - pageCap: How many pages there may be. Defaults to 1000.
    public nonisolated func discoverItemPages(
        of jid: JID? = nil, node: String? = nil, pageSize: Int = 50, pageCap: Int = 1000
    ) -> ResultPages<[DiscoItem]> {
        ResultPages(PageRequest(limit: pageSize), pageCap: pageCap) { machine, request in
            let query = Element(Disco.items, attributes: ["node": node], children: [request.element])
            let reply = try await self.get(query, to: jid)
            let all = try Self.items(reply, limit: max(pageSize, 10_000))
            let items = all.filter { machine.isNew("\($0.jid) \($0.node ?? "")") }
            let info = reply.payload?.child(PageInfo.name).flatMap { PageInfo($0) } ?? PageInfo()
            let page = PagingStateMachine.Page(info, items: all.count, newItems: items.count)
            return (items, machine.received(page))
        }
    }

    /// Finds what belongs to an entity and to that in turn, as the services of a server and their parts (XEP-0030 §4).
    ///
    /// Nothing is asked twice, and what refuses to answer has no parts. Throws ``XMPPError`` only when the entity itself
    /// refuses. Cancelling ends the walk.
    /// - Parameters:
    ///   - jid: The entity; nil asks one's own server.
    ///   - depth: How many levels there are. Defaults to 1, what belongs to the entity itself.
    ///   - limit: So many items are taken at most. Defaults to 1000.
    public func discoverAll(of jid: JID? = nil, depth: Int = 1, limit: Int = 1000) async throws -> [DiscoItem] {
        var walk = DiscoWalk(from: DiscoWalk.Place(jid: try jid ?? serverAddress()), depth: depth, cap: limit)
        while let (place, level) = walk.next() {
            do {
                walk.received(try await discoverItems(of: place.jid, node: place.node, limit: limit), at: level)
            } catch let error as XMPPError where level > 0 && error.stanzaError != nil { continue }
        }
        return walk.found
    }

    private static func items(_ reply: IQ, limit: Int) throws -> [DiscoItem] {
        guard let query = reply.payload, query.matches(Disco.items) else {
            throw XMPPError(.invalidReply, "the answer has no list of items")
        }
        var items: [DiscoItem] = []
        for child in query.children where child.matches(DiscoItem.name) {
            guard items.count < limit else { break }
            if let item = DiscoItem(child) { items.append(item) }
        }
        return items
    }

    /// The address of one's own server.
    package func serverAddress() throws -> JID { try JID(local: nil, domain: account.jid.domain) }
}
