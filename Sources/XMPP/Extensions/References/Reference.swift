// SPDX-License-Identifier: Apache-2.0

/// Something that a part of a message refers to (XEP-0372 §3).
public struct Reference: Sendable, Hashable {
    /// What kind of thing it is.
    public enum Kind: Sendable, Hashable {
        /// A person, by an `xmpp:` address.
        case mention
        /// Something that can be fetched; nothing is fetched unasked.
        case data
        /// A kind that is not known.
        case other(String)

        var name: String {
            switch self {
            case .mention: "mention"
            case .data: "data"
            case .other(let name): name
            }
        }

        init(_ name: String) {
            switch name {
            case "mention": self = .mention
            case "data": self = .data
            default: self = .other(name)
            }
        }
    }

    /// What kind of thing it is.
    public let kind: Kind
    /// The address of the thing.
    public let uri: String?
    /// The part of the body, in Unicode code points; nil for the message as a whole.
    public let range: Range<Int>?
    /// The address of another message whose body is meant.
    public let anchor: String?

    /// Makes a reference.
    public init(_ kind: Kind, uri: String?, range: Range<Int>? = nil, anchor: String? = nil) {
        self.kind = kind
        self.uri = uri
        self.range = range
        self.anchor = anchor
    }

    /// Makes the mention of a person (§3.2).
    public static func mention(_ jid: JID, range: Range<Int>) -> Reference {
        Reference(.mention, uri: "xmpp:" + jid.bare.uriText, range: range)
    }

    /// Whom it mentions; nil when it mentions nobody.
    public var mentioned: JID? {
        guard kind == .mention, let uri, uri.lowercased().hasPrefix("xmpp:") else { return nil }
        let path = uri.dropFirst(5).prefix { $0 != "?" && $0 != "#" }
        return path.removingPercentEscapes.flatMap { try? JID($0) }
    }
}

extension Reference: StanzaPayload {
    package static let name = XMLName("reference", "urn:xmpp:reference:0")

    /// §3.1: the kind is required; a range whose numbers are none is left out (T085).
    package init?(_ element: Element) {
        guard element.matches(Self.name), let kind = element.filled("type") else { return nil }
        var range: Range<Int>?
        if let begin = ResultSet.number(element["begin"]), let end = ResultSet.number(element["end"]), begin <= end,
            end <= Int32.max
        {
            range = begin..<end
        }
        self.init(Kind(kind), uri: element.filled("uri"), range: range, anchor: element.filled("anchor"))
    }

    package var element: Element {
        Element(
            Self.name,
            attributes: [
                "type": kind.name, "uri": uri, "begin": range.map { String($0.lowerBound) },
                "end": range.map { String($0.upperBound) }, "anchor": anchor,
            ])
    }
}

extension Message {
    /// What the message refers to (XEP-0372 §3).
    public var references: [Reference] {
        get { payloads(Reference.name).compactMap { Reference($0) } }
        set {
            setPayload(Reference.name, nil)
            for reference in newValue { append(reference.element) }
        }
    }

    /// Whether the message mentions a person (XEP-0372 §3.2).
    public func mentions(_ jid: JID) -> Bool { references.contains { $0.mentioned?.isSameBare(as: jid) ?? false } }
}

extension JID {
    /// The address inside a URI (RFC 5122 §2.2).
    var uriText: String {
        var text = ""
        for byte in description.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "@"), UInt8(ascii: "/"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += "%" + (digits.utf8.count < 2 ? "0" : "") + digits
            }
        }
        return text
    }
}

extension Substring {
    /// The text without percent escapes; nil when one is broken or the result is no UTF-8.
    fileprivate var removingPercentEscapes: String? {
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let text = String(bytes: rest.prefix(2)), let value = UInt8(text, radix: 16) else {
                return nil
            }
            rest = rest.dropFirst(2)
            bytes.append(value)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension String {
    fileprivate init?(bytes: ArraySlice<UInt8>) { self.init(validating: Array(bytes), as: UTF8.self) }
}
