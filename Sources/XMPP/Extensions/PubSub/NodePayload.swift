// SPDX-License-Identifier: Apache-2.0

/// What an item of a node holds, as a value.
///
/// A type of your own reads its element strictly and writes it exactly, as `docs/EXTENSIONS.md` shows. `Element` itself is
/// one, for whoever wants to see an item as it is.
public protocol NodePayload: Sendable, Hashable {
    /// Reads the element in an item, nil when it is none of this type.
    init?(_ element: Element)
    /// The element as it is published.
    var element: Element { get }
}

extension Element: NodePayload {
    /// The element itself.
    public init?(_ element: Element) { self = element }
    /// The element itself.
    public var element: Element { self }
}

/// One item of a node (XEP-0060 §4.1).
public struct NodeItem<Payload: NodePayload>: Sendable, Hashable {
    /// The identifier, unique in the node; empty in events of a service that gives none, as for what it does not keep.
    public let id: String
    /// Who published it, where the service says so.
    public let publisher: JID?
    /// What it holds.
    public let payload: Payload

    /// Makes an item.
    public init(id: String, publisher: JID? = nil, payload: Payload) {
        self.id = id
        self.publisher = publisher
        self.payload = payload
    }
}

/// The names of XEP-0060.
package enum PubSub {
    package static let namespace = "http://jabber.org/protocol/pubsub"
    static let ownerNamespace = namespace + "#owner"
    static let eventNamespace = namespace + "#event"
    static let errorNamespace = namespace + "#errors"
    static let publishOptionsFeature = namespace + "#publish-options"
    static let publishOptionsType = namespace + "#publish-options"
    static let subscribeOptionsType = namespace + "#subscribe_options"
    static let metadataType = namespace + "#meta-data"

    static let root = XMLName("pubsub", namespace)
    static let ownerRoot = XMLName("pubsub", ownerNamespace)
    static let event = XMLName("event", eventNamespace)

    static func name(_ local: String) -> XMLName { XMLName(local, namespace) }
    static func owner(_ local: String) -> XMLName { XMLName(local, ownerNamespace) }
    static func event(_ local: String) -> XMLName { XMLName(local, eventNamespace) }

    /// A request with one thing in it.
    static func request(_ child: Element, _ more: Element? = nil) -> Element {
        Element(root, children: [child] + (more.map { [$0] } ?? []))
    }

    /// A request of an owner (§8).
    static func ownerRequest(_ child: Element) -> Element { Element(ownerRoot, children: [child]) }

    /// One item of a list; nil without content, and without an identifier where one is needed.
    static func item<Payload: NodePayload>(
        _ element: Element, as type: Payload.Type, needsID: Bool = true
    ) -> NodeItem<Payload>? {
        guard let id = element.filled("id") ?? (needsID ? nil : ""), let content = element.children.first,
            let payload = Payload(content)
        else { return nil }
        return NodeItem(id: id, publisher: element.address("publisher"), payload: payload)
    }
}
