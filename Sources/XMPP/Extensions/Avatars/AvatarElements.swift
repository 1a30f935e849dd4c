// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// The names of XEP-0084.
package enum Avatars {
    package static let dataNode = "urn:xmpp:avatar:data"
    package static let metadataNode = "urn:xmpp:avatar:metadata"
    /// XEP-0398 §2: the account's server keeps both kinds of avatars alike.
    static let conversion = "urn:xmpp:pep-vcard-conversion:0"
}

/// One form in which an avatar is there (XEP-0084 §4.2.1).
public struct AvatarInfo: Sendable, Hashable {
    /// The name of the picture.
    public let hash: PictureHash
    /// Its size in bytes.
    public let byteCount: Int
    /// Its kind, as the publisher says; believe ``Picture/format``.
    public let mediaType: String
    /// The width in pixels, where the publisher says it.
    public let width: Int?
    /// The height in pixels, where the publisher says it.
    public let height: Int?
    /// Where it is on the web; nil when it is to be had from the account.
    public let url: String?

    /// Makes a description.
    public init(
        hash: PictureHash, byteCount: Int, mediaType: String, width: Int? = nil, height: Int? = nil, url: String? = nil
    ) {
        self.hash = hash
        self.byteCount = byteCount
        self.mediaType = mediaType
        self.width = width
        self.height = height
        self.url = url
    }

    /// Describes a picture that is to be had from the account.
    public init(_ picture: Picture) {
        self.init(
            hash: picture.hash, byteCount: picture.bytes.count, mediaType: picture.format.mediaType,
            width: picture.width, height: picture.height)
    }
}

extension AvatarInfo: StanzaPayload {
    package static let name = XMLName("info", Avatars.metadataNode)

    /// XEP-0084 §4.2.1: size, name and kind are required.
    package init?(_ element: Element) {
        guard element.matches(Self.name), let hash = element["id"].flatMap({ PictureHash($0) }),
            let bytes = element["bytes"].flatMap({ UInt32($0) }), let type = element.filled("type")
        else { return nil }
        self.init(
            hash: hash, byteCount: Int(bytes), mediaType: type,
            width: element["width"].flatMap { UInt16($0) }.map { Int($0) },
            height: element["height"].flatMap { UInt16($0) }.map { Int($0) },
            url: element.filled("url"))
    }

    package var element: Element {
        Element(
            Self.name,
            attributes: [
                "bytes": String(byteCount), "height": height.map { String($0) }, "id": hash.description,
                "type": mediaType, "url": url, "width": width.map { String($0) },
            ])
    }
}

/// Which avatar somebody has now: none when the list is empty (XEP-0084 §4.2).
package struct AvatarMetadata: StanzaPayload {
    package static let name = XMLName("metadata", Avatars.metadataNode)
    /// More forms than anybody has.
    static let maximumForms = 16
    package var infos: [AvatarInfo]

    package init(infos: [AvatarInfo]) { self.infos = infos }

    /// Forms that cannot be read are left out; when none of several can, that is no statement that there is no avatar.
    package init?(_ element: Element) {
        guard element.matches(Self.name) else { return nil }
        let forms = element.children(AvatarInfo.name)
        infos = forms.prefix(Self.maximumForms).compactMap { AvatarInfo($0) }
        guard !infos.isEmpty || forms.isEmpty else { return nil }
    }

    package var element: Element { Element(Self.name, children: infos.map(\.element)) }
}

/// The picture itself (XEP-0084 §4.1).
package struct AvatarData: Sendable, Hashable {
    package static let name = XMLName("data", Avatars.dataNode)

    package static func element(_ picture: Picture) -> Element {
        Element(name, text: base64(picture.bytes))
    }
}
