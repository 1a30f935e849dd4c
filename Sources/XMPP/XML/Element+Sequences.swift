// SPDX-License-Identifier: Apache-2.0

extension Element {
    /// The child elements, in order; text between them is left out.
    public var children: Children { Children(self) }

    /// The attributes in the order in which they were written, without namespace declarations.
    public var attributes: Attributes { Attributes(self) }

    /// The child elements of an element.
    public struct Children: Sequence, Sendable {
        private let element: ElementView

        init(_ element: ElementView) { self.element = element }

        /// Makes an iterator that stands before the first child.
        public func makeIterator() -> Iterator { Iterator(element) }

        /// Whether the element has no child element.
        public var isEmpty: Bool {
            var iterator = makeIterator()
            return iterator.next() == nil
        }

        /// The first child element.
        public var first: Element? {
            var iterator = makeIterator()
            return iterator.next()
        }

        /// Walks the children of an element; allocates nothing.
        public struct Iterator: IteratorProtocol, Sendable {
            private let parent: ElementView
            private var position: UInt32
            private let end: UInt32

            init(_ parent: ElementView) {
                self.parent = parent
                position = parent.index &+ 1
                end = parent.read { _, record in record.next }
            }

            /// The next child element, or nil at the end.
            public mutating func next() -> Element? {
                while position < end {
                    let record = parent.storage.read { $0.records[Int(position)] }
                    let current = position
                    guard record.kind == ElementRecord.element else {
                        position &+= 1
                        continue
                    }
                    position = record.next
                    return Element(storage: parent.storage, index: current)
                }
                return nil
            }
        }
    }

    /// The attributes of an element, as pairs of name and decoded value.
    public struct Attributes: Sequence, Sendable {
        private let element: ElementView

        init(_ element: ElementView) { self.element = element }

        /// Makes an iterator that stands before the first attribute.
        public func makeIterator() -> Iterator { Iterator(element) }

        /// Whether the element has no attribute.
        public var isEmpty: Bool {
            var iterator = makeIterator()
            return iterator.next() == nil
        }

        /// Walks the attributes of an element.
        public struct Iterator: IteratorProtocol, Sendable {
            private let element: ElementView
            private var position: UInt32
            private let end: UInt32

            init(_ element: ElementView) {
                self.element = element
                position = element.index &+ 1
                end = element.read { _, record in record.next }
            }

            /// The next attribute, or nil at the end.
            public mutating func next() -> (name: XMLName, value: String)? {
                while position < end {
                    let current = Int(position)
                    let record = element.storage.read { $0.records[current] }
                    guard record.kind & 1 != 0 else {
                        position = end
                        return nil
                    }
                    position &+= 1
                    guard record.kind == ElementRecord.attribute else { continue }
                    return element.storage.read { ($0.name(of: record), $0.string(record)) }
                }
                return nil
            }
        }
    }
}
