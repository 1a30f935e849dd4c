// SPDX-License-Identifier: Apache-2.0

/// Puts an element together piece by piece.
///
/// Attributes of an element come first, then its text and children in order; `open` begins a child element that the
/// following calls fill, `close` ends it. Building takes time linear in the size, at any depth.
///
/// Names must be XML names without a prefix, and texts must hold only characters that XML allows. An element built
/// otherwise can be read and printed, but sending it throws an error, so that it never reaches the wire.
public struct ElementBuilder {
    private var writer = XMLWriter()
    private var records: [ElementRecord] = []
    private var stack: [OpenElement] = []
    private var flags: UInt32 = 0
    private var startTagIsOpen = false

    private struct OpenElement {
        var record: Int
        var nameEnd: Int
        /// The default namespace inside, and how records refer to it.
        var namespace: String
        var reference: UInt32
    }

    init(_ root: XMLName) {
        open(root)
    }

    /// Sets an attribute in no namespace.
    ///
    /// Nil sets nothing. `xml:lang` may be given by that name.
    public mutating func attribute(_ name: String, _ value: String?) {
        if name.hasPrefix("xml:") {
            attribute(String(name.dropFirst(4)), namespace: XMLNameTable.known.namespaces[1], value)
        } else {
            attribute(name, namespace: "", value)
        }
    }

    /// Sets an attribute in a namespace; nil sets nothing.
    public mutating func attribute(_ local: String, namespace: String, _ value: String?) {
        guard let value else { return }
        // An order of calls that no input decides: the program is wrong.
        precondition(startTagIsOpen, "attributes come before text and children")
        var word = ElementRecord.attribute
        var prefix = ""
        if namespace == XMLNameTable.known.namespaces[1] {
            word |= ElementRecord.prefixed | XMLNameTable.xml &<< ElementRecord.shift
            prefix = "xml:"
        } else if !namespace.isEmpty {
            let reference = declare(namespace, prefix: "ns\(records.count)")
            word |= ElementRecord.prefixed | reference &<< ElementRecord.shift
            prefix = "ns\(records.count - 1):"
            flags |= ElementHeader.usesPrefixes
        }
        writer.raw(" ")
        let nameStart = writer.count
        writer.raw(text: prefix)
        appendName(local)
        if namespace.isEmpty, local == "xmlns" || isRepeated(nameStart) { flags |= ElementHeader.hasInvalidName }
        if !namespace.isEmpty, isRepeated(local, word) { flags |= ElementHeader.hasInvalidName }
        finishAttribute(word, nameStart: nameStart, value)
    }

    /// Appends text to the content.
    public mutating func text(_ text: String) {
        guard !text.isEmpty else { return }
        closeStartTag()
        let start = writer.count
        appendEscaped(text, inAttribute: false)
        let word = ElementRecord.text | encoded(from: start)
        records.append(record(word, start: start, length: writer.count - start, next: 0))
    }

    /// Begins a child element; the calls that follow fill it until `close`.
    public mutating func open(_ name: XMLName) {
        if !stack.isEmpty { closeStartTag() }
        let start = writer.count
        let index = records.count
        let isXML = name.namespace == XMLNameTable.known.namespaces[Int(XMLNameTable.xml)]
        writer.raw(isXML ? "<xml:" : "<")
        appendName(name.local)
        let nameEnd = writer.count
        records.append(record(ElementRecord.element, start: start, length: 0, next: 0))
        var namespace = stack.last?.namespace ?? ""
        var reference = stack.last?.reference ?? XMLNameTable.noNamespace
        startTagIsOpen = true
        if isXML {
            records[index].word |= ElementRecord.prefixed
            flags |= ElementHeader.usesPrefixes
        } else if name.namespace != namespace {
            namespace = name.namespace
            reference = declare(namespace, prefix: nil)
            records[index].word |= ElementRecord.declaresDefault
        }
        let own = isXML ? XMLNameTable.xml : reference
        let id = name.id == XMLName.unknownID ? NamespaceReference.unknownName | own : name.id
        records[index].word |= id &<< ElementRecord.shift
        stack.append(OpenElement(record: index, nameEnd: nameEnd, namespace: namespace, reference: reference))
    }

    /// Ends the element begun by the last `open`.
    public mutating func close() {
        // As above.
        precondition(stack.count > 1, "close without open")
        closeLast()
    }

    /// Appends a child element with a text as its only content.
    public mutating func child(_ name: XMLName, text content: String) {
        open(name)
        text(content)
        close()
    }

    mutating func finish() -> Element {
        while !stack.isEmpty { closeLast() }
        let storage = records.withUnsafeBufferPointer { records in
            writer.bytes.withUnsafeBufferPointer { bytes -> ElementStorage? in
                guard let first = records.baseAddress, let start = bytes.baseAddress else { return nil }
                return ElementStorage.make(
                    records: first, count: records.count, bytes: start, byteCount: bytes.count, flags: flags,
                    context: nil)
            }
        }
        // `init` opens the root.
        guard let storage else { preconditionFailure("a builder always holds its root") }
        return Element(storage: storage, index: 0)
    }
}

// MARK: Pieces

extension ElementBuilder {
    private mutating func closeStartTag() {
        guard startTagIsOpen else { return }
        writer.raw(">")
        startTagIsOpen = false
    }

    private mutating func closeLast() {
        guard let element = stack.popLast() else { return }
        let start = Int(records[element.record].start)
        if startTagIsOpen {
            writer.raw("/>")
            startTagIsOpen = false
        } else {
            writer.raw("</")
            writer.rawCopy(of: start + 1..<element.nameEnd)
            writer.raw(">")
        }
        records[element.record].length = UInt32(writer.count - start)
        records[element.record].next = UInt32(records.count)
    }

    /// Declares a namespace on the open start tag and returns how records refer to it.
    private mutating func declare(_ namespace: String, prefix: String?) -> UInt32 {
        writer.raw(" ")
        let nameStart = writer.count
        writer.raw("xmlns")
        var word = ElementRecord.namespace
        if let prefix {
            writer.raw(text: ":\(prefix)")
            word |= ElementRecord.prefixed
        }
        let index = UInt32(records.count)
        finishAttribute(word, nameStart: nameStart, namespace)
        let number = XMLNameTable.known.number(ofNamespace: namespace)
        if number == XMLNameTable.xmlns { flags |= ElementHeader.hasInvalidName }
        return number == XMLNameTable.notFound ? NamespaceReference.record | index : number
    }

    private mutating func finishAttribute(_ word: UInt32, nameStart: Int, _ value: String) {
        writer.raw("='")
        let start = writer.count
        appendEscaped(value, inAttribute: true)
        records.append(
            record(word | encoded(from: start), start: start, length: writer.count - start, next: nameStart))
        writer.raw("'")
    }

    /// Appends escaped characters; forbidden ones are kept and marked.
    private mutating func appendEscaped(_ value: String, inAttribute: Bool) {
        guard writer.append(value, inAttribute: inAttribute) != nil else { return }
        flags |= ElementHeader.hasForbiddenCharacter
        for scalar in value.unicodeScalars {
            let character = String(scalar)
            if writer.append(character, inAttribute: inAttribute) != nil {
                writer.raw(text: character)
            }
        }
    }

    /// Whether the open start tag already has an attribute with the name written from `nameStart` on.
    private func isRepeated(_ nameStart: Int) -> Bool {
        guard let element = stack.last?.record else { return false }
        let name = writer.bytes[nameStart...]
        return records[(element + 1)...].contains { record in
            let start = Int(record.next)
            return writer.bytes[start...].starts(with: name)
                && writer.bytes[start + name.count] == UInt8(ascii: "=")
        }
    }

    /// As above, for an attribute in a namespace, where the prefixes differ.
    private func isRepeated(_ local: String, _ word: UInt32) -> Bool {
        guard let element = stack.last?.record else { return false }
        let wanted = namespaceName(word)
        return records[(element + 1)...].contains { record in
            guard record.kind == ElementRecord.attribute, record.isPrefixed else { return false }
            let name = writer.bytes[Int(record.next)..<Int(record.start)]
            guard let colon = name.firstIndex(of: UInt8(ascii: ":")) else { return false }
            return namespaceName(record.word) == wanted
                && name[(colon + 1)...].elementsEqual("\(local)='".utf8)
        }
    }

    private func namespaceName(_ word: UInt32) -> ArraySlice<UInt8> {
        let reference = word &>> ElementRecord.shift
        guard !NamespaceReference.isKnown(reference) else {
            return ArraySlice(XMLNameTable.known.namespaces[Int(reference)].utf8)
        }
        let record = records[Int(reference & NamespaceReference.indexMask)]
        return writer.bytes[Int(record.start)..<Int(record.start + record.length)]
    }

    private func encoded(from start: Int) -> UInt32 {
        writer.bytes[start...].contains(UInt8(ascii: "&")) ? ElementRecord.encoded : 0
    }

    /// Appends a name; what cannot be one is replaced and marked.
    private mutating func appendName(_ name: String) {
        var isFirst = true
        for scalar in name.unicodeScalars {
            let value = scalar.value
            let isValid =
                value < 0x80
                ? XMLCharacters.classes[Int(value)] & (isFirst ? XMLCharacters.nameStart : XMLCharacters.name) != 0
                : isFirst ? XMLCharacters.isNameStart(value) : XMLCharacters.isName(value)
            if isValid {
                writer.raw(text: String(scalar))
            } else {
                writer.raw("_")
                flags |= ElementHeader.hasInvalidName
            }
            isFirst = false
        }
        if isFirst {
            writer.raw("_")
            flags |= ElementHeader.hasInvalidName
        }
    }

    private func record(_ word: UInt32, start: Int, length: Int, next: Int) -> ElementRecord {
        // 4 GiB built in code: the program's own matter.
        precondition(start + length < Int(UInt32.max) && records.count < Int(NamespaceReference.indexMask))
        return ElementRecord(word: word, start: UInt32(start), length: UInt32(length), next: UInt32(next))
    }
}

// MARK: Copying an element

extension ElementBuilder {
    /// Appends a copy of an element as a child.
    public mutating func child(_ element: Element) {
        closeStartTag()
        flags |= element.storage.header.flags & ~ElementHeader.usesPrefixes
        element.read { nodes, _ in
            if nodes.storage.header.flags & ElementHeader.usesPrefixes != 0 {
                copyNodes(nodes, Int(element.index))
            } else {
                copyBytes(nodes, Int(element.index))
            }
        }
    }

    /// Copies the bytes of a tree without prefixes, and its records with their offsets moved.
    ///
    /// The default namespace around the copy may be another than around the original. The one difference that this makes
    /// is a declaration on the root, which is put in or left out.
    private mutating func copyBytes(_ nodes: ElementNodes, _ root: Int) {
        let record = nodes.records[root]
        let whole = nodes.bytes(of: record)
        let end = Int(record.next)
        let namespace = nodes.namespace(of: record)
        var copy = Copy(
            root: root, start: Int(record.start), newStart: writer.count,
            outside: stack.last?.reference ?? XMLNameTable.noNamespace)
        // As in `record`.
        precondition(
            copy.newStart + whole.count + namespace.utf8.count * 6 < Int(UInt32.max)
                && records.count + end - root < Int(NamespaceReference.indexMask))
        let first = records.count
        records.append(record)
        let declaration = nodes.defaultDeclaration(of: root)
        if namespace == stack.last?.namespace ?? "" {
            if let declaration {
                let range = nodes.range(of: declaration)
                copy.leaveOut(range.lowerBound..<range.upperBound, record: nodes.defaultDeclarationIndex(of: root))
                writer.raw(UnsafeBufferPointer(rebasing: whole[..<(range.lowerBound - copy.start)]))
                writer.raw(UnsafeBufferPointer(rebasing: whole[(range.upperBound - copy.start)...]))
                records[first].word &= ~ElementRecord.declaresDefault
            } else {
                writer.raw(whole)
            }
        } else if declaration != nil {
            writer.raw(whole)
        } else {
            let nameEnd = 1 + nodes.qualifiedName(ofElement: record).count
            writer.raw(UnsafeBufferPointer(rebasing: whole[..<nameEnd]))
            let before = writer.count
            copy.outside = declare(namespace, prefix: nil)
            copy.putIn(writer.count - before, at: copy.start + nameEnd)
            records[first].word |= ElementRecord.declaresDefault
            writer.raw(UnsafeBufferPointer(rebasing: whole[nameEnd...]))
        }
        copy.indexShift = records.count - 1 - root
        records[first].start = UInt32(copy.newStart)
        records[first].length = UInt32(whole.count + copy.edit)
        records[first].next = copy.index(record.next)
        records[first].word = copy.word(record: records[first])
        for position in root + 1..<end where position != copy.leftOut {
            records.append(copy.moved(nodes.records[position]))
        }
    }

    /// How offsets and indices change while a tree is copied.
    private struct Copy {
        let root: Int
        /// Where the tree begins, and where its copy does.
        let start: Int
        let newStart: Int
        /// The reference of the default namespace around the copy.
        var outside: UInt32
        var indexShift = 0
        /// Bytes behind `editEnd` move by this in addition.
        var edit = 0
        private var editEnd = Int.max
        /// The index of the record that is not copied.
        var leftOut = -1

        init(root: Int, start: Int, newStart: Int, outside: UInt32) {
            self.root = root
            self.start = start
            self.newStart = newStart
            self.outside = outside
        }

        mutating func putIn(_ count: Int, at offset: Int) {
            edit = count
            editEnd = offset
        }

        mutating func leaveOut(_ range: Range<Int>, record: Int) {
            edit = -range.count
            editEnd = range.upperBound
            leftOut = record
        }

        func offset(_ offset: UInt32) -> UInt32 {
            let old = Int(offset)
            return UInt32(truncatingIfNeeded: old &- start &+ newStart &+ (old >= editEnd ? edit : 0))
        }

        func index(_ index: UInt32) -> UInt32 {
            UInt32(truncatingIfNeeded: Int(index) &+ indexShift &- (leftOut >= 0 && Int(index) > leftOut ? 1 : 0))
        }

        func moved(_ record: ElementRecord) -> ElementRecord {
            var copy = record
            copy.start = offset(record.start)
            switch record.kind {
            case ElementRecord.element:
                copy.next = index(record.next)
                copy.word = word(record: record)
            case ElementRecord.text: break
            default: copy.next = offset(record.next)
            }
            return copy
        }

        /// The word of an element, with the reference of a namespace whose declaration has moved or stands outside.
        func word(record: ElementRecord) -> UInt32 {
            guard record.reference & NamespaceReference.unknownName != 0 else { return record.word }
            let reference = record.reference & ~NamespaceReference.unknownName
            guard !NamespaceReference.isKnown(reference) else { return record.word }
            let declaration = reference & NamespaceReference.indexMask
            let isOutside =
                reference & NamespaceReference.context != 0 || Int(declaration) < root || Int(declaration) == leftOut
            let moved = isOutside ? outside : NamespaceReference.record | index(declaration)
            return record.word & (1 &<< ElementRecord.shift &- 1)
                | (NamespaceReference.unknownName | moved) &<< ElementRecord.shift
        }
    }

    /// Copies a tree node by node; prefixes become our own.
    private mutating func copyNodes(_ nodes: ElementNodes, _ root: Int) {
        var ends: [Int] = []
        let end = Int(nodes.records[root].next)
        var position = root
        while position < end {
            let record = nodes.records[position]
            switch record.kind {
            case ElementRecord.element:
                open(nodes.name(of: record))
                ends.append(Int(record.next))
            case ElementRecord.text: text(nodes.string(record))
            case ElementRecord.attribute:
                attribute(
                    String(decoding: nodes.localName(of: record), as: UTF8.self),
                    namespace: nodes.namespace(record.reference), nodes.string(record))
            default: break
            }
            position += 1
            while let last = ends.last, last == position {
                ends.removeLast()
                closeLast()
            }
        }
    }
}

extension Element {
    /// Makes an element from its parts; an attribute whose value is nil is left out.
    public init(
        _ name: XMLName, attributes: KeyValuePairs<String, String?> = [:], text: String? = nil,
        children: [Element] = []
    ) {
        self.init(name) { builder in
            for (name, value) in attributes { builder.attribute(name, value) }
            if let text { builder.text(text) }
            for child in children { builder.child(child) }
        }
    }

    /// Makes an element that the closure fills.
    public init(_ name: XMLName, _ build: (inout ElementBuilder) -> Void) {
        var builder = ElementBuilder(name)
        build(&builder)
        self = builder.finish()
    }
}
