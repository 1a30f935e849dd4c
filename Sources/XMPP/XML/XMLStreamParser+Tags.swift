// SPDX-License-Identifier: Apache-2.0

extension XMLStreamParser {
    /// Scans a name without a colon.
    ///
    /// Returns false when the bytes end at it, so that it may go on.
    @inline(__always)
    func scanName(_ p: inout Pointer, _ end: Pointer) throws(XMLError) -> Bool {
        let start = p
        var q = p
        if classes[Int(q.pointee)] & XMLCharacters.nameStart == 0 {
            guard let next = try skipNameCharacter(q, end, isFirst: true) else { return false }
            q = next
        }
        while true {
            while classes[Int(q.pointee)] & XMLCharacters.name != 0 { q += 1 }
            if q.pointee < 0x80 { break }
            guard let next = try skipNameCharacter(q, end, isFirst: false) else {
                if q - start > limits.nameBytes { throw XMLStreamParser.exceeded(.nameBytes) }
                return false
            }
            q = next
        }
        p = q
        if p - start > limits.nameBytes { throw XMLStreamParser.exceeded(.nameBytes) }
        return p != end
    }

    /// Passes one character of a name that is not ASCII, or refuses it; nil when its bytes are missing.
    @inline(never)
    private func skipNameCharacter(_ p: Pointer, _ end: Pointer, isFirst: Bool) throws(XMLError) -> Pointer? {
        if p == end { return nil }
        guard p.pointee >= 0x80 else { throw XMLStreamParser.malformed("a character that a name cannot have") }
        let length = XMLCharacters.length(p, end)
        if length == 0 { return nil }
        guard length > 0 else { throw XMLStreamParser.malformed("bytes that are not UTF-8, or a forbidden character") }
        let scalar = XMLCharacters.scalar(p, length)
        guard isFirst ? XMLCharacters.isNameStart(scalar) : XMLCharacters.isName(scalar) else {
            throw XMLStreamParser.malformed("a character that a name cannot have")
        }
        return p + length
    }

    /// Scans a name that may have a prefix; `prefixLength` is 0 without.
    @inline(__always)
    func scanQualifiedName(
        _ p: inout Pointer, _ end: Pointer, prefixLength: inout Int
    ) throws(XMLError) -> Bool {
        let start = p
        guard try scanName(&p, end) else { return false }
        prefixLength = 0
        guard p.pointee == UInt8(ascii: ":") else { return true }
        prefixLength = p - start
        p += 1
        guard try scanName(&p, end) else { return false }
        if p - start > limits.nameBytes { throw XMLStreamParser.exceeded(.nameBytes) }
        guard p.pointee != UInt8(ascii: ":") else { throw XMLStreamParser.malformed("a name with two colons") }
        return true
    }

    /// Reads `<` and the name of a start tag.
    ///
    /// Returns false, with `p` at the `<`, when the name is not complete.
    @inline(__always)
    mutating func openTag(_ p: inout Pointer, _ base: Pointer, _ end: Pointer) throws(XMLError) -> Bool {
        let start = p
        var q = p + 1
        var prefixLength = 0
        guard try scanQualifiedName(&q, end, prefixLength: &prefixLength) else { return false }
        if depth >= limits.depth { throw XMLStreamParser.exceeded(.depth) }
        tag.record = recordCount
        tag.nameLength = (q - start) &- 1
        tag.prefixLength = prefixLength
        tag.namespace = depth == 0 ? streamDefault : frames[depth &- 1].namespace
        tag.bindings = bindings.count
        tag.attributes = 0
        tag.hasPrefixedAttribute = false
        tag.nameFilter = 0
        tag.mayRepeat = false
        append(
            ElementRecord(
                word: ElementRecord.element, start: UInt32(truncatingIfNeeded: start - base), length: 0, next: 0))
        p = q
        step = .attributes
        return true
    }

    /// Passes white space and reads an attribute's name and what follows up to behind the opening quote.
    ///
    /// Returns false when the bytes end before the name does, with `p` at the last white space.
    @inline(__always)
    mutating func scanAttributeName(_ p: inout Pointer, _ base: Pointer, _ end: Pointer) throws(XMLError) -> Bool {
        var q = p + 1
        while XMLCharacters.isSpace(q.pointee) { q += 1 }
        p = q - 1
        let byte = q.pointee
        if byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") {
            p = q
            return true
        }
        let start = q
        var prefixLength = 0
        guard try scanQualifiedName(&q, end, prefixLength: &prefixLength) else { return false }
        tag.attributeStart = start - base
        tag.attributeLength = q - start
        tag.attributePrefix = prefixLength
        if q.pointee == UInt8(ascii: "="), q[1] == UInt8(ascii: "'") || q[1] == UInt8(ascii: "\""), q + 1 != end {
            tag.quote = q[1]
            p = q + 2
            tag.valueStart = p - base
            tag.valueEncoded = 0
            step = .attributeValue
        } else {
            p = q
            step = .attributeEquals
        }
        return true
    }

    /// Reads attributes while they are complete and written in the usual way, with one space before the name, and
    /// nothing to resolve in the value; returns where the next thing stands, which may be one that is not so.
    @inline(__always)
    mutating func scanPlainAttributes(_ start: Pointer, _ base: Pointer) throws(XMLError) -> Pointer {
        var p = start
        while p.pointee == 0x20 {
            let name = p + 1
            var q = name
            if classes[Int(q.pointee)] & XMLCharacters.nameStart == 0 { break }
            repeat { q += 1 } while classes[Int(q.pointee)] & XMLCharacters.name != 0
            var prefixLength = 0
            if q.pointee == UInt8(ascii: ":") {
                prefixLength = q - name
                q += 1
                if classes[Int(q.pointee)] & XMLCharacters.nameStart == 0 { break }
                repeat { q += 1 } while classes[Int(q.pointee)] & XMLCharacters.name != 0
            }
            let length = q - name
            let quote = q[1]
            guard q.pointee == UInt8(ascii: "="), quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\""),
                length <= limits.nameBytes
            else { break }
            let value = q + 2
            q = XMLStreamParser.skipPlainValue(value, quote)
            guard q.pointee == quote else { break }
            try finishAttribute(
                base, name: name - base, length: length, prefix: prefixLength, value: value - base,
                valueLength: q - value, encoded: 0)
            p = q + 1
        }
        return p
    }

    /// Records an attribute whose value is complete; offsets count from `base`.
    @inline(__always)
    mutating func finishAttribute(
        _ base: Pointer, name nameStart: Int, length: Int, prefix: Int, value: Int, valueLength: Int, encoded: UInt32
    ) throws(XMLError) {
        let count = tag.attributes
        if count >= limits.attributes { throw XMLStreamParser.exceeded(.attributes) }
        let name = base + nameStart
        let key = xmlKeyPadded(name, length)
        let bit: UInt64 = 1 &<< ((key &* 0x9E37_79B9_7F4A_7C15) &>> 58)
        if tag.nameFilter & bit != 0 { tag.mayRepeat = true }
        tag.nameFilter |= bit
        if count == keyCapacity { growKeys() }
        (keys + count).initialize(
            to: AttributeKey(
                key: key, start: UInt32(truncatingIfNeeded: nameStart),
                length: UInt16(truncatingIfNeeded: length), prefix: UInt16(truncatingIfNeeded: prefix),
                record: UInt32(truncatingIfNeeded: recordCount)))
        tag.attributes = count &+ 1
        var word = ElementRecord.attribute | encoded
        let isDeclaration =
            key & 0xFF_FFFF_FFFF == XMLStreamParser.xmlnsKey && (length == 5 || prefix == 5)
        if isDeclaration {
            word = ElementRecord.namespace | encoded
            if length != 5 { word |= ElementRecord.prefixed }
        } else if prefix != 0 {
            word |= ElementRecord.prefixed
            tag.hasPrefixedAttribute = true
        }
        append(
            ElementRecord(
                word: word, start: UInt32(truncatingIfNeeded: value), length: UInt32(truncatingIfNeeded: valueLength),
                next: UInt32(truncatingIfNeeded: nameStart)))
        if isDeclaration { try declareNamespace(base, prefixLength: length &- 6) }
    }

    /// "xmlns" as `xmlKey` gives it.
    static let xmlnsKey: UInt64 = 0x73_6E6C_6D78

    /// Resolves the names of a start tag that is complete, and refuses attributes that occur twice.
    @inline(__always)
    mutating func finishTag(_ base: Pointer) throws(XMLError) {
        if tag.hasPrefixedAttribute { try resolveAttributes(base) }
        if tag.mayRepeat { try refuseRepeatedAttributes(base) }
        let name = base + Int(records[tag.record].start) + 1
        var local = name
        var length = tag.nameLength
        var namespace = tag.namespace
        if tag.prefixLength != 0 {
            namespace = try resolvePrefix(name, tag.prefixLength, base)
            local = name + (tag.prefixLength &+ 1)
            length = length &- tag.prefixLength &- 1
            usesPrefixes = true
            records[tag.record].word |= ElementRecord.prefixed
        }
        var id = XMLName.unknownID
        if NamespaceReference.isKnown(namespace) {
            id = names.nameNumber(namespace: namespace, key: xmlKeyPadded(local, length), local, length)
        } else if namespace & NamespaceReference.context != 0 {
            usesContext = true
        }
        if id == XMLName.unknownID { id = NamespaceReference.unknownName | namespace }
        records[tag.record].word |= id &<< ElementRecord.shift
    }

    /// Compares the end tag at `p` with the start tag of the innermost element; leaves `p` behind the name.
    @inline(__always)
    mutating func matchEndTag(_ p: inout Pointer, _ base: Pointer, _ end: Pointer) throws(XMLError) -> Bool {
        let frame = frames[depth &- 1]
        return try matchEndName(
            &p, end, name: base + Int(records[Int(frame.record)].start) + 1, length: Int(frame.nameLength))
    }

    /// The same for the end tag of the stream.
    mutating func matchStreamEnd(_ p: inout Pointer, _ end: Pointer) throws(XMLError) -> Bool {
        guard let stream else { throw XMLStreamParser.malformed("an end tag without a start tag") }
        var result: Result<Bool, XMLError> = .success(false)
        var position = p
        stream.read { nodes in
            let name = nodes.qualifiedName(ofElement: nodes.records[0])
            guard let start = name.baseAddress else { return }
            do throws(XMLError) {
                result = .success(try matchEndName(&position, end, name: start, length: name.count))
            } catch {
                result = .failure(error)
            }
        }
        p = position
        return try result.get()
    }

    @inline(__always)
    private func matchEndName(
        _ p: inout Pointer, _ end: Pointer, name: UnsafePointer<UInt8>, length: Int
    ) throws(XMLError) -> Bool {
        let available = (end - p) &- 2
        // The zero at the end equals no byte of a name.
        let compared = min(available, length)
        if compared > 0, !xmlEqual(p + 2, name, compared) {
            throw XMLStreamParser.malformed("an end tag that does not match its start tag")
        }
        if available <= length { return false }
        let behind = p[2 &+ length]
        guard behind == UInt8(ascii: ">") || XMLCharacters.isSpace(behind) else {
            throw XMLStreamParser.malformed("an end tag that does not match its start tag")
        }
        p += 2 &+ length
        return true
    }
}
