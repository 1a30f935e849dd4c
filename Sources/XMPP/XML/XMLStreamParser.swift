// SPDX-License-Identifier: Apache-2.0

/// A pull parser for the XML of one stream: bytes in, complete stanzas out.
///
/// It takes the subset of XML 1.0 that RFC 6120 §11 allows, in UTF-8, with namespaces. A stanza is delivered as soon
/// as its last byte was appended. What was looked at is not looked at again, so the time is linear in the bytes however
/// they are cut; memory is bounded by a small multiple of `limits.stanzaBytes` and of the largest append.
///
/// Between two calls of `next()` the limits may be changed, the parser reset or released. It belongs to one owner, who
/// also owns all its memory.
package struct XMLStreamParser: ~Copyable {
    typealias Pointer = UnsafeMutablePointer<UInt8>

    /// What the peer may use; a change holds from the next call of `next()` on.
    package var limits: XMLLimits

    let names = XMLNameTable.known
    let classes = XMLCharacters.classes

    // Input: bytes from `origin` (the first byte of the unfinished part) to `filled`, looked at up to `cursor`.
    // At `filled` stands a zero, which no scan passes, and there is room to load eight bytes from there.
    var buffer: Pointer
    var capacity: Int
    var origin = 0
    var cursor = 0
    var filled = 0

    // The stanza under construction.
    var records: UnsafeMutablePointer<ElementRecord>
    var recordCapacity: Int
    var recordCount = 0
    var frames: UnsafeMutablePointer<Frame>
    var frameCapacity: Int
    var depth = 0
    var usesPrefixes = false
    var usesContext = false
    var textStart = 0
    var textEncoded: UInt32 = 0
    /// Where a function that gave up stopped.
    var suspended: Pointer

    // The start tag under construction.
    var tag = Tag()
    var keys: UnsafeMutablePointer<AttributeKey>
    var keyCapacity: Int

    // Prefixes in force; the first ones, up to `streamBindings`, are the stream header's.
    var bindings: [NamespaceBinding] = []
    var streamBindings = 0
    var streamDefault: UInt32 = 0
    var stream: ElementStorage?
    /// A namespace that is read as another, known one; survives ``reset()``.
    var alias: (name: [UInt8], number: UInt32)?

    var step = Step.prolog
    /// An XML declaration may not come any more.
    var prologIsOver = false
    var failure: XMLError?

    /// Makes a parser that expects a stream header.
    package init(limits: XMLLimits) {
        self.limits = limits
        capacity = XMLStreamParser.smallBuffer
        buffer = .allocate(capacity: capacity + XMLStreamParser.padding)
        buffer.initialize(repeating: 0, count: capacity + XMLStreamParser.padding)
        suspended = buffer
        recordCapacity = 32
        records = .allocate(capacity: recordCapacity)
        frameCapacity = 8
        frames = .allocate(capacity: frameCapacity)
        keyCapacity = 8
        keys = .allocate(capacity: keyCapacity)
    }

    deinit {
        buffer.deallocate()
        records.deallocate()
        frames.deallocate()
        keys.deallocate()
    }

    /// Appends received bytes.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        reserve(bytes.count)
        UnsafeMutableRawPointer(buffer + filled).copyMemory(from: source, byteCount: bytes.count)
        filled &+= bytes.count
        buffer[filled] = 0
    }

    /// The next event.
    ///
    /// `needsMoreBytes` when there is none yet. After an error it throws the same error for ever.
    package mutating func next() throws(XMLError) -> XMLStreamEvent {
        if let failure { throw failure }
        do {
            return try advance()
        } catch {
            failure = error
            throw error
        }
    }

    /// Forgets everything, unread bytes as well: a new stream begins (after TLS or SASL was negotiated).
    package mutating func reset() {
        origin = 0
        cursor = 0
        filled = 0
        releaseLargeBuffers()
        recordCount = 0
        depth = 0
        bindings.removeAll()
        streamBindings = 0
        streamDefault = 0
        stream = nil
        usesPrefixes = false
        usesContext = false
        step = .prolog
        prologIsOver = false
        failure = nil
    }

    /// The number of appended bytes that do not belong to a delivered event.
    package var bufferedBytes: Int { filled - origin }

    /// Removes and returns the appended bytes that do not belong to a delivered event, such as the beginning of TLS.
    package mutating func takeBufferedBytes() -> [UInt8] {
        let bytes = Array(UnsafeBufferPointer(start: buffer + origin, count: filled - origin))
        reset()
        return bytes
    }
}

// MARK: State

extension XMLStreamParser {
    /// Where the next byte stands.
    enum Step: UInt8 {
        case prolog, stream, content, attributes, attributeEquals, attributeQuote, attributeValue
        case endTagSpace, characterData, closing, closed
    }

    /// An element that has begun and not ended.
    struct Frame {
        var record: UInt32
        var nameLength: UInt32
        /// The default namespace inside.
        var namespace: UInt32
        /// The number of bindings outside.
        var bindings: UInt32
    }

    /// A start tag that is being read; offsets count from `origin`.
    struct Tag {
        var record = 0
        var nameLength = 0
        var prefixLength = 0
        var namespace: UInt32 = 0
        var bindings = 0
        var attributes = 0
        var hasPrefixedAttribute = false
        var nameFilter: UInt64 = 0
        var mayRepeat = false
        var attributeStart = 0
        var attributeLength = 0
        var attributePrefix = 0
        var valueStart = 0
        var valueEncoded: UInt32 = 0
        var quote: UInt8 = 0
    }

    /// What is needed to compare the names of one tag's attributes.
    struct AttributeKey {
        var key: UInt64
        var start: UInt32
        var length: UInt16
        var prefix: UInt16
        var record: UInt32
    }

    /// A prefix and the namespace that it stands for.
    struct NamespaceBinding {
        var key: UInt64
        var prefixStart: UInt32
        var prefixLength: UInt32
        var isStream: Bool
        var reference: UInt32
        var nameStart: UInt32
        var nameLength: UInt32
        var decodedLength: UInt32
        var flags: UInt32
    }

    static let smallBuffer = 512
    static let padding = 16
    static let smallRecords = 512
}

// MARK: Memory

extension XMLStreamParser {
    /// Makes room for `count` more bytes.
    mutating func reserve(_ count: Int) {
        if filled + count <= capacity { return }
        let live = filled - origin
        if live + count <= capacity, origin >= live {
            buffer.update(from: buffer + origin, count: live)
        } else {
            capacity = max(live + count, 2 * live)
            let larger = Pointer.allocate(capacity: capacity + XMLStreamParser.padding)
            larger.initialize(from: buffer + origin, count: live)
            (larger + live).initialize(repeating: 0, count: capacity + XMLStreamParser.padding - live)
            buffer.deallocate()
            buffer = larger
        }
        cursor -= origin
        filled = live
        origin = 0
        buffer[filled] = 0
    }

    /// Gives back what an idle stream does not need; only while nothing is buffered.
    mutating func releaseLargeBuffers() {
        if capacity > XMLStreamParser.smallBuffer {
            buffer.deallocate()
            capacity = XMLStreamParser.smallBuffer
            buffer = .allocate(capacity: capacity + XMLStreamParser.padding)
            buffer.initialize(repeating: 0, count: capacity + XMLStreamParser.padding)
        }
        buffer[0] = 0
        if recordCapacity > XMLStreamParser.smallRecords {
            records.deallocate()
            recordCapacity = 32
            records = .allocate(capacity: recordCapacity)
        }
    }

    @inline(__always)
    mutating func append(_ record: ElementRecord) {
        if recordCount == recordCapacity { growRecords() }
        (records + recordCount).initialize(to: record)
        recordCount &+= 1
    }

    @inline(never)
    mutating func growRecords() {
        let larger = UnsafeMutablePointer<ElementRecord>.allocate(capacity: recordCapacity * 2)
        larger.moveInitialize(from: records, count: recordCount)
        records.deallocate()
        records = larger
        recordCapacity *= 2
    }

    @inline(never)
    mutating func growFrames() {
        let larger = UnsafeMutablePointer<Frame>.allocate(capacity: frameCapacity * 2)
        larger.moveInitialize(from: frames, count: depth)
        frames.deallocate()
        frames = larger
        frameCapacity *= 2
    }

    @inline(never)
    mutating func growKeys() {
        let larger = UnsafeMutablePointer<AttributeKey>.allocate(capacity: keyCapacity * 2)
        larger.moveInitialize(from: keys, count: tag.attributes)
        keys.deallocate()
        keys = larger
        keyCapacity *= 2
    }
}
