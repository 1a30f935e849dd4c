// SPDX-License-Identifier: Apache-2.0

extension XMLStreamParser {
    /// Reads on until an event is complete or the bytes end.
    ///
    /// Every step leaves behind where the next one begins.
    mutating func advance() throws(XMLError) -> XMLStreamEvent {
        var base = buffer + origin
        let end = buffer + filled
        var p = buffer + cursor
        while true {
            switch step {
            case .content:
                if p.pointee != UInt8(ascii: "<") {
                    guard try scanText(&p, end) else { return try suspend(p) }
                }
                let next = p[1]
                if next == UInt8(ascii: "/") {
                    finishText(at: p, base)
                    guard try matchEndTag(&p, base, end) else { return try suspend(p) }
                    step = .endTagSpace
                } else if classes[Int(next)] & (XMLCharacters.nameStart | XMLCharacters.multibyte) != 0 {
                    finishText(at: p, base)
                    guard try openTag(&p, base, end) else { return try suspend(p) }
                } else {
                    finishText(at: p, base)
                    if p + 1 == end { return try suspend(p) }
                    guard try beginCharacterData(&p, base, end) else { return try suspend(p) }
                }

            case .attributes:
                // At white space, `/` or `>` behind the name or behind a value.
                p = try scanPlainAttributes(p, base)
                let byte = p.pointee
                if byte == UInt8(ascii: ">") {
                    p += 1
                    try finishTag(base)
                    if stream == nil { return try openStream(p, isEmpty: false) }
                    try pushFrame()
                    textStart = p - base
                    step = .content
                } else if XMLCharacters.isSpace(byte) {
                    guard try scanAttributeName(&p, base, end) else { return try suspend(p) }
                } else if byte == UInt8(ascii: "/") {
                    if p + 1 == end { return try suspend(p) }
                    guard p[1] == UInt8(ascii: ">") else { throw XMLStreamParser.malformed("`/` inside a tag") }
                    p += 2
                    try finishTag(base)
                    if stream == nil { return try openStream(p, isEmpty: true) }
                    if closeElement(tag.record, at: p, base, bindings: tag.bindings) {
                        return try finishStanza(p, base)
                    }
                    textStart = p - base
                    step = .content
                } else {
                    if p == end { return try suspend(p) }
                    throw XMLStreamParser.malformed("something else than an attribute inside a tag")
                }

            case .attributeEquals:
                while XMLCharacters.isSpace(p.pointee) { p += 1 }
                if p == end { return try suspend(p) }
                guard p.pointee == UInt8(ascii: "=") else {
                    throw XMLStreamParser.malformed("an attribute without `=`")
                }
                p += 1
                step = .attributeQuote

            case .attributeQuote:
                while XMLCharacters.isSpace(p.pointee) { p += 1 }
                if p == end { return try suspend(p) }
                let byte = p.pointee
                guard byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") else {
                    throw XMLStreamParser.malformed("an attribute value without quotes")
                }
                p += 1
                tag.quote = byte
                tag.valueStart = p - base
                tag.valueEncoded = 0
                step = .attributeValue

            case .attributeValue:
                guard try scanValue(&p, end) else { return try suspend(p) }
                try finishAttribute(
                    base, name: tag.attributeStart, length: tag.attributeLength, prefix: tag.attributePrefix,
                    value: tag.valueStart, valueLength: (p - base) &- tag.valueStart, encoded: tag.valueEncoded)
                p += 1
                step = .attributes

            case .endTagSpace:
                // Behind the name of an end tag that matched.
                while XMLCharacters.isSpace(p.pointee) { p += 1 }
                if p == end { return try suspend(p) }
                guard p.pointee == UInt8(ascii: ">") else { throw XMLStreamParser.malformed("an end tag without `>`") }
                p += 1
                if depth == 0 {
                    step = .closed
                    discard(upTo: p)
                    return .close
                }
                depth &-= 1
                let frame = frames[depth]
                if closeElement(Int(frame.record), at: p, base, bindings: Int(frame.bindings)) {
                    return try finishStanza(p, base)
                }
                textStart = p - base
                step = .content

            case .characterData:
                guard try scanCharacterData(&p, base, end) else { return try suspend(p) }
                textStart = p - base
                step = .content

            case .stream:
                while XMLCharacters.isSpace(p.pointee) { p += 1 }
                origin = p - buffer
                base = p
                if p == end {
                    discard(upTo: p)
                    return .needsMoreBytes
                }
                guard p.pointee == UInt8(ascii: "<") else { throw XMLStreamParser.malformed("text between stanzas") }
                if p + 1 == end || p[1] == UInt8(ascii: "!") && p + 2 == end { return try suspend(p) }
                if p[1] == UInt8(ascii: "/") {
                    guard try matchStreamEnd(&p, end) else { return try suspend(p) }
                    step = .endTagSpace
                } else {
                    try refuseDeclaration(p, end)
                    recordCount = 0
                    guard try openTag(&p, base, end) else { return try suspend(p) }
                }

            case .prolog:
                guard try skipProlog(&p, end) else { return try suspend(p) }
                origin = p - buffer
                base = p
                recordCount = 0
                guard try openTag(&p, base, end) else { return try suspend(p) }

            case .closing:
                step = .closed
                return .close

            case .closed:
                while XMLCharacters.isSpace(p.pointee) { p += 1 }
                discard(upTo: p)
                guard origin == filled else { throw XMLStreamParser.malformed("bytes behind the end of the stream") }
                return .needsMoreBytes
            }
        }
    }

    /// Remembers where to go on, and checks the cap on bytes of what is not complete.
    private mutating func suspend(_ p: Pointer) throws(XMLError) -> XMLStreamEvent {
        cursor = p - buffer
        if filled - origin > limits.stanzaBytes { throw XMLStreamParser.exceeded(.stanzaBytes) }
        return .needsMoreBytes
    }

    /// Forgets the bytes before `p`.
    private mutating func discard(upTo p: Pointer) {
        cursor = p - buffer
        origin = cursor
        guard origin == filled else { return }
        origin = 0
        cursor = 0
        filled = 0
        releaseLargeBuffers()
    }

    /// Delivers the stream header.
    private mutating func openStream(_ p: Pointer, isEmpty: Bool) throws(XMLError) -> XMLStreamEvent {
        let base = buffer + origin
        if p - base > limits.stanzaBytes { throw XMLStreamParser.exceeded(.stanzaBytes) }
        records[0].next = UInt32(truncatingIfNeeded: recordCount)
        records[0].length = UInt32(truncatingIfNeeded: p - base)
        let header = makeStorage(byteCount: p - base)
        stream = header
        for index in bindings.indices {
            bindings[index].isStream = true
            if bindings[index].reference & NamespaceReference.record != 0 {
                bindings[index].reference ^= NamespaceReference.record | NamespaceReference.context
            }
        }
        streamBindings = bindings.count
        streamDefault = tag.namespace
        if streamDefault & NamespaceReference.record != 0 {
            streamDefault ^= NamespaceReference.record | NamespaceReference.context
        }
        step = isEmpty ? .closing : .stream
        cursor = p - buffer
        origin = cursor
        recordCount = 0
        usesPrefixes = false
        usesContext = false
        return .open(Element(storage: header, index: 0))
    }

    private mutating func finishStanza(_ p: Pointer, _ base: Pointer) throws(XMLError) -> XMLStreamEvent {
        let count = p - base
        if count > limits.stanzaBytes { throw XMLStreamParser.exceeded(.stanzaBytes) }
        let storage = makeStorage(byteCount: count)
        cursor = p - buffer
        origin = cursor
        recordCount = 0
        usesPrefixes = false
        usesContext = false
        step = .stream
        return .stanza(Element(storage: storage, index: 0))
    }

    private func makeStorage(byteCount: Int) -> ElementStorage {
        ElementStorage.make(
            records: records, count: recordCount, bytes: buffer + origin, byteCount: byteCount,
            flags: usesPrefixes ? ElementHeader.usesPrefixes : 0, context: usesContext ? stream : nil)
    }

    /// Completes an element's record; returns whether it was the stanza.
    @inline(__always)
    private mutating func closeElement(_ record: Int, at p: Pointer, _ base: Pointer, bindings outside: Int) -> Bool {
        let start = Int(records[record].start)
        records[record].length = UInt32(truncatingIfNeeded: (p - base) &- start)
        records[record].next = UInt32(truncatingIfNeeded: recordCount)
        if bindings.count > outside { bindings.removeLast(bindings.count - outside) }
        return depth == 0
    }

    @inline(__always)
    private mutating func pushFrame() throws(XMLError) {
        if depth == frameCapacity { growFrames() }
        (frames + depth).initialize(
            to: Frame(
                record: UInt32(truncatingIfNeeded: tag.record), nameLength: UInt32(truncatingIfNeeded: tag.nameLength),
                namespace: tag.namespace, bindings: UInt32(truncatingIfNeeded: tag.bindings)))
        depth &+= 1
    }

    @inline(never)
    static func malformed(_ reason: StaticString) -> XMLError {
        XMLError(.notWellFormed, "\(reason)")
    }

    @inline(never)
    static func exceeded(_ limit: XMLLimit) -> XMLError {
        switch limit {
        case .stanzaBytes: XMLError(.limit(limit), "a stanza with too many bytes")
        case .depth: XMLError(.limit(limit), "elements nested too deep")
        case .attributes: XMLError(.limit(limit), "an element with too many attributes")
        case .nameBytes: XMLError(.limit(limit), "a name that is too long")
        case .namespaces: XMLError(.limit(limit), "too many namespace prefixes at once")
        }
    }
}
