// SPDX-License-Identifier: Apache-2.0

/// The names of XEP-0313.
package enum Archive {
    package static let namespace = "urn:xmpp:mam:2"
    static let extended = namespace + "#extended"
    static let roomField = namespace + "#groupchat-field"
    static let query = XMLName("query", namespace)
    package static let result = XMLName("result", namespace)
    static let metadata = XMLName("metadata", namespace)
    static let start = XMLName("start", namespace)
    static let end = XMLName("end", namespace)
    static let flip = XMLName("flip-page", namespace)

    /// §4: a query that results are matched to by its identifier.
    static func query(id: String, form: DataForm?, page: PageRequest, isFlipped: Bool) -> Element {
        Element(query) { builder in
            builder.attribute("queryid", id)
            if let form { builder.child(form.element) }
            builder.child(page.element)
            if isFlipped { builder.child(Element(flip)) }
        }
    }
}

/// The end of the answer to a query (XEP-0313 §4.3).
package struct ArchiveEnd: StanzaPayload {
    package static let name = XMLName("fin", Archive.namespace)
    package var isComplete: Bool
    package var isStable: Bool
    package var info: PageInfo

    package init(isComplete: Bool, isStable: Bool = true, info: PageInfo) {
        self.isComplete = isComplete
        self.isStable = isStable
        self.info = info
    }

    /// An answer without a description of the page is read as an empty one.
    package init?(_ element: Element) {
        guard element.matches(Self.name) else { return nil }
        isComplete = element.attributeEquals("complete", "true") || element.attributeEquals("complete", "1")
        isStable = !(element.attributeEquals("stable", "false") || element.attributeEquals("stable", "0"))
        info = element.child(ResultSet.set).flatMap { PageInfo($0) } ?? PageInfo()
    }

    package var element: Element {
        Element(
            Self.name, attributes: ["complete": isComplete ? "true" : nil, "stable": isStable ? nil : "false"],
            children: [info.element])
    }
}

/// What an archive holds (XEP-0313 §5).
public struct ArchiveMetadata: Sendable, Hashable {
    /// One end of an archive.
    public struct Edge: Sendable, Hashable {
        /// The identifier that the archive gave the message.
        public let id: String
        /// When the archive got it.
        public let stamp: DateTime

        /// Makes an edge.
        public init(id: String, stamp: DateTime) {
            self.id = id
            self.stamp = stamp
        }
    }

    /// The oldest message; nil for an empty archive.
    public let start: Edge?
    /// The newest message; nil for an empty archive.
    public let end: Edge?

    /// Makes a description.
    public init(start: Edge?, end: Edge?) {
        self.start = start
        self.end = end
    }

    /// Whether there is no message.
    public var isEmpty: Bool { start == nil }
}

extension ArchiveMetadata: StanzaPayload {
    package static let name = Archive.metadata

    /// §5: both ends are there, or none.
    package init?(_ element: Element) {
        guard element.matches(Self.name) else { return nil }
        func edge(_ name: XMLName) -> Edge? {
            guard let edge = element.child(name), let id = edge.filled("id"),
                let stamp = edge["timestamp"].flatMap({ DateTime($0.trimmingXMLSpace) })
            else { return nil }
            return Edge(id: id, stamp: stamp)
        }
        let (start, end) = (edge(Archive.start), edge(Archive.end))
        guard (start == nil) == (end == nil) else { return nil }
        guard start != nil || element.children.isEmpty else { return nil }
        self.init(start: start, end: end)
    }

    package var element: Element {
        func edge(_ name: XMLName, _ edge: Edge?) -> [Element] {
            guard let edge else { return [] }
            return [Element(name, attributes: ["id": edge.id, "timestamp": edge.stamp.description])]
        }
        return Element(Self.name, children: edge(Archive.start, start) + edge(Archive.end, end))
    }
}
