// SPDX-License-Identifier: Apache-2.0

/// What the body of a message is, in an attribute of the message that no specification knows: programs after a well-known
/// chat tutorial send it, and show pictures by it (beside RFC 6121 §5.2).
public struct BodyType: RawRepresentable, Hashable, Sendable {
    /// The value of the attribute.
    public let rawValue: String
    /// Makes a type by its value.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The body is a text.
    public static let text = BodyType(rawValue: "text")
    /// The body is the address of a picture.
    public static let picture = BodyType(rawValue: "image")

    static let attribute = "bodyType"
}

extension Message {
    /// What the attribute `bodyType` says the body is; nil without.
    ///
    /// Set it only for people whose programs need it.
    public var bodyType: BodyType? {
        get { foreignAttribute(BodyType.attribute).map { BodyType(rawValue: $0) } }
        set { setForeignAttribute(BodyType.attribute, newValue?.rawValue) }
    }

    /// The address of a picture that the body is, as tutorial programs send it: `bodyType` says so, and the body is a
    /// single address of the Web.
    ///
    /// Nothing is fetched unasked.
    public var tutorialPictureURL: String? {
        guard bodyType == .picture, let body = body?.trimmingXMLSpace, HTTPLocation(body) != nil else { return nil }
        return body
    }

    /// A picture for a tutorial program: its address as the body, and the attribute.
    public static func tutorialPicture(_ url: String, to address: JID, id: String? = nil) -> Message {
        var message = Message.chat(to: address, url, id: id)
        message.links = [OutOfBandLink(url: url)]
        message.bodyType = .picture
        return message
    }
}
