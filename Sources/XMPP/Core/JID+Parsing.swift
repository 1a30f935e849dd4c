// SPDX-License-Identifier: Apache-2.0

extension JID {
    /// How strictly the resource is read; local part and domain are always strict.
    enum Rule {
        /// OpaqueString of RFC 8265, as RFC 7622 §3.4 asks of those who make addresses.
        case strict
        /// Any UTF-8 of at most 1023 bytes without control characters, kept as it came.
        case wire
    }

    static func parse(_ text: String, _ rule: Rule) throws(JIDError) -> JID {
        var text = text
        let result: Result<JID, JIDError> = text.withUTF8 { bytes in
            if let jid = JID(canonicalASCII: bytes) { return .success(jid) }
            return Result { () throws(JIDError) in try parse(bytes, rule) }
        }
        return try result.get()
    }

    /// The complete algorithm, for everything that is not in canonical ASCII already.
    static func parse(_ bytes: UnsafeBufferPointer<UInt8>, _ rule: Rule) throws(JIDError) -> JID {
        // Cut at '/' first: a resource may contain '@' and more '/' (RFC 7622 §3.2).
        let slash = bytes.firstIndex(of: UInt8(ascii: "/"))
        let account = bytes[..<(slash ?? bytes.endIndex)]
        let at = account.firstIndex(of: UInt8(ascii: "@"))
        let domainStart = at.map { $0 + 1 } ?? 0
        // The domain goes first: without one the text is no address at all, whatever else it holds.
        let domain = try DomainName.canonical(Array(account[domainStart...]))
        var local: [UInt8] = []
        if let at { local = try canonicalLocal(Array(account[..<at])) }
        var resource: [UInt8]?
        if let slash { resource = try canonicalResource(Array(bytes[(slash + 1)...]), rule) }
        return JID(local: local, domain: domain, resource: resource)
    }

    /// Prepares a local part: UsernameCaseMapped less eight characters (RFC 7622 §3.3).
    static func canonicalLocal(_ bytes: [UInt8]) throws(JIDError) -> [UInt8] {
        let scalars = try scalars(bytes, .local)
        let prepared: [UInt32]
        do {
            prepared = try PRECIS.usernameCaseMapped(scalars)
        } catch {
            throw JIDError(.local, error)
        }
        // Looked for only now: full-width forms have become the characters themselves.
        for value in prepared where isExcludedFromLocal(value) {
            throw JIDError(.local, character: Unicode.Scalar(value) ?? "\u{FFFD}")
        }
        return try limited(prepared, .local)
    }

    /// Prepares a resource (RFC 7622 §3.4), or only checks that it can be kept as it is.
    static func canonicalResource(_ bytes: [UInt8], _ rule: Rule) throws(JIDError) -> [UInt8] {
        let scalars = try scalars(bytes, .resource)
        switch rule {
        case .strict:
            let prepared: [UInt32]
            do {
                prepared = try PRECIS.opaqueString(scalars)
            } catch {
                throw JIDError(.resource, error)
            }
            return try limited(prepared, .resource)
        case .wire:
            guard !bytes.isEmpty else { throw JIDError(.resource, .empty, "is empty") }
            guard bytes.count <= maximumPartBytes else { throw .tooLong(.resource) }
            for value in scalars where value < 0x20 || (0x7F...0x9F).contains(value) {
                throw JIDError(.resource, character: Unicode.Scalar(value) ?? "\u{FFFD}")
            }
            return bytes
        }
    }

    /// `"&'/:<>@` (RFC 7622 §3.3.1).
    static func isExcludedFromLocal(_ value: UInt32) -> Bool {
        switch value {
        case 0x22, 0x26, 0x27, 0x2F, 0x3A, 0x3C, 0x3E, 0x40: true
        default: false
        }
    }

    /// Decodes a part, with a cap that no part within its own limit can reach.
    private static func scalars(_ bytes: [UInt8], _ part: JIDError.Part) throws(JIDError) -> [UInt32] {
        guard bytes.count <= 4 * maximumPartBytes else { throw .tooLong(part) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw JIDError(part, .encoding, "is not UTF-8")
        }
        return text.unicodeScalars.map(\.value)
    }

    /// Encodes a prepared part; its length counts after preparation (RFC 7622 §3.3, §3.4).
    private static func limited(_ scalars: [UInt32], _ part: JIDError.Part) throws(JIDError) -> [UInt8] {
        let bytes = UnicodeText.utf8(scalars)
        guard bytes.count <= maximumPartBytes else { throw .tooLong(part) }
        return bytes
    }
}
