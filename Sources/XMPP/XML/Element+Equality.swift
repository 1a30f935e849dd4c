// SPDX-License-Identifier: Apache-2.0

extension Element: Hashable {
    /// Returns whether both mean the same XML: names, attributes in any order, texts and children in order.
    ///
    /// Prefixes, quotes, references and CDATA sections are ways of writing and make no difference.
    public static func == (left: Element, right: Element) -> Bool {
        if left.storage === right.storage, left.index == right.index { return true }
        return left.storage.read { leftNodes in
            right.storage.read { rightNodes in
                leftNodes.isSameText(Int(left.index), rightNodes, Int(right.index))
                    || isEqual(leftNodes, Int(left.index), rightNodes, Int(right.index))
            }
        }
    }

    /// Feeds name, number of attributes and text of this element and of all inside it into a hasher.
    public func hash(into hasher: inout Hasher) {
        storage.read { nodes in
            var text: [UInt8] = []
            var position = Int(index)
            let end = Int(nodes.records[position].next)
            while position < end {
                let record = nodes.records[position]
                switch record.kind {
                case ElementRecord.text:
                    XMLDecoding.append(nodes.bytes(of: record), word: record.word, to: &text)
                case ElementRecord.element:
                    hasher.combine(text)
                    text.removeAll(keepingCapacity: true)
                    hasher.combine(nodes.name(of: record))
                    hasher.combine(nodes.attributesHash(of: position))
                default: break
                }
                position += 1
            }
            hasher.combine(text)
        }
    }

    /// Walks both trees side by side; the stack is an array, so depth costs no call.
    private static func isEqual(_ left: ElementNodes, _ leftRoot: Int, _ right: ElementNodes, _ rightRoot: Int) -> Bool
    {
        var ends: [(left: Int, right: Int)] = []
        var i = leftRoot
        var j = rightRoot
        repeat {
            // Both stand at an element.
            guard left.name(of: left.records[i]) == right.name(of: right.records[j]),
                left.hasEqualAttributes(i, right, j)
            else { return false }
            ends.append((Int(left.records[i].next), Int(right.records[j].next)))
            i = left.contentStart(of: i)
            j = right.contentStart(of: j)
            while let end = ends.last {
                guard left.skipEqualText(&i, end.left, right, &j, end.right) else { return false }
                guard (i == end.left) == (j == end.right) else { return false }
                guard i == end.left else { break }
                ends.removeLast()
            }
        } while !ends.isEmpty
        return true
    }
}

extension ElementNodes {
    /// Whether both are written alike and in the same namespace, without prefixes; then they mean the same.
    fileprivate func isSameText(_ element: Int, _ other: ElementNodes, _ otherElement: Int) -> Bool {
        let record = records[element]
        let otherRecord = other.records[otherElement]
        return record.length == otherRecord.length
            && (storage.header.flags | other.storage.header.flags) & ElementHeader.usesPrefixes == 0
            && xmlEqual(bytes + Int(record.start), other.bytes + Int(otherRecord.start), Int(record.length))
            && namespace(of: record) == other.namespace(of: otherRecord)
    }

    /// The index behind an element's attributes and declarations.
    func contentStart(of element: Int) -> Int {
        var position = element + 1
        let end = Int(records[element].next)
        while position < end, records[position].kind & 1 != 0 { position += 1 }
        return position
    }

    fileprivate func attributeRecords(of element: Int) -> [ElementRecord] {
        (element + 1..<contentStart(of: element)).map { records[$0] }.filter { $0.kind == ElementRecord.attribute }
    }

    /// A value that does not depend on the order of the attributes.
    fileprivate func attributesHash(of element: Int) -> Int {
        var sum = 0
        for record in attributeRecords(of: element) {
            var hasher = Hasher()
            hasher.combine(name(of: record))
            hasher.combine(string(record))
            sum &+= hasher.finalize()
        }
        return sum
    }

    fileprivate func hasEqualAttributes(_ element: Int, _ other: ElementNodes, _ otherElement: Int) -> Bool {
        let mine = attributeRecords(of: element)
        let others = other.attributeRecords(of: otherElement)
        guard mine.count == others.count else { return false }
        if mine.isEmpty { return true }
        var values: [XMLName: String] = [:]
        for record in mine { values[name(of: record)] = string(record) }
        return others.allSatisfy { values[other.name(of: $0)] == other.string($0) }
    }

    /// Passes the texts that both stand at; returns whether they are the same characters.
    fileprivate func skipEqualText(
        _ position: inout Int, _ end: Int, _ other: ElementNodes, _ otherPosition: inout Int, _ otherEnd: Int
    ) -> Bool {
        let hasText = position < end && records[position].kind == ElementRecord.text
        let otherHasText = otherPosition < otherEnd && other.records[otherPosition].kind == ElementRecord.text
        if !hasText, !otherHasText { return true }
        return takeText(&position, end) == other.takeText(&otherPosition, otherEnd)
    }

    private func takeText(_ position: inout Int, _ end: Int) -> [UInt8] {
        var text: [UInt8] = []
        while position < end, records[position].kind == ElementRecord.text {
            XMLDecoding.append(bytes(of: records[position]), word: records[position].word, to: &text)
            position += 1
        }
        return text
    }
}
