// SPDX-License-Identifier: Apache-2.0

/// Translates between a stream of RFC 6120 and the messages of RFC 7395, each of which is one XML document: pure, bytes
/// in and bytes out.
///
/// What is sent loses the stream's header, which becomes `<open/>`, and its end, which becomes `<close/>`; every other
/// element declares the namespaces that it had from the header. What is received gets them back, so that neither the
/// parser nor the negotiation knows the difference.
package struct FramedStreamStateMachine: Sendable {
    /// What a server did that RFC 7395 does not allow.
    package struct Violation: Error, Sendable, Hashable {
        package let reason: String
    }

    /// The longest `<open/>` or `<close/>` that is taken.
    private static let controlLimit = 16 * 1024

    // Sending
    private var pending: [UInt8] = []

    // Receiving
    private enum Message {
        case none
        /// Too little to tell what it is.
        case unknown
        /// `<open/>` or `<close/>`, read when it is whole.
        case control
        case element(ElementScanner, hasEnded: Bool)
    }

    private var message = Message.none
    private var head: [UInt8] = []
    private var awaitsOpen = false
    private var hasClosed = false

    package init() {}
}

// MARK: Sending

extension FramedStreamStateMachine {
    /// Takes bytes of the stream; calls `send` for each document that is complete.
    package mutating func outgoing(_ bytes: UnsafeRawBufferPointer, send: (UnsafeRawBufferPointer) -> Void) {
        pending += bytes
        var rest = pending[...]
        while true {
            // White space between elements keeps no connection alive here.
            rest = rest.drop { $0 == 0x20 || $0 == 0x0a || $0 == 0x0d || $0 == 0x09 }
            guard let length = Self.unitLength(rest) else { break }
            translate(rest.prefix(length)).withUnsafeBytes { if !$0.isEmpty { send($0) } }
            rest = rest.dropFirst(length)
        }
        pending = Array(rest)
    }

    /// The length of what stands at the beginning: the declaration, the header, the end of the stream or an element;
    /// nil when it is not complete.
    private static func unitLength(_ rest: ArraySlice<UInt8>) -> Int? {
        guard rest.count >= 2 else { return nil }
        let second = rest[rest.startIndex + 1]
        if second == UInt8(ascii: "?") || second == UInt8(ascii: "/") || rest.starts(with: header) {
            // Own output: no `>` stands inside a value.
            return rest.firstIndex(of: UInt8(ascii: ">")).map { $0 - rest.startIndex + 1 }
        }
        var scanner = ElementScanner()
        switch scanner.scan(rest) {
        case .open: return nil
        case .ended(let count): return count
        // Own output is well-formed; whatever this is, the server says what it thinks of it.
        case .wrong: return rest.count
        }
    }

    private static let header = Array("<stream:stream".utf8)

    private mutating func translate(_ unit: ArraySlice<UInt8>) -> [UInt8] {
        if unit.starts(with: "<?".utf8) { return [] }
        if unit.starts(with: "</".utf8) { return Framing.close() }
        if unit.starts(with: Self.header) {
            awaitsOpen = true
            hasClosed = false
            return Framing.open(header: Array(unit))
        }
        return Self.declaringNamespaces(unit)
    }

    /// Adds to the start tag what the stream's header declared.
    private static func declaringNamespaces(_ unit: ArraySlice<UInt8>) -> [UInt8] {
        guard let end = unit.firstIndex(where: { $0 == 0x20 || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ">") })
        else { return Array(unit) }
        var additions: [UInt8] = []
        if unit.starts(with: "<stream:".utf8), !declares("xmlns:stream=", unit[end...]) {
            additions += Array(" xmlns:stream=\"\(Namespace.streams)\"".utf8)
        }
        // The default namespace matters to the children, too.
        if !declares("xmlns=", unit[end...]) { additions += Array(" xmlns=\"\(Namespace.client)\"".utf8) }
        return unit[..<end] + additions + unit[end...]
    }

    /// Whether the tag that goes on here has the attribute; what stands in values is none, whoever wrote them.
    private static func declares(_ attribute: StaticString, _ tag: ArraySlice<UInt8>) -> Bool {
        let name = UnsafeBufferPointer(start: attribute.utf8Start, count: attribute.utf8CodeUnitCount)
        var quote: UInt8?
        var index = tag.startIndex
        while index < tag.endIndex {
            let byte = tag[index]
            index += 1
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return false
            } else if byte == 0x20, tag[index...].starts(with: name) {
                return true
            }
        }
        return false
    }
}

// MARK: Receiving

extension FramedStreamStateMachine {
    /// Takes a piece of a message; calls `deliver` with bytes of the stream.
    package mutating func incoming(
        _ piece: UnsafeRawBufferPointer, begins: Bool, ends: Bool, deliver: (UnsafeRawBufferPointer) -> Void
    ) throws(Violation) {
        if begins {
            message = .unknown
            head = []
        }
        // What follows the end of a stream is of no interest.
        guard !hasClosed else { return }
        switch message {
        case .none: throw Violation(reason: "a message without a beginning")
        case .unknown:
            head += piece
            guard let name = try rootName(isWhole: ends) else { return }
            if name == "open" || name == "close" {
                message = .control
                try control(ends, deliver)
            } else {
                guard !awaitsOpen else { throw Violation(reason: "no <open/> at the beginning") }
                message = .element(ElementScanner(), hasEnded: false)
                let bytes = head
                head = []
                var fault: Violation?
                bytes.withUnsafeBytes { bytes in
                    do throws(Violation) { try element(bytes, ends, deliver) } catch { fault = error }
                }
                if let fault { throw fault }
            }
        case .control:
            head += piece
            try control(ends, deliver)
        case .element: try element(piece, ends, deliver)
        }
    }

    /// The name at the beginning without its prefix, nil when more is needed.
    private func rootName(isWhole: Bool) throws(Violation) -> String? {
        guard let first = head.first else {
            if isWhole { throw Violation(reason: "an empty message") }
            return nil
        }
        // RFC 7395 §3.3.3: neither white space nor a declaration stands before it.
        guard first == UInt8(ascii: "<") else { throw Violation(reason: "a message that begins with no element") }
        let end = head.firstIndex { $0 <= 0x20 || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ">") }
        guard let end else {
            guard head.count <= 1024, !isWhole else { throw Violation(reason: "a message without an element") }
            return nil
        }
        let name = head[1..<end]
        let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
        return String(decoding: local, as: UTF8.self)
    }

    private mutating func control(_ ends: Bool, _ deliver: (UnsafeRawBufferPointer) -> Void) throws(Violation) {
        guard head.count <= Self.controlLimit else { throw Violation(reason: "too large an <open/> or <close/>") }
        guard ends else { return }
        message = .none
        let bytes: [UInt8]
        switch Framing.read(head) {
        case .open(let header):
            guard awaitsOpen else { throw Violation(reason: "an <open/> that nobody asked for") }
            awaitsOpen = false
            bytes = header
        case .close(let uri):
            hasClosed = true
            bytes =
                uri.map { Framing.redirection(to: $0, withHeader: awaitsOpen) } ?? Array("</stream:stream>".utf8)
        case nil: throw Violation(reason: "an <open/> or <close/> that cannot be read")
        }
        head = []
        bytes.withUnsafeBytes { deliver($0) }
    }

    private mutating func element(
        _ piece: UnsafeRawBufferPointer, _ ends: Bool, _ deliver: (UnsafeRawBufferPointer) -> Void
    ) throws(Violation) {
        guard case .element(var scanner, var hasEnded) = message else { return }
        if !piece.isEmpty {
            guard !hasEnded else { throw Violation(reason: "more than one element in a message") }
            switch scanner.scan(piece) {
            case .open: break
            case .ended(let count):
                guard count == piece.count else { throw Violation(reason: "more than one element in a message") }
                hasEnded = true
            case .wrong: throw Violation(reason: "a message that is not one element")
            }
        }
        guard hasEnded || !ends else { throw Violation(reason: "a message that ends inside an element") }
        message = ends ? .none : .element(scanner, hasEnded: hasEnded)
        deliver(piece)
    }
}
