// SPDX-License-Identifier: Apache-2.0

/// Somebody has another avatar now, or none (XEP-0084 §3.3, §3.5).
public struct AvatarChange: Sendable, Hashable {
    /// Whose it is: a bare address.
    public let jid: JID
    /// The forms in which it is there; empty when there is none any more.
    public let forms: [AvatarInfo]

    /// Makes a change.
    public init(jid: JID, forms: [AvatarInfo]) {
        self.jid = jid.bare
        self.forms = forms
    }

    /// The form to fetch from the account: of an accepted kind rather than another one; nil when there is none.
    public var preferred: AvatarInfo? {
        let own = forms.filter { $0.url == nil }
        return own.first { Picture.Format(rawValue: $0.mediaType) != nil } ?? own.first
    }
}

extension NodeEvent {
    /// The change of an avatar that the event tells of; nil when it tells of none.
    ///
    /// Nobody but an account itself can tell of its avatar (T143, B163). One's own changes come back, too, and again at
    /// each login; they are no reason to publish (B164). Where events were left out, ``Change-swift.enum/several``, the
    /// change is to be fetched: ``XMPPSession/fetchAvatarChange(of:)``.
    /// - Parameter own: One's own address.
    public func avatarChange(own: JID) -> AvatarChange? {
        guard let jid = account(publishing: Avatars.metadataNode, own: own), let item = items(as: Element.self).last,
            let metadata = AvatarMetadata(item.payload)
        else { return nil }
        return AvatarChange(jid: jid, forms: metadata.infos)
    }
}
