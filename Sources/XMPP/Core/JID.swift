// SPDX-License-Identifier: Apache-2.0
import Glibc

/// An XMPP address, as in `ann@example.org/desk` (RFC 7622).
///
/// An address is kept in its canonical form and compared byte by byte: the name before the `@` and the domain fold
/// case and width, the resource keeps its case. Two spellings of one address are therefore equal, hash alike and
/// print alike. A domain is kept as Unicode (`bücher.example`), never as `xn--…`; see ``asciiDomain`` for the other.
///
/// The initialisers that take text are strict. An address that came from a server may have a resource that the rules
/// for new addresses would refuse; it is kept as it came, since only that form reaches its owner.
public struct JID: Sendable {
    /// The canonical text.
    let text: String
    /// Bytes of the local part; 0 when there is none, since it cannot be empty.
    let localEnd: UInt16
    /// Offset just after the domain: of the `/`, or of the end.
    let domainEnd: UInt16

    /// The longest local part, domain or resource in bytes (RFC 7622 §3.2, §3.3, §3.4).
    package static let maximumPartBytes = 1023
    /// The longest address in bytes.
    package static let maximumBytes = 3 * maximumPartBytes + 2

    init(canonical text: String, localEnd: Int, domainEnd: Int) {
        self.text = text
        self.localEnd = UInt16(truncatingIfNeeded: localEnd)
        self.domainEnd = UInt16(truncatingIfNeeded: domainEnd)
    }

    /// Makes an address from text, by the strict rules of RFC 7622.
    ///
    /// The text is first cut at the first `/`, then what precedes it at the first `@` (RFC 7622 §3.2).
    /// - Parameter text: An address such as `ann@example.org` or `ann@example.org/desk`.
    /// - Throws: ``JIDError``, which says the part and the reason.
    public init(_ text: String) throws(JIDError) {
        self = try JID.parse(text, .strict)
    }

    /// Makes an address from its parts, by the strict rules of RFC 7622.
    ///
    /// - Parameters:
    ///   - local: What stands before the `@`, in its escaped form; nil for none. An empty text is an error.
    ///   - domain: The server's name, or an IP address (version 6 in brackets).
    ///   - resource: What stands after the `/`; nil for none. An empty text is an error.
    /// - Throws: ``JIDError``, which says the part and the reason.
    public init(local: String?, domain: String, resource: String? = nil) throws(JIDError) {
        var canonicalLocal: [UInt8] = []
        if let local { canonicalLocal = try JID.canonicalLocal(Array(local.utf8)) }
        let canonicalDomain = try DomainName.canonical(Array(domain.utf8))
        var canonicalResource: [UInt8]?
        if let resource { canonicalResource = try JID.canonicalResource(Array(resource.utf8), .strict) }
        self.init(local: canonicalLocal, domain: canonicalDomain, resource: canonicalResource)
    }

    /// Joins canonical parts; an empty local part is none.
    init(local: [UInt8], domain: [UInt8], resource: [UInt8]?) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(local.count + domain.count + (resource?.count ?? 0) + 2)
        if !local.isEmpty {
            bytes += local
            bytes.append(UInt8(ascii: "@"))
        }
        bytes += domain
        let domainEnd = bytes.count
        if let resource {
            bytes.append(UInt8(ascii: "/"))
            bytes += resource
        }
        self.init(canonical: String(decoding: bytes, as: UTF8.self), localEnd: local.count, domainEnd: domainEnd)
    }

    // MARK: Parts

    /// What stands before the `@`, in canonical and still escaped form; nil for a server's own address.
    public var local: String? { localEnd == 0 ? nil : part(0..<Int(localEnd)) }

    /// The server's name in canonical form, or its IP address (version 6 in brackets).
    public var domain: String { part(domainStart..<Int(domainEnd)) }

    /// What stands after the first `/`; nil when there is none.
    public var resource: String? { isBare ? nil : part(Int(domainEnd) + 1..<byteCount) }

    /// Whether the address has no resource.
    public var isBare: Bool { Int(domainEnd) == byteCount }

    /// The address without its resource.
    public var bare: JID {
        isBare
            ? self
            : JID(canonical: part(0..<Int(domainEnd)), localEnd: Int(localEnd), domainEnd: Int(domainEnd))
    }

    /// The same account or server with another resource.
    ///
    /// - Parameter resource: The new resource; prepared by the strict rules of RFC 7622 §3.4.
    /// - Throws: ``JIDError`` when the resource is empty, too long or contains a forbidden character.
    public func with(resource: String) throws(JIDError) -> JID {
        let prepared = try JID.canonicalResource(Array(resource.utf8), .strict)
        let account = part(0..<Int(domainEnd))
        let text = account + "/" + String(decoding: prepared, as: UTF8.self)
        return JID(canonical: text, localEnd: Int(localEnd), domainEnd: Int(domainEnd))
    }

    /// Whether both addresses belong to one account, that is, are the same without their resources.
    public func isSameBare(as other: JID) -> Bool {
        guard localEnd == other.localEnd, domainEnd == other.domainEnd else { return false }
        return withUTF8 { mine in other.withUTF8 { mine.prefix(Int(domainEnd)).elementsEqualBytes($0) } }
    }

    // MARK: Bytes

    /// Length of the canonical form in bytes of UTF-8.
    package var byteCount: Int { text.utf8.count }

    var domainStart: Int { localEnd == 0 ? 0 : Int(localEnd) + 1 }

    /// Calls the body with the canonical form as UTF-8.
    ///
    /// - Parameter body: Gets the bytes, which are valid only during the call.
    /// - Returns: What the body returns.
    public func withUTF8<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
        if let result = try text.utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = text
        return try copy.withUTF8(body)
    }

    private func part(_ range: Range<Int>) -> String {
        withUTF8 { String(decoding: $0[range], as: UTF8.self) }
    }
}

extension JID: Hashable, Comparable {
    /// Whether the canonical bytes are the same.
    ///
    /// `String`'s own comparison is not used: it takes canonically equivalent texts for equal, which would merge two
    /// resources of a server that does not normalise.
    public static func == (left: JID, right: JID) -> Bool {
        guard left.localEnd == right.localEnd, left.domainEnd == right.domainEnd else { return false }
        return left.withUTF8 { mine in right.withUTF8 { mine[...].elementsEqualBytes($0, wholly: true) } }
    }

    /// Feeds the canonical bytes to the hasher.
    public func hash(into hasher: inout Hasher) {
        withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Orders by canonical bytes.
    public static func < (left: JID, right: JID) -> Bool {
        left.withUTF8 { mine in right.withUTF8 { mine.lexicographicallyPrecedes($0) } }
    }
}

extension JID: CustomStringConvertible, CustomDebugStringConvertible {
    /// The canonical text, as it stands on the wire.
    public var description: String { text }

    /// The canonical text in quotes.
    public var debugDescription: String { text.debugDescription }
}

extension JID: Codable {
    /// Reads an address from one string.
    ///
    /// Accepts every address that was ever encoded, so the resource is held to the rules for received addresses.
    /// - Throws: `DecodingError.dataCorrupted` with the reason when the string is not an address.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            self = try JID.parse(container.decode(String.self), .wire)
        } catch let error as JIDError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    /// Writes the canonical text as one string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    /// Whether the other buffer starts with these bytes, or, on demand, is them.
    func elementsEqualBytes(_ other: UnsafeBufferPointer<UInt8>, wholly: Bool = false) -> Bool {
        guard wholly ? count == other.count : count <= other.count else { return false }
        guard count > 0 else { return true }
        let left = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(base)[startIndex..<endIndex])
        guard let mine = left.baseAddress, let theirs = other.baseAddress else { return false }
        return memcmp(mine, theirs, count) == 0
    }
}
