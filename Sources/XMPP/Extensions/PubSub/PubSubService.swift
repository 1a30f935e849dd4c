// SPDX-License-Identifier: Apache-2.0

/// A service that keeps items in nodes and tells of new ones: one's own account, that of a contact, or a service for
/// everybody (XEP-0060, XEP-0163).
///
/// All calls throw ``XMPPError``, with a ``StanzaError`` when the service refuses. Cancelling ends the wait, not a change.
public struct PubSubService: Sendable {
    /// The address; nil for one's own account.
    public let address: JID?
    let session: XMPPSession
}

extension XMPPSession {
    /// The nodes of one's own account, of a contact's bare address, or of a service.
    public nonisolated func pubSub(at address: JID? = nil) -> PubSubService {
        PubSubService(address: address, session: self)
    }
}

extension PubSubService {
    /// What the service can do, by the names of XEP-0060 §10 without their common beginning, as `publish-options`.
    ///
    /// Of one's own account the server is asked too: some announce there what accounts can do.
    public func features() async throws -> Set<String> {
        var info = try await session.discoverInfo(of: address)
        if address == nil { info.features.formUnion(try await session.discoverServer().features) }
        let prefix = PubSub.namespace + "#"
        return Set(info.features.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) })
    }

    /// The nodes that one may see (§5.2).
    public func nodes() async throws -> [DiscoItem] { try await session.discoverItems(of: address) }

    // MARK: Items

    /// The items of a node, those that can be read (§6.5).
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - type: What the items hold.
    ///   - ids: Only these items; empty asks for all that the service gives at once.
    ///   - limit: Only so many of the newest.
    public func items<Payload: NodePayload>(
        of node: String, as type: Payload.Type = Payload.self, ids: [String] = [], limit: Int? = nil
    ) async throws -> [NodeItem<Payload>] {
        let request = Element(
            PubSub.name("items"), attributes: ["node": node, "max_items": limit.map { String(max($0, 1)) }],
            children: ids.map { Element(PubSub.name("item"), attributes: ["id": $0]) })
        let reply = try await session.get(PubSub.request(request), to: address)
        return try Self.items(reply, node, type).items
    }

    /// The items of a node page by page, where the service can do that (§6.5.4, XEP-0059).
    public func itemPages<Payload: NodePayload>(
        of node: String, as type: Payload.Type = Payload.self, from start: PageRequest = PageRequest(),
        pageCap: Int = 1000
    ) -> ResultPages<[NodeItem<Payload>]> {
        ResultPages(start, pageCap: pageCap) { machine, request in
            let query = PubSub.request(
                Element(PubSub.name("items"), attributes: ["node": node]), request.element)
            let reply = try await session.get(query, to: address)
            let (items, count) = try Self.items(reply, node, type)
            let new = items.filter { machine.isNew($0.id) }
            let info = reply.payload?.child(PageInfo.name).flatMap { PageInfo($0) } ?? PageInfo()
            let page = PagingStateMachine.Page(info, items: count, newItems: new.count + count - items.count)
            return (new, machine.received(page))
        }
    }

    /// T143: an answer about another node is none.
    private static func items<Payload: NodePayload>(
        _ reply: IQ, _ node: String, _ type: Payload.Type
    ) throws -> (items: [NodeItem<Payload>], count: Int) {
        guard let list = reply.payload?.child(PubSub.name("items")), list["node"] == node else {
            throw XMPPError(.invalidReply, "the answer does not hold the items of \(node)")
        }
        var items: [NodeItem<Payload>] = []
        var count = 0
        for child in list.children where child.matches(PubSub.name("item")) {
            count += 1
            if let item = PubSub.item(child, as: type) { items.append(item) }
        }
        return (items, count)
    }

    /// Publishes an item; gives its identifier (§7.1).
    ///
    /// With a configuration, a node that does not exist gets it, and one that has another is changed first; a service that
    /// does not take all of it with the item is told the rest afterwards. For data that others must not see use
    /// ``publishPrivately(_:id:to:configuration:)``.
    @discardableResult
    public func publish<Payload: NodePayload>(
        _ payload: Payload, id: String? = nil, to node: String, configuration: NodeConfiguration? = nil
    ) async throws -> String {
        let publication = Publication(node: node, id: id, payload: payload.element)
        guard let configuration else { return try await publish(publication, with: nil) }
        do {
            return try await publish(publication, with: configuration)
        } catch let error as XMPPError {
            switch PublishRefusal(error) {
            case nil: throw error
            case .unknownOption:
                let id = try await publish(publication, with: configuration.essential)
                try await configure(node, configuration)
                return id
            case .preconditionNotMet:
                try await configure(node, configuration)
                return try await publish(publication, with: nil)
            }
        }
    }

    struct Publication: Sendable {
        var node: String
        var id: String?
        var payload: Element
    }

    func publish(_ publication: Publication, with options: NodeConfiguration?) async throws -> String {
        let item = Element(
            PubSub.name("item"), attributes: ["id": publication.id], children: [publication.payload])
        let request = Element(
            PubSub.name("publish"), attributes: ["node": publication.node], children: [item])
        let reply = try await session.set(PubSub.request(request, options?.publishOptions), to: address)
        let published = reply.payload?.child(PubSub.name("publish"))?.child(PubSub.name("item"))
        return published?.filled("id") ?? publication.id ?? ""
    }

    /// Takes an item back (§7.2).
    /// - Parameters:
    ///   - id: The item.
    ///   - node: The node.
    ///   - notifies: Whether subscribers are told. Defaults to true.
    public func retract(_ id: String, from node: String, notifies: Bool = true) async throws {
        let request = Element(
            PubSub.name("retract"), attributes: ["node": node, "notify": notifies ? "true" : nil],
            children: [Element(PubSub.name("item"), attributes: ["id": id])])
        _ = try await session.set(PubSub.request(request), to: address)
    }
}

/// Why a publication with conditions was refused, in ways that can be helped.
enum PublishRefusal: Sendable, Hashable {
    /// The service does not know one of the conditions.
    case unknownOption
    /// The node exists and is otherwise (XEP-0060 §7.1.5).
    case preconditionNotMet

    init?(_ error: XMPPError) {
        guard let refusal = error.stanzaError else { return nil }
        if let application = refusal.application, application.namespace == PubSub.errorNamespace,
            application.localName == "precondition-not-met"
        {
            self = .preconditionNotMet
            return
        }
        switch refusal.condition {
        // ejabberd 23.01 says resource-constraint "Unknown field"; others bad-request or not-acceptable.
        case .resourceConstraint, .badRequest, .notAcceptable, .featureNotImplemented: self = .unknownOption
        case .conflict: self = .preconditionNotMet
        default: return nil
        }
    }
}
