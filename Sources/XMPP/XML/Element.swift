// SPDX-License-Identifier: Apache-2.0

/// An XML element: a name, attributes, text and child elements.
///
/// An element is an immutable value. It is a view of the stanza that it came with: taking a child or copying an
/// element allocates nothing, and a child keeps its whole stanza in memory. Texts are decoded when they are asked for.
///
/// Build one with the initialisers below, or with `ElementBuilder` where the content is not known beforehand.
/// How an element is stored is private to this part of the library.
public struct Element {
    let storage: ElementStorage
    let index: UInt32

    @inline(__always)
    init(storage: ElementStorage, index: UInt32) {
        self.storage = storage
        self.index = index
    }

    /// The element whose record has this index.
    @inline(__always)
    func inSameStanza(_ index: UInt32) -> Element { Element(storage: storage, index: index) }

    @inline(__always)
    func read<Result>(_ body: (ElementNodes, ElementRecord) -> Result) -> Result {
        storage.read { body($0, $0.records[Int(index)]) }
    }
}

/// `Element` by another name, for use in sequences, where `Element` means what the sequence holds.
typealias ElementView = Element

// The storage is never written after it was made.
extension Element: @unchecked Sendable {}

extension Element {
    /// The namespace and local name.
    public var name: XMLName { read { nodes, record in nodes.name(of: record) } }

    /// The local name, without a prefix.
    public var localName: String {
        read { nodes, record in
            record.reference & NamespaceReference.unknownName == 0
                ? XMLNameTable.known.names[Int(record.reference)].local
                : String(decoding: nodes.localName(of: record), as: UTF8.self)
        }
    }

    /// The namespace, or an empty string for no namespace.
    public var namespace: String { read { nodes, record in nodes.namespace(of: record) } }

    /// Returns whether the element has this name; allocates nothing, and for a known name compares two integers.
    @inline(__always)
    public func matches(_ name: XMLName) -> Bool {
        read { nodes, record in nodes.matches(record, name) }
    }

    /// The value of the attribute with this name in no namespace, decoded, or nil.
    public subscript(attribute: String) -> String? {
        self.attribute(attribute, namespace: "")
    }

    /// The value of the attribute with this local name and namespace, decoded, or nil.
    public func attribute(_ local: String, namespace: String) -> String? {
        var local = local
        return local.withUTF8 { name in
            read { nodes, _ in
                nodes.attribute(of: index, name, namespace: namespace).map { nodes.string($0) }
            }
        }
    }

    /// The character data directly inside the element, joined; not that of its descendants.
    public var text: String {
        withText { String(decoding: $0, as: UTF8.self) }
    }

    /// The first child element with this name, or nil.
    public func child(_ name: XMLName) -> Element? {
        let found: UInt32? = read { nodes, record in
            var position = Int(index) + 1
            let end = Int(record.next)
            while position < end {
                let candidate = nodes.records[position]
                if candidate.kind == ElementRecord.element {
                    if nodes.matches(candidate, name) { return UInt32(truncatingIfNeeded: position) }
                    position = Int(candidate.next)
                } else {
                    position &+= 1
                }
            }
            return nil
        }
        return found.map { Element(storage: storage, index: $0) }
    }

    /// All child elements with this name, in order.
    public func children(_ name: XMLName) -> [Element] {
        children.filter { $0.matches(name) }
    }

    /// The language of the content: `xml:lang` of this element or of the nearest element around it in the same stanza.
    ///
    /// The language of the stream is not looked at. An empty `xml:lang` gives an empty string (XML 1.0 §2.12).
    public var language: String? {
        storage.read { nodes in
            var found: ElementRecord?
            var current = 0
            while true {
                if let attribute = nodes.language(of: current) { found = attribute }
                guard current != Int(index) else { break }
                var position = current + 1
                // Of the elements that begin at or before ours, the last one on each level is around it.
                while nodes.records[position].kind != ElementRecord.element
                    || Int(nodes.records[position].next) <= Int(index)
                {
                    let record = nodes.records[position]
                    position = record.kind == ElementRecord.element ? Int(record.next) : position + 1
                }
                current = position
            }
            return found.map { nodes.string($0) }
        }
    }

    /// The element as XML that can stand alone: every namespace that is used is declared.
    ///
    /// An element built with characters that XML forbids gives text that is not well-formed; sending it is refused.
    public var xml: String {
        var writer = XMLWriter()
        writer.copy(self, inheriting: "")
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension Element: CustomStringConvertible {
    /// The same as `xml`.
    public var description: String { xml }
}

extension ElementNodes {
    @inline(__always)
    func matches(_ record: ElementRecord, _ name: XMLName) -> Bool {
        if name.id != XMLName.unknownID { return record.reference == name.id }
        guard record.reference & NamespaceReference.unknownName != 0 else { return false }
        return matchesUnknown(record, name)
    }

    private func matchesUnknown(_ record: ElementRecord, _ name: XMLName) -> Bool {
        let bytes = localName(of: record)
        var local = name.local
        return local.withUTF8 { $0.elementsEqual(bytes) } && namespace(of: record) == name.namespace
    }

    /// The record of an attribute.
    func attribute(
        of element: UInt32, _ local: UnsafeBufferPointer<UInt8>, namespace: String
    ) -> ElementRecord? {
        if namespace.isEmpty { return attribute(of: element, local) }
        var position = Int(element) + 1
        let end = Int(records[Int(element)].next)
        while position < end {
            let record = records[position]
            guard record.kind & 1 != 0 else { break }
            if record.kind == ElementRecord.attribute, record.isPrefixed, localName(of: record).elementsEqual(local),
                self.namespace(record.reference) == namespace
            {
                return record
            }
            position += 1
        }
        return nil
    }

    /// The record of an attribute in no namespace.
    @inline(__always)
    func attribute(of element: UInt32, _ local: UnsafeBufferPointer<UInt8>) -> ElementRecord? {
        guard let name = local.baseAddress else { return nil }
        var position = Int(element) &+ 1
        let end = Int(records[Int(element)].next)
        while position < end {
            let record = records[position]
            guard record.kind & 1 != 0 else { return nil }
            if record.word & (ElementRecord.kindMask | ElementRecord.prefixed) == ElementRecord.attribute {
                let start = bytes + Int(record.next)
                // The name is followed by `=` or white space, then at least the quote: `start` has room to compare.
                if start.pointee == name.pointee, Int(record.start) &- Int(record.next) > local.count,
                    xmlEqual(start, name, local.count),
                    start[local.count] == UInt8(ascii: "=") || XMLCharacters.isSpace(start[local.count])
                {
                    return record
                }
            }
            position &+= 1
        }
        return nil
    }

    /// The `xml:lang` attribute of an element.
    func language(of element: Int) -> ElementRecord? {
        var position = element + 1
        let end = Int(records[element].next)
        while position < end, records[position].kind & 1 != 0 {
            let record = records[position]
            if record.kind == ElementRecord.attribute, record.reference == XMLNameTable.xml,
                localName(of: record).elementsEqual("lang".utf8)
            {
                return record
            }
            position += 1
        }
        return nil
    }

    func forEachText(of element: UInt32, _ body: (ElementRecord) -> Void) {
        var position = Int(element) &+ 1
        let end = Int(records[Int(element)].next)
        while position < end {
            let record = records[position]
            if record.kind == ElementRecord.element {
                position = Int(record.next)
            } else {
                if record.kind == ElementRecord.text { body(record) }
                position &+= 1
            }
        }
    }
}
