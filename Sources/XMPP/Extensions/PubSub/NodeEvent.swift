// SPDX-License-Identifier: Apache-2.0

/// Something that happened in a node (XEP-0060 §7.1.2, XEP-0163 §4).
///
/// An event says who it is from, and only that is certain. What one's own account stores has to come from one's own
/// account: ask ``isOwn(_:)`` before anything of one's own is changed by an event (XEP-0223 §6).
public struct NodeEvent: Sendable {
    /// What happened.
    public enum Change: Sendable, Hashable {
        /// Items are new or have changed; ``NodeEvent/items(as:)`` has them.
        case published
        /// These items are gone. Not every service tells, so look at the node after each login (§7.2.2).
        case retracted([String])
        /// All items are gone.
        case purged
        /// The node is gone.
        case deleted
        /// The node behaves otherwise now.
        case configured
        /// Somebody's subscription changed.
        case subscription(NodeSubscription)
        /// More happened than the reader took: look at the node.
        case several
        /// More happened, in more nodes than can be named: look at all that matters.
        case lost
    }

    /// The account or service that the node belongs to; nil where the server left it out, for one's own account.
    public let service: JID?
    /// The node; empty for ``Change/lost``.
    public let node: String
    /// What happened.
    public let change: Change
    /// When it happened, for an event that was held back.
    public let delay: Delay?
    private let list: Element?

    init(service: JID?, node: String, change: Change, delay: Delay? = nil, list: Element? = nil) {
        self.service = service
        self.node = node
        self.change = change
        self.delay = delay
        self.list = list
    }

    /// Whether one's own account sent it, and nobody else (T121).
    /// - Parameter account: One's own address; a resource in it does not matter.
    public func isOwn(_ account: JID) -> Bool { service == nil || service == account.bare }

    /// The items that are new or have changed, those that can be read.
    public func items<Payload: NodePayload>(as type: Payload.Type = Payload.self) -> [NodeItem<Payload>] {
        guard case .published = change, let list else { return [] }
        return list.children(PubSub.event("item")).compactMap { element in
            guard isCredible(element.address("publisher")) else { return nil }
            return PubSub.item(element, as: type, needsID: false)
        }
    }

    /// The identifiers of the items that are new or have changed, also of those whose content does not come along.
    public var itemIDs: [String] {
        guard case .published = change, let list else { return [] }
        return list.children(PubSub.event("item")).compactMap { $0.filled("id") }
    }

    /// T143: in an account nobody but its owner publishes (XEP-0163 §2.2).
    private func isCredible(_ publisher: JID?) -> Bool {
        guard let publisher, let service, service.local != nil else { return true }
        return publisher.isSameBare(as: service)
    }
}

extension NodeEvent {
    /// Reads an event; nil when it breaks the rules, or when it comes from one that has no nodes: a resource (T143).
    init?(_ message: Message, _ event: Element) {
        guard message.kind != .error, message.kind != .groupchat, message.from?.isBare ?? true,
            let child = event.children.first(where: { $0.namespace == PubSub.eventNamespace })
        else { return nil }
        let delay = message.delay
        func make(_ change: Change, node: String?, list: Element? = nil) -> NodeEvent? {
            guard let node, !node.isEmpty else { return nil }
            return NodeEvent(service: message.from, node: node, change: change, delay: delay, list: list)
        }
        let made: NodeEvent?
        switch child.localName {
        case "items":
            let retracted = child.children(PubSub.event("retract")).compactMap { $0.filled("id") }
            let isRetraction = child.child(PubSub.event("item")) == nil
            if isRetraction, retracted.isEmpty { return nil }
            made = make(isRetraction ? .retracted(retracted) : .published, node: child["node"], list: child)
        case "purge": made = make(.purged, node: child["node"])
        case "delete": made = make(.deleted, node: child["node"])
        case "configuration": made = make(.configured, node: child["node"])
        case "subscription":
            made = NodeSubscription(child, node: nil).flatMap { make(.subscription($0), node: $0.node) }
        default: made = nil
        }
        guard let made else { return nil }
        self = made
    }

    /// So many events wait for a reader at most; then one stands for all.
    static let cap = 1024

    /// What waits when a reader does not keep up: of one node one event, and in the end one for everything (T145).
    static func merge(_ waiting: inout [NodeEvent], _ new: NodeEvent) -> Bool {
        if let index = waiting.lastIndex(where: { $0.node == new.node && $0.service == new.service }) {
            waiting[index] = NodeEvent(service: new.service, node: new.node, change: .several)
            return true
        }
        guard waiting.count >= cap else { return false }
        waiting = [NodeEvent(service: nil, node: "", change: .lost)]
        return true
    }
}

extension XMPPSession {
    /// What happens in nodes from now on: those one subscribed to, and those of contacts that a ``PubSubModule`` names.
    ///
    /// A slow reader gets one event for many of the same node. An event is no message: ``messages()`` does not have it,
    /// unless it has a body too.
    public nonisolated func nodeEvents() -> Subscription<NodeEvent> { inboxes.events.subscribe() }
}

/// Asks for events of certain nodes of all contacts and of one's own account (XEP-0163 §4.3).
///
/// The wish is part of what this program can do, so servers know it from its presence.
public struct PubSubModule: SessionModule {
    private let nodes: [String]

    /// Makes the module.
    /// - Parameter nodes: The nodes, as ``Bookmark/node``.
    public init(nodes: [String]) { self.nodes = nodes }

    /// The names of the nodes, each with `+notify`.
    public var features: [String] { nodes.map { $0 + "+notify" } }
}
