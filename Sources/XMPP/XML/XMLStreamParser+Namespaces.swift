// SPDX-License-Identifier: Apache-2.0

/// Namespaces in XML 1.0 (third edition).
extension XMLStreamParser {
    /// Puts the declaration that was recorded last into force.
    mutating func declareNamespace(_ base: Pointer, prefixLength: Int) throws(XMLError) {
        let index = recordCount &- 1
        let record = records[index]
        let length = Int(record.length)
        if length > limits.nameBytes { throw XMLStreamParser.exceeded(.nameBytes) }
        let value = UnsafeBufferPointer(start: UnsafePointer(base + Int(record.start)), count: length)
        var decodedLength = length
        let number: UInt32 = XMLDecoding.withBytes(value, word: record.word) { decoded in
            decodedLength = decoded.count
            guard let start = decoded.baseAddress else { return XMLNameTable.noNamespace }
            return names.namespaceNumber(start, decoded.count)
        }
        var reference = number
        if let alias, number == XMLNameTable.notFound, value.elementsEqual(alias.name) {
            reference = alias.number
        } else if number == XMLNameTable.notFound {
            reference = NamespaceReference.record | UInt32(truncatingIfNeeded: index)
        }
        if record.word & ElementRecord.prefixed == 0 {
            guard number != XMLNameTable.xml, number != XMLNameTable.xmlns else {
                throw XMLError(.badNamespace, "a reserved namespace as the default")
            }
            tag.namespace = reference
            records[tag.record].word |= ElementRecord.declaresDefault
            return
        }
        let prefix = base + Int(record.next) + 6
        let key = xmlKeyPadded(prefix, prefixLength)
        if prefixLength == 3, key == XMLStreamParser.xmlKeyValue {
            guard number == XMLNameTable.xml else {
                throw XMLError(.badNamespace, "the prefix xml declared as another")
            }
            return
        }
        if prefixLength == 5, key == XMLStreamParser.xmlnsKey {
            throw XMLError(.badNamespace, "the prefix xmlns declared")
        }
        guard number != XMLNameTable.xml, number != XMLNameTable.xmlns else {
            throw XMLError(.badNamespace, "a reserved namespace with another prefix")
        }
        guard number != XMLNameTable.noNamespace else { throw XMLError(.badNamespace, "a prefix for no namespace") }
        if bindings.count >= limits.namespaces { throw XMLStreamParser.exceeded(.namespaces) }
        var binding = NamespaceBinding(
            key: key, prefixStart: record.next &+ 6, prefixLength: UInt32(truncatingIfNeeded: prefixLength),
            isStream: false, reference: reference, nameStart: record.start, nameLength: record.length,
            decodedLength: UInt32(truncatingIfNeeded: decodedLength), flags: record.word)
        if !NamespaceReference.isKnown(reference), let same = bindings.last(where: { isSame($0, binding, base) }) {
            // One reference for one namespace, so that names with different prefixes can be compared.
            binding.reference = same.reference
        }
        bindings.append(binding)
    }

    /// "xml" as `xmlKey` gives it.
    private static let xmlKeyValue: UInt64 = 0x6C_6D78

    /// The namespace that a prefix stands for.
    func resolvePrefix(_ prefix: Pointer, _ length: Int, _ base: Pointer) throws(XMLError) -> UInt32 {
        let key = xmlKeyPadded(prefix, length)
        if length == 3, key == XMLStreamParser.xmlKeyValue { return XMLNameTable.xml }
        var index = bindings.count
        while index > 0 {
            index &-= 1
            guard bindings[index].key == key, Int(bindings[index].prefixLength) == length else { continue }
            let binding = bindings[index]
            if length <= 8 { return binding.reference }
            let isSame = withBytes(of: binding, base) { bytes in
                xmlEqual(bytes + Int(binding.prefixStart), prefix, length)
            }
            if isSame { return binding.reference }
        }
        throw XMLError(.badNamespace, "a prefix that is not declared")
    }

    /// Resolves the prefixes of a tag's attributes.
    mutating func resolveAttributes(_ base: Pointer) throws(XMLError) {
        var other = 0
        for index in 0..<tag.attributes {
            let attribute = keys[index]
            let record = Int(attribute.record)
            guard attribute.prefix != 0, records[record].kind == ElementRecord.attribute else { continue }
            let reference = try resolvePrefix(base + Int(attribute.start), Int(attribute.prefix), base)
            records[record].word |= reference &<< ElementRecord.shift
            guard reference != XMLNameTable.xml else { continue }
            usesPrefixes = true
            if reference & NamespaceReference.context != 0 { usesContext = true }
            other += 1
        }
        if other > 1 { try refuseRepeatedExpandedNames(base) }
    }

    /// Throws when a name occurs twice among the attributes of a tag (XML 1.0 §3.1).
    func refuseRepeatedAttributes(_ base: Pointer) throws(XMLError) {
        var i = 1
        while i < tag.attributes {
            let key = keys[i].key
            var j = 0
            while j < i {
                if keys[j].key == key, keys[j].length == keys[i].length,
                    xmlEqual(base + Int(keys[i].start), base + Int(keys[j].start), Int(keys[i].length))
                {
                    throw XMLStreamParser.malformed("an attribute that occurs twice")
                }
                j &+= 1
            }
            i &+= 1
        }
    }

    /// Throws when two prefixed attributes have the same local name and namespace (Namespaces §6.3).
    private func refuseRepeatedExpandedNames(_ base: Pointer) throws(XMLError) {
        for i in 0..<tag.attributes where keys[i].prefix != 0 {
            let first = records[Int(keys[i].record)]
            guard first.kind == ElementRecord.attribute else { continue }
            let local = Int(keys[i].length) - Int(keys[i].prefix)
            for j in 0..<i where keys[j].prefix != 0 && Int(keys[j].length) - Int(keys[j].prefix) == local {
                let second = records[Int(keys[j].record)]
                guard second.kind == ElementRecord.attribute, second.reference == first.reference else { continue }
                if xmlEqual(
                    base + Int(keys[i].start) + Int(keys[i].prefix), base + Int(keys[j].start) + Int(keys[j].prefix),
                    local)
                {
                    throw XMLStreamParser.malformed("an attribute that occurs twice")
                }
            }
        }
    }

    /// Whether both bindings, of which the second is new, are for the same namespace.
    private func isSame(_ old: NamespaceBinding, _ new: NamespaceBinding, _ base: Pointer) -> Bool {
        guard old.decodedLength == new.decodedLength, !NamespaceReference.isKnown(old.reference) else { return false }
        return withBytes(of: old, base) { bytes in
            XMLDecoding.withBytes(
                UnsafeBufferPointer(start: bytes + Int(old.nameStart), count: Int(old.nameLength)), word: old.flags
            ) { oldName in
                XMLDecoding.withBytes(
                    UnsafeBufferPointer(start: base + Int(new.nameStart), count: Int(new.nameLength)), word: new.flags
                ) { $0.elementsEqual(oldName) }
            }
        }
    }

    /// The bytes that a binding's offsets count in: the stream header's or those of the unfinished stanza.
    private func withBytes<Result>(
        of binding: NamespaceBinding, _ base: Pointer, _ body: (UnsafePointer<UInt8>) -> Result
    ) -> Result {
        if binding.isStream, let stream { return stream.read { body($0.bytes) } }
        return body(base)
    }
}
