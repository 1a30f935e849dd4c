// SPDX-License-Identifier: Apache-2.0

/// What is known of a file before it is fetched; all of it is what the sender says (XEP-0446 §3).
public struct FileMetadata: Sendable, Hashable {
    /// The name; before it names anything on a disk, use ``safeName``.
    public var name: String?
    /// The media type, as `image/jpeg`.
    public var mediaType: String?
    /// The size in bytes.
    public var byteCount: Int?
    /// Hashes of the content; what was fetched has to have them.
    public var hashes: [ContentHash]
    /// The width of a picture in pixels.
    public var width: Int?
    /// The height of a picture in pixels.
    public var height: Int?
    /// How long sound or a film lasts.
    public var duration: Duration?
    /// When the file was changed last.
    public var date: DateTime?
    /// What it is, in words for people.
    public var explanation: String?
    /// Small pictures of it.
    public var thumbnails: [Thumbnail]

    /// Makes a description.
    public init(
        name: String? = nil, mediaType: String? = nil, byteCount: Int? = nil, hashes: [ContentHash] = [],
        width: Int? = nil, height: Int? = nil, duration: Duration? = nil, date: DateTime? = nil,
        explanation: String? = nil, thumbnails: [Thumbnail] = []
    ) {
        self.name = name
        self.mediaType = mediaType
        self.byteCount = byteCount
        self.hashes = hashes
        self.width = width
        self.height = height
        self.duration = duration
        self.date = date
        self.explanation = explanation
        self.thumbnails = thumbnails
    }

    /// The name without what could lead to another place on a disk (XEP-0446 §4): the last part of a path, without control
    /// characters, not hidden, at most 200 bytes; nil when nothing is left.
    public var safeName: String? {
        guard let last = name?.split(whereSeparator: { $0 == "/" || $0 == "\\" || $0 == ":" }).last else { return nil }
        var kept = String.UnicodeScalarView()
        var bytes = 0
        for scalar in last.unicodeScalars {
            guard scalar.value >= 0x20, scalar.value != 0x7F, !(0x80...0x9F).contains(scalar.value) else { continue }
            // Marks that turn the direction of writing make `gpj.exe` look like `exe.jpg`.
            guard scalar.properties.generalCategory != .format else { continue }
            if kept.isEmpty, scalar == "." || scalar.properties.isWhitespace { continue }
            bytes += UTF8.width(scalar)
            guard bytes <= 200 else { break }
            kept.append(scalar)
        }
        return kept.isEmpty ? nil : String(kept)
    }
}

/// A small picture of a file (XEP-0264 §3).
public struct Thumbnail: Sendable, Hashable {
    /// Where it is, often a `cid:` that ``XMPPSession/smallData(_:from:)`` fetches.
    public let uri: String
    /// Its media type.
    public let mediaType: String?
    /// Its width in pixels.
    public let width: Int?
    /// Its height in pixels.
    public let height: Int?

    /// Makes a description.
    public init(uri: String, mediaType: String? = nil, width: Int? = nil, height: Int? = nil) {
        self.uri = uri
        self.mediaType = mediaType
        self.width = width
        self.height = height
    }
}

extension Thumbnail: StanzaPayload {
    package static let name = XMLName("thumbnail", "urn:xmpp:thumbs:1")

    package init?(_ element: Element) {
        guard element.matches(Self.name), let uri = element.filled("uri") else { return nil }
        self.init(
            uri: uri, mediaType: element.filled("media-type"), width: ResultSet.number(element["width"]),
            height: ResultSet.number(element["height"]))
    }

    package var element: Element {
        Element(
            Self.name,
            attributes: [
                "uri": uri, "media-type": mediaType, "width": width.map(String.init), "height": height.map(String.init),
            ])
    }
}

extension FileMetadata: StanzaPayload {
    package static let namespace = "urn:xmpp:file:metadata:0"
    package static let name = XMLName("file", namespace)
    /// The same in older forms (XEP-0385 §3).
    static let jingleName = XMLName("file", "urn:xmpp:jingle:apps:file-transfer:5")

    /// §3: every part is optional; numbers that are none are left out (T085).
    package init?(_ element: Element) {
        guard element.matches(Self.name) || element.matches(Self.jingleName) else { return nil }
        let namespace = element.namespace
        func text(_ name: String) -> String? { element.childText(XMLName(name, namespace)) }
        func number(_ name: String) -> Int? { ResultSet.number(text(name)) }
        self.init(
            name: text("name"), mediaType: text("media-type"), byteCount: number("size"),
            hashes: ContentHash.all(in: element), width: number("width"), height: number("height"),
            duration: number("length").map { .milliseconds($0) }, date: text("date").flatMap { DateTime($0) },
            explanation: text("desc"),
            thumbnails: element.children(Thumbnail.name).prefix(16).compactMap { Thumbnail($0) })
    }

    package var element: Element { element(Self.name) }

    /// The same by another name, as in older forms.
    func element(_ name: XMLName, more: [Element] = []) -> Element {
        Element(name) { builder in
            func add(_ local: String, _ value: String?) {
                if let value { builder.child(XMLName(local, name.namespace), text: value) }
            }
            add("date", date?.description)
            add("desc", explanation)
            for hash in hashes { builder.child(hash.element) }
            add("height", height.map(String.init))
            add("length", duration.map { String(Self.milliseconds($0)) })
            add("media-type", mediaType)
            add("name", self.name)
            add("size", byteCount.map(String.init))
            for thumbnail in thumbnails { builder.child(thumbnail.element) }
            add("width", width.map(String.init))
            for element in more { builder.child(element) }
        }
    }

    private static func milliseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds &* 1000 &+ attoseconds / 1_000_000_000_000_000
    }
}
