// SPDX-License-Identifier: Apache-2.0

/// One node of a stanza, 16 bytes.
///
/// All offsets count from the stanza's first byte.
///
/// | kind | start, length | next |
/// |---|---|---|
/// | element | the whole element from `<` to `>` | index behind its subtree |
/// | attribute, namespace declaration | the value between the quotes | offset of the name |
/// | text | the characters as they came | unused |
///
/// Records stand in document order: an element, its attributes and declarations, its content.
struct ElementRecord {
    /// Kind and flags in the five low bits, above them: of an element its name, of an attribute its namespace.
    var word: UInt32
    var start: UInt32
    var length: UInt32
    var next: UInt32

    static let kindMask: UInt32 = 3
    static let element: UInt32 = 0
    static let attribute: UInt32 = 1
    static let text: UInt32 = 2
    static let namespace: UInt32 = 3

    /// The value is not what stands there: references or line ends must be resolved.
    static let encoded: UInt32 = 4
    /// The name (or the declaration) has a prefix.
    static let prefixed: UInt32 = 8
    /// The text is a CDATA section.
    static let characterData: UInt32 = 16
    /// The element declares a default namespace.
    static let declaresDefault: UInt32 = 16
    static let shift: UInt32 = 5

    @inline(__always) var kind: UInt32 { word & ElementRecord.kindMask }
    @inline(__always) var reference: UInt32 { word &>> ElementRecord.shift }
    @inline(__always) var isEncoded: Bool { word & ElementRecord.encoded != 0 }
    @inline(__always) var isPrefixed: Bool { word & ElementRecord.prefixed != 0 }
}

/// How a record names a namespace: the number in `XMLNameTable`, or where its declaration stands.
enum NamespaceReference {
    /// Marks an element's name that the table does not have; the rest is the reference of its namespace.
    static let unknownName: UInt32 = 1 << 26
    /// The rest is the index of the declaring record in the same storage.
    static let record: UInt32 = 1 << 25
    /// The rest is the index of the declaring record in the stream header.
    static let context: UInt32 = 1 << 24
    static let indexMask: UInt32 = context - 1

    @inline(__always)
    static func isKnown(_ reference: UInt32) -> Bool { reference < context }
}

struct ElementHeader {
    var recordCount: Int
    var byteCount: Int
    var flags: UInt32
    /// The stream header, when a namespace that it declares is used and is not in the table.
    var context: ElementStorage?

    /// A name or attribute (other than `xml:…`) has a prefix: the bytes alone may not be complete XML.
    static let usesPrefixes: UInt32 = 1
    /// Built with a character that XML forbids.
    static let hasForbiddenCharacter: UInt32 = 2
    /// Built with a name that is none, or with one attribute twice.
    static let hasInvalidName: UInt32 = 4
}

/// The one allocation of a stanza, never written after `make`.
///
/// It holds the header, the records and then the bytes.
final class ElementStorage: ManagedBuffer<ElementHeader, ElementRecord> {
    static func make(
        records: UnsafePointer<ElementRecord>, count: Int, bytes: UnsafePointer<UInt8>, byteCount: Int,
        flags: UInt32, context: ElementStorage?
    ) -> ElementStorage {
        let buffer = create(minimumCapacity: count &+ ((byteCount &+ 15) &>> 4)) { _ in
            ElementHeader(recordCount: count, byteCount: byteCount, flags: flags, context: context)
        }
        buffer.withUnsafeMutablePointerToElements { elements in
            elements.initialize(from: records, count: count)
            UnsafeMutableRawPointer(elements + count).copyMemory(from: bytes, byteCount: byteCount)
        }
        return unsafeDowncast(buffer, to: ElementStorage.self)
    }
}

/// Borrowed access to a storage's parts; valid only inside `ElementStorage.read`.
struct ElementNodes {
    let storage: ElementStorage
    let records: UnsafePointer<ElementRecord>
    let bytes: UnsafePointer<UInt8>

    @inline(__always)
    func bytes(of record: ElementRecord) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: bytes + Int(record.start), count: Int(record.length))
    }

    /// The name of an element as written, with its prefix.
    func qualifiedName(ofElement record: ElementRecord) -> UnsafeBufferPointer<UInt8> {
        let start = bytes + Int(record.start) + 1
        var end = start
        while !XMLCharacters.isSpace(end.pointee), end.pointee != UInt8(ascii: ">"), end.pointee != UInt8(ascii: "/") {
            end += 1
        }
        return UnsafeBufferPointer(start: start, count: end - start)
    }

    /// The name of an attribute or declaration as written, with its prefix.
    func qualifiedName(ofAttribute record: ElementRecord) -> UnsafeBufferPointer<UInt8> {
        let start = bytes + Int(record.next)
        var end = start
        while !XMLCharacters.isSpace(end.pointee), end.pointee != UInt8(ascii: "=") { end += 1 }
        return UnsafeBufferPointer(start: start, count: end - start)
    }

    func localName(of record: ElementRecord) -> UnsafeBufferPointer<UInt8> {
        let name =
            record.kind == ElementRecord.element
            ? qualifiedName(ofElement: record) : qualifiedName(ofAttribute: record)
        guard record.isPrefixed, let colon = name.firstIndex(of: UInt8(ascii: ":")) else { return name }
        return UnsafeBufferPointer(rebasing: name[(colon + 1)...])
    }

    /// The namespace that a reference stands for.
    func namespace(_ reference: UInt32) -> String {
        if NamespaceReference.isKnown(reference) { return XMLNameTable.known.namespaces[Int(reference)] }
        let index = Int(reference & NamespaceReference.indexMask)
        if reference & NamespaceReference.record != 0 { return string(records[index]) }
        guard let context = storage.header.context else { return "" }
        return context.read { $0.string($0.records[index]) }
    }

    /// The namespace of an element record, as a reference.
    func namespaceReference(ofElement record: ElementRecord) -> UInt32? {
        let reference = record.reference
        guard reference & NamespaceReference.unknownName != 0 else { return nil }
        return reference & ~NamespaceReference.unknownName
    }

    func namespace(of record: ElementRecord) -> String {
        guard record.kind == ElementRecord.element else { return namespace(record.reference) }
        guard let reference = namespaceReference(ofElement: record) else {
            return XMLNameTable.known.names[Int(record.reference)].namespace
        }
        return namespace(reference)
    }

    func name(of record: ElementRecord) -> XMLName {
        if record.kind == ElementRecord.element, record.reference & NamespaceReference.unknownName == 0 {
            return XMLNameTable.known.names[Int(record.reference)]
        }
        let local = String(decoding: localName(of: record), as: UTF8.self)
        let namespace = namespace(of: record)
        if record.kind == ElementRecord.element {
            return XMLName(local: local, namespace: namespace, id: XMLName.unknownID)
        }
        return XMLName(local, namespace)
    }

    /// The decoded value of an attribute, declaration or text.
    func string(_ record: ElementRecord) -> String {
        XMLDecoding.string(bytes(of: record), word: record.word)
    }
}

extension ElementStorage {
    @inline(__always)
    func read<Result>(_ body: (ElementNodes) -> Result) -> Result {
        withUnsafeMutablePointers { header, records in
            body(
                ElementNodes(
                    storage: self, records: UnsafePointer(records),
                    bytes: UnsafePointer(
                        UnsafeMutableRawPointer(records + header.pointee.recordCount)
                            .assumingMemoryBound(to: UInt8.self))))
        }
    }
}
