// SPDX-License-Identifier: Apache-2.0

/// What a presence says about the picture in the sender's vCard (XEP-0153 §4.1).
public enum AvatarAnnouncement: Sendable, Hashable {
    /// The program does not know yet: what was known before stays true.
    case notReady
    /// There is no picture.
    case noPicture
    /// There is the picture of this name.
    case picture(PictureHash)
}

extension AvatarAnnouncement: StanzaPayload {
    package static let name = XMLName("x", "vcard-temp:x:update")
    private static let photo = XMLName("photo", "vcard-temp:x:update")

    /// XEP-0153 §3.1, §4.1; a `<photo/>` that holds anything but a digest says nothing (B86).
    package init?(_ element: Element) {
        guard element.matches(Self.name) else { return nil }
        guard let photo = element.child(Self.photo) else {
            self = .notReady
            return
        }
        let text = photo.text.trimmingXMLSpace
        if text.isEmpty {
            self = .noPicture
        } else {
            guard let hash = PictureHash(announced: text) else { return nil }
            self = .picture(hash)
        }
    }

    package var element: Element {
        switch self {
        case .notReady: Element(Self.name)
        case .noPicture: Element(Self.name, children: [Element(Self.photo)])
        case .picture(let hash): Element(Self.name, children: [Element(Self.photo, text: hash.description)])
        }
    }
}

extension Presence {
    /// What the presence says about the picture in the sender's vCard; nil when it says nothing (XEP-0153 §4.1).
    ///
    /// Anybody may write it, so that a picture of that name is no more than what the sender wants to be seen as. Setting it
    /// replaces what was there (B88). A room's server may write ``AvatarAnnouncement/noPicture`` for people who have a picture (B92, OF38): see
    /// ``AvatarBook``.
    public var avatar: AvatarAnnouncement? {
        get {
            guard kind == .available else { return nil }
            return payloads.lazy.filter { $0.matches(AvatarAnnouncement.name) }
                .compactMap { AvatarAnnouncement($0) }.first
        }
        set { setPayload(AvatarAnnouncement.name, newValue?.element) }
    }
}
