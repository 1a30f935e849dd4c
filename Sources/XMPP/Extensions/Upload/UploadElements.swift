// SPDX-License-Identifier: Apache-2.0

/// What an uploaded file is for, which decides how long a server keeps it (XEP-0363 §5).
public enum UploadPurpose: Sendable, Hashable {
    /// To be sent in a message.
    case message
    /// A picture of oneself and the like.
    case profile
    /// For a while; the server removes it by that time.
    case ephemeral(until: DateTime)
    /// To stay.
    case permanent

    static let namespace = "urn:xmpp:http:upload:purpose:0"

    /// The feature of a service that knows it.
    var feature: String { "\(Self.namespace)#\(name)" }

    private var name: String {
        switch self {
        case .message: "message"
        case .profile: "profile"
        case .ephemeral: "ephemeral"
        case .permanent: "permanent"
        }
    }

    var element: Element {
        var limit: String?
        if case .ephemeral(let date) = self { limit = date.description }
        return Element(XMLName(name, Self.namespace), attributes: ["expire-before": limit])
    }
}

/// The elements of XEP-0363, and of the version before its number in the namespace.
enum Upload {
    static let namespace = "urn:xmpp:http:upload:0"
    static let legacyNamespace = "urn:xmpp:http:upload"
    /// The fields that a server may ask for (§4).
    private static let permittedFields = ["authorization", "cookie", "expires"]

    /// §4: asks for a place.
    static func request(
        _ service: UploadService, name: String, byteCount: Int64, mediaType: String?, purpose: UploadPurpose?
    ) -> Element {
        guard service.isLegacy else {
            return Element(
                XMLName("request", namespace),
                attributes: ["filename": name, "size": String(byteCount), "content-type": mediaType],
                children: purpose.map { [$0.element] } ?? [])
        }
        return Element(XMLName("request", legacyNamespace)) { builder in
            builder.child(XMLName("filename", legacyNamespace), text: name)
            builder.child(XMLName("size", legacyNamespace), text: String(byteCount))
            if let mediaType { builder.child(XMLName("content-type", legacyNamespace), text: mediaType) }
        }
    }

    /// A value without the line ends that would make another field of what follows (§4).
    static func withoutLineEnds(_ text: String) -> String {
        String(decoding: text.utf8.filter { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
    }

    static func isPermitted(_ field: String) -> Bool { permittedFields.contains(field.lowercased()) }
}

/// A place for one file: where to put it, and where everybody fetches it then (XEP-0363 §4).
public struct UploadSlot: Sendable, Hashable {
    /// A field that the server wants to have with the file.
    public struct Field: Sendable, Hashable {
        /// Its name.
        public let name: String
        /// Its value, a secret.
        public let value: String
    }

    /// Where to put the file.
    public let putURL: String
    /// Where it can be fetched then.
    public let getURL: String
    /// Fields to send with the file, in order.
    public let fields: [Field]
}

extension UploadSlot: StanzaPayload {
    package static let name = XMLName("slot", Upload.namespace)
    static let legacyName = XMLName("slot", Upload.legacyNamespace)

    /// §4: both addresses are there; of the fields only the three that are permitted count, without line ends.
    package init?(_ element: Element) {
        guard element.matches(Self.name) || element.matches(Self.legacyName) else { return nil }
        let namespace = element.namespace
        guard let put = element.onlyChild(XMLName("put", namespace)),
            let get = element.onlyChild(XMLName("get", namespace)), let putURL = Self.url(put),
            let getURL = Self.url(get)
        else { return nil }
        self.putURL = putURL
        self.getURL = getURL
        fields = put.children.lazy.filter { $0.matches(XMLName("header", namespace)) }.prefix(64).compactMap { header in
            let name = Upload.withoutLineEnds(header["name"] ?? "").trimmingXMLSpace
            let value = Upload.withoutLineEnds(header.text)
            guard Upload.isPermitted(name), value.utf8.count <= 8192 else { return nil }
            return Field(name: name, value: value)
        }
    }

    private static func url(_ element: Element) -> String? {
        let url = element.filled("url") ?? element.text.trimmingXMLSpace
        return url.isEmpty ? nil : url
    }

    package var element: Element {
        Element(Self.name) { builder in
            builder.open(XMLName("put", Upload.namespace))
            builder.attribute("url", putURL)
            for field in fields {
                builder.open(XMLName("header", Upload.namespace))
                builder.attribute("name", field.name)
                builder.text(field.value)
                builder.close()
            }
            builder.close()
            builder.open(XMLName("get", Upload.namespace))
            builder.attribute("url", getURL)
            builder.close()
        }
    }
}

/// A service that gives places for files (XEP-0363 §3).
public struct UploadService: Sendable, Hashable {
    /// Its address.
    public let jid: JID
    /// The largest file it takes, in bytes, nil when it does not say.
    public let maximumBytes: Int64?
    /// Whether it knows only the namespace of before.
    let isLegacy: Bool
    private let purposes: Set<String>

    /// Nil when the entity is no such service.
    init?(_ jid: JID, _ info: DiscoInfo) {
        let isModern = info.supports(Upload.namespace)
        guard isModern || info.supports(Upload.legacyNamespace) else { return nil }
        self.jid = jid
        isLegacy = !isModern
        let namespace = isModern ? Upload.namespace : Upload.legacyNamespace
        let form = info.forms.first { $0.formType == namespace } ?? info.forms.first { $0["max-file-size"] != nil }
        maximumBytes = form?["max-file-size"]?.values.first.flatMap { Int64($0.trimmingXMLSpace) }.flatMap {
            $0 > 0 ? $0 : nil
        }
        purposes = info.features.filter { $0.hasPrefix(UploadPurpose.namespace) }
    }

    /// Whether it keeps files of this purpose in a way of its own.
    public func supports(_ purpose: UploadPurpose) -> Bool { purposes.contains(purpose.feature) }
}
