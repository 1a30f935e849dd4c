// SPDX-License-Identifier: Apache-2.0

extension XMLWriter {
    /// Appends an element with everything in it, where `inherited` is the default namespace that is in force.
    ///
    /// An element in that namespace gets no `xmlns`. Throws, and appends nothing, for an element that was built
    /// with a forbidden character (the offset counts from the element's first byte) or an invalid name.
    package mutating func element(_ element: Element, inheriting inherited: String) throws(XMLError) {
        let flags = element.storage.header.flags
        if flags & ElementHeader.hasInvalidName != 0 {
            throw XMLError(.invalidName, "an element built with an invalid or repeated name")
        }
        if flags & ElementHeader.hasForbiddenCharacter != 0, let offset = element.forbiddenCharacterOffset {
            throw XMLError(.forbiddenCharacter(offset: offset), "a character that XML forbids")
        }
        copy(element, inheriting: inherited)
    }

    /// As `element`, but takes forbidden characters as they are.
    mutating func copy(_ element: Element, inheriting inherited: String) {
        element.read { nodes, record in
            if nodes.storage.header.flags & ElementHeader.usesPrefixes != 0 {
                rewrite(nodes, Int(element.index), inheriting: inherited)
                return
            }
            // No prefix in the whole stanza: the bytes mean the same everywhere once the default namespace is right.
            let whole = nodes.bytes(of: record)
            guard let start = whole.baseAddress else { return }
            let isInherited = nodes.namespace(of: record) == inherited
            let declaration = nodes.defaultDeclaration(of: Int(element.index))
            if isInherited, let declaration {
                let range = nodes.range(of: declaration)
                let resume = range.upperBound - Int(record.start)
                raw(UnsafeBufferPointer(start: start, count: range.lowerBound - Int(record.start)))
                raw(UnsafeBufferPointer(start: start + resume, count: whole.count - resume))
            } else if isInherited || declaration != nil {
                raw(whole)
            } else {
                let nameEnd = 1 + nodes.qualifiedName(ofElement: record).count
                raw(UnsafeBufferPointer(start: start, count: nameEnd))
                declareDefault(nodes.namespace(of: record))
                raw(UnsafeBufferPointer(start: start + nameEnd, count: whole.count - nameEnd))
            }
        }
    }

    private mutating func declareDefault(_ namespace: String) {
        raw(" xmlns='")
        if append(namespace, inAttribute: true) == nil { raw(byte: UInt8(ascii: "'")) }
    }

    /// Writes a tree in which prefixes occur: elements without, attributes with prefixes of our own.
    private mutating func rewrite(_ nodes: ElementNodes, _ root: Int, inheriting inherited: String) {
        var open: [(end: Int, name: UnsafeBufferPointer<UInt8>, namespace: String)] = []
        let end = Int(nodes.records[root].next)
        var position = root
        while position < end {
            let record = nodes.records[position]
            if record.kind == ElementRecord.text {
                rewriteText(nodes, record)
                position += 1
            } else {
                var name = nodes.localName(of: record)
                var namespace = nodes.namespace(of: record)
                let outside = open.last?.namespace ?? inherited
                raw(byte: UInt8(ascii: "<"))
                if namespace == XMLNameTable.known.namespaces[Int(XMLNameTable.xml)] {
                    // The one namespace that cannot be the default and has a prefix everywhere.
                    name = nodes.qualifiedName(ofElement: record)
                    namespace = outside
                }
                raw(name)
                if namespace != outside { declareDefault(namespace) }
                rewriteAttributes(nodes, position)
                position = nodes.contentStart(of: position)
                if position == Int(record.next) {
                    raw("/>")
                } else {
                    raw(byte: UInt8(ascii: ">"))
                    open.append((Int(record.next), name, namespace))
                }
            }
            while let last = open.last, last.end == position {
                raw("</")
                raw(last.name)
                raw(byte: UInt8(ascii: ">"))
                open.removeLast()
            }
        }
    }

    /// Writes a run anew: beside another run, with no CDATA section between them now, its bytes could mean another thing.
    private mutating func rewriteText(_ nodes: ElementNodes, _ record: ElementRecord) {
        XMLDecoding.withBytes(nodes.bytes(of: record), word: record.word) { _ = append($0, inAttribute: false) }
    }

    private mutating func rewriteAttributes(_ nodes: ElementNodes, _ element: Int) {
        var prefixes = 0
        for position in element + 1..<nodes.contentStart(of: element) {
            let record = nodes.records[position]
            guard record.kind == ElementRecord.attribute else { continue }
            if record.isPrefixed, record.reference == XMLNameTable.xml {
                raw(" xml:")
            } else if record.isPrefixed {
                let prefix = "ns\(prefixes)"
                prefixes += 1
                raw(text: " xmlns:\(prefix)='")
                _ = append(nodes.namespace(record.reference), inAttribute: true)
                raw(text: "' \(prefix):")
            } else {
                raw(byte: UInt8(ascii: " "))
            }
            raw(nodes.localName(of: record))
            raw(byte: UInt8(ascii: "="))
            // The value with the quotes that it came in.
            raw(
                UnsafeBufferPointer(
                    start: nodes.bytes + Int(record.start) - 1, count: Int(record.length) + 2))
        }
    }
}

extension ElementNodes {
    /// The `xmlns` declaration that stands on an element.
    func defaultDeclaration(of element: Int) -> ElementRecord? {
        let index = defaultDeclarationIndex(of: element)
        return index < 0 ? nil : records[index]
    }

    /// The index of that declaration, or -1.
    func defaultDeclarationIndex(of element: Int) -> Int {
        guard records[element].word & ElementRecord.declaresDefault != 0 else { return -1 }
        let wanted = ElementRecord.kindMask | ElementRecord.prefixed
        for position in element + 1..<contentStart(of: element)
        where records[position].word & wanted == ElementRecord.namespace {
            return position
        }
        return -1
    }

    /// Where an attribute or declaration stands, with the white space before it.
    func range(of attribute: ElementRecord) -> Range<Int> {
        var start = Int(attribute.next)
        while XMLCharacters.isSpace(bytes[start - 1]) { start -= 1 }
        return start..<Int(attribute.start) + Int(attribute.length) + 1
    }
}

extension Element {
    /// Where the first forbidden character stands in the element's bytes.
    fileprivate var forbiddenCharacterOffset: Int? {
        read { nodes, record in
            let bytes = nodes.bytes(of: record)
            guard let start = bytes.baseAddress else { return nil }
            return bytes.indices.first { XMLWriter.isForbidden(start, $0, bytes.count) }
        }
    }
}
