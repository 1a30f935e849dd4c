// SPDX-License-Identifier: Apache-2.0

/// Access to the bytes of an element for code that runs once per stanza; no String is made.
extension Element {
    /// Gives the decoded bytes of the attribute with this name in no namespace; nil when there is none.
    ///
    /// The bytes are valid UTF-8 and may be used only inside `body`.
    @inline(__always)
    package func withAttribute<Result>(
        _ local: StaticString, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result? {
        read { nodes, _ in
            let name = UnsafeBufferPointer(start: local.utf8Start, count: local.utf8CodeUnitCount)
            guard let record = nodes.attribute(of: index, name) else { return nil }
            return XMLDecoding.withBytes(nodes.bytes(of: record), word: record.word, body)
        }
    }

    /// Whether the attribute with this name in no namespace is there and has this value.
    package func attributeEquals(_ local: StaticString, _ value: StaticString) -> Bool {
        withAttribute(local) { bytes in
            guard let start = bytes.baseAddress else { return value.utf8CodeUnitCount == 0 }
            return bytes.count == value.utf8CodeUnitCount && xmlEqual(start, value.utf8Start, bytes.count)
        } ?? false
    }

    /// Gives the decoded bytes of the text directly inside the element; they may be used only inside `body`.
    package func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        read { nodes, record in
            // One run and nothing else is by far the usual case.
            var position = Int(index) &+ 1
            while position < Int(record.next), nodes.records[position].kind & 1 != 0 { position &+= 1 }
            if position == Int(record.next) { return body(UnsafeBufferPointer(start: nil, count: 0)) }
            let text = nodes.records[position]
            if text.kind == ElementRecord.text, position &+ 1 == Int(record.next) {
                return XMLDecoding.withBytes(nodes.bytes(of: text), word: text.word, body)
            }
            var joined: [UInt8] = []
            nodes.forEachText(of: index) {
                XMLDecoding.append(nodes.bytes(of: $0), word: $0.word, to: &joined)
            }
            return joined.withUnsafeBufferPointer(body)
        }
    }

    /// The size in bytes of the element as it was received, or as it was built.
    package var byteCount: Int { read { _, record in Int(record.length) } }
}
