// SPDX-License-Identifier: Apache-2.0

extension Element {
    /// Everything inside the element in order: runs of text and child elements.
    ///
    /// Most formats need only `text` and `children`; this is for those where both are mixed.
    public var content: Content { Content(self) }

    /// A part of an element's content.
    public enum Node: Sendable, Hashable {
        /// Character data, decoded; two runs may follow each other.
        case text(String)
        /// A child element.
        case element(Element)
    }

    /// The content of an element in order.
    public struct Content: Sequence, Sendable {
        private let element: ElementView

        init(_ element: ElementView) { self.element = element }

        /// Makes an iterator that stands before the first part.
        public func makeIterator() -> Iterator { Iterator(element) }

        /// Walks the content of an element.
        public struct Iterator: IteratorProtocol, Sendable {
            private let parent: ElementView
            private var position: UInt32
            private let end: UInt32

            init(_ parent: ElementView) {
                self.parent = parent
                (position, end) = parent.read { nodes, record in
                    (UInt32(truncatingIfNeeded: nodes.contentStart(of: Int(parent.index))), record.next)
                }
            }

            /// The next part, or nil at the end.
            public mutating func next() -> Node? {
                guard position < end else { return nil }
                let current = position
                let record = parent.storage.read { $0.records[Int(current)] }
                if record.kind == ElementRecord.element {
                    position = record.next
                    return .element(parent.inSameStanza(current))
                }
                position &+= 1
                return .text(parent.storage.read { $0.string(record) })
            }
        }
    }
}
