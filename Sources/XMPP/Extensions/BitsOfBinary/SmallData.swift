// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// A few bytes that are known by their hash: a small picture, mostly (XEP-0231).
public struct SmallData: Sendable, Hashable {
    /// The identifier, as `sha1+…@bob.xmpp.org`: the part of a `cid:` behind the colon.
    public let cid: String
    /// The media type that the sender says.
    public let mediaType: String?
    /// The bytes.
    public let bytes: [UInt8]
    /// How long to keep them; nil leaves it to the reader, zero keeps them for this once.
    public let lifetime: Duration?

    /// Makes data; the identifier follows from the bytes.
    public init(_ bytes: [UInt8], mediaType: String?, lifetime: Duration? = nil) {
        self.bytes = bytes
        self.mediaType = mediaType
        self.lifetime = lifetime
        let hex = digest(.sha1, bytes).map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count < 2 ? "0" + digits : digits
        }
        cid = "sha1+\(hex.joined())@bob.xmpp.org"
    }

    private init(cid: String, mediaType: String?, bytes: [UInt8], lifetime: Duration?) {
        self.cid = cid
        self.mediaType = mediaType
        self.bytes = bytes
        self.lifetime = lifetime
    }

    /// More bytes than this are no small data (XEP-0231 §2 recommends 8 KiB).
    public static let byteCap = 64 * 1024

    /// The hash that an identifier names, in lower case; nil when it names none of SHA-1 or SHA-256.
    private static func hash(_ cid: String) -> (algorithm: HashAlgorithm, hex: String)? {
        guard let plus = cid.firstIndex(of: "+"), let at = cid.firstIndex(of: "@"), plus < at else { return nil }
        let hex = cid[cid.index(after: plus)..<at].lowercased()
        switch cid[..<plus].lowercased() {
        case "sha1", "sha-1": return hex.utf8.count == 40 ? (.sha1, hex) : nil
        case "sha256", "sha-256": return hex.utf8.count == 64 ? (.sha256, hex) : nil
        default: return nil
        }
    }

    /// Whether the bytes are those that the identifier names.
    var fitsItsName: Bool {
        guard let (algorithm, hex) = Self.hash(cid) else { return false }
        let found = digest(algorithm, bytes).map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count < 2 ? "0" + digits : digits
        }
        return found.joined() == hex
    }
}

extension SmallData: StanzaPayload {
    package static let namespace = "urn:xmpp:bob"
    package static let name = XMLName("data", namespace)

    /// §3, §5: the bytes are there, few enough, and those that the identifier names; a lie is refused.
    package init?(_ element: Element) {
        guard element.matches(Self.name), let cid = element.filled("cid"), element.byteCount <= 2 * Self.byteCap,
            let bytes = decodeBase64(element.text.filter { !$0.isWhitespace }), !bytes.isEmpty,
            bytes.count <= Self.byteCap
        else { return nil }
        self.init(
            cid: cid, mediaType: element.filled("type"), bytes: bytes,
            lifetime: ResultSet.number(element["max-age"]).map { .seconds($0) })
        guard fitsItsName else { return nil }
    }

    package var element: Element {
        Element(
            Self.name,
            attributes: [
                "cid": cid, "type": mediaType, "max-age": lifetime.map { String($0.components.seconds) },
            ], text: base64(bytes))
    }
}

extension Message {
    /// Small data that comes with the message (XEP-0231 §2).
    public var smallData: [SmallData] { payloads(SmallData.name).compactMap { SmallData($0) } }
}

extension XMPPSession {
    /// Fetches small data by its identifier; what does not fit it is refused (XEP-0231 §3).
    ///
    /// Throws ``XMPPError``, with `itemNotFound` when the other side does not have it. Cancelling ends the wait. Fetching tells
    /// the other side that one is there: do it for people one trusts.
    /// - Parameters:
    ///   - cid: The identifier, with or without `cid:` in front.
    ///   - jid: Who sent the identifier.
    public func smallData(_ cid: String, from jid: JID) async throws -> SmallData {
        let cid = cid.hasPrefix("cid:") ? String(cid.dropFirst(4)) : cid
        let reply = try await get(Element(SmallData.name, attributes: ["cid": cid]), to: jid)
        guard let data = reply.payload.flatMap({ SmallData($0) }), data.cid == cid else {
            throw XMPPError(.invalidReply, "\(jid) sent other data than it was asked for")
        }
        return data
    }
}

/// Answers those who ask for small data that this program sent (XEP-0231 §3).
public struct SmallDataModule: SessionModule {
    private let find: @Sendable (_ cid: String, _ asking: JID?) -> SmallData?

    /// Makes the module.
    /// - Parameter find: The data of an identifier, for whoever asks; nil for what is not there or not for them. It runs on
    ///   the stream's thread and must not block.
    public init(find: @escaping @Sendable (_ cid: String, _ asking: JID?) -> SmallData?) { self.find = find }

    /// `urn:xmpp:bob`.
    public var features: [String] { [SmallData.namespace] }
    /// The question.
    public var requests: [XMLName] { [SmallData.name] }

    /// The data, or that there is none.
    public func answer(_ request: IQ, _ context: RequestContext) -> RequestAnswer {
        guard request.kind == .get, let cid = request.payload?.filled("cid") else {
            return .error(StanzaError(.badRequest))
        }
        guard let data = find(cid, request.from) else { return .error(StanzaError(.itemNotFound)) }
        return .result(data.element)
    }
}
