// SPDX-License-Identifier: Apache-2.0

/// Something that a room says about an occupant beyond role and affiliation, as "Speaker" or "Teacher" (XEP-0317 §4.1).
public struct Hat: Sendable, Hashable {
    /// What tells it from others.
    public let uri: String
    /// What it is called.
    public let title: String
    /// The language of the title.
    public let language: String?
    /// The angle of its colour, 0 up to 360 (XEP-0392), nil for the one that comes from the ``uri``.
    public let hue: Double?

    /// Makes a hat.
    public init(uri: String, title: String, language: String? = nil, hue: Double? = nil) {
        self.uri = uri
        self.title = title
        self.language = language
        self.hue = hue
    }
}

extension Hat {
    /// The namespaces in use: that of the specification, and the one that stands in its place on present servers.
    static let namespaces = ["urn:xmpp:hats:0", "xmpp:prosody.im/protocol/hats:1"]
    private static let lists = namespaces.map { XMLName("hats", $0) }
    private static let names = namespaces.map { XMLName("hat", $0) }
    /// So many of one occupant are kept.
    public static let cap = 16
    private static let textLimit = 256

    static func isList(_ element: Element) -> Bool { lists.contains { element.matches($0) } }

    /// The hats in a presence, none twice; what has no name is none.
    static func all(in list: Element) -> [Hat] {
        var hats: [Hat] = []
        for child in list.children {
            guard hats.count < cap else { break }
            guard let hat = Hat(child), !hats.contains(where: { $0.uri == hat.uri }) else { continue }
            hats.append(hat)
        }
        return hats
    }

    init?(_ element: Element) {
        guard Self.names.contains(where: { element.matches($0) }), let uri = element.filled("uri"),
            let title = element.filled("title"), uri.utf8.count <= Self.textLimit
        else { return nil }
        self.init(
            uri: uri, title: title.cut(toBytes: Self.textLimit),
            language: element.attribute("lang", namespace: "http://www.w3.org/XML/1998/namespace"),
            hue: element["hue"].flatMap(Self.hue))
    }

    /// An angle of the circle of colours.
    static func hue(_ text: String) -> Double? {
        Double(text).flatMap { $0.isFinite && (0...360).contains($0) ? $0 : nil }
    }
}
