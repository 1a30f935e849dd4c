// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// Where an avatar is published (XEP-0398 §2).
struct AvatarPlaces: Sendable, Hashable {
    /// On the nodes of XEP-0084.
    let node: Bool
    /// In the vCard, for people who read only that, and for rooms (XEP-0153).
    let card: Bool

    init(node: Bool, card: Bool) {
        self.node = node
        self.card = card
    }

    /// A server that keeps both alike gets the nodes alone, and writes the announcement itself.
    init(_ account: DiscoInfo) {
        let converts = account.supports(Avatars.conversion)
        node = converts || account.isKind("pubsub", "pep")
        card = !converts
    }
}

extension XMPPSession {
    /// Fetches a picture that ``AvatarBook`` asked for, or takes it from the cache.
    ///
    /// Gives nil when there is none under that name. Throws ``XMPPError``: `pictureTooLarge`, `pictureNotAcceptable` or
    /// `pictureMismatch` for a picture that is not to be shown, and as ``request(_:timeout:)`` does. Cancelling ends the
    /// wait.
    /// - Parameters:
    ///   - request: What to fetch.
    ///   - cache: Where pictures are kept; what is fetched is put in.
    ///   - limits: How large it may be. An announced size above them is not fetched at all.
    public func fetchAvatar(
        _ request: AvatarRequest, cache: (any PictureCache)? = nil, limits: Picture.Limits = Picture.Limits()
    ) async throws -> Picture? {
        if let hash = request.hash, let bytes = await cache?.picture(hash),
            let picture = try? Picture(bytes, named: hash, limits: limits)
        {
            return picture
        }
        if let announced = request.byteCount, announced > limits.bytes {
            throw XMPPError.pictureTooLarge(announced, limits)
        }
        guard let bytes = try await fetchPictureBytes(request, limits), !bytes.isEmpty else { return nil }
        let picture =
            if let hash = request.hash {
                try Picture(bytes, named: hash, limits: limits)
            } else {
                try Picture(bytes, limits: limits)
            }
        await cache?.keep(picture)
        return picture
    }

    private func fetchPictureBytes(_ request: AvatarRequest, _ limits: Picture.Limits) async throws -> [UInt8]? {
        switch (request.source, request.hash) {
        case (.node, let hash?):
            let item = try await fetchPersonalItem(Avatars.dataNode, id: hash.description, of: request.jid.bare)
            guard let data = item?.payload, data.matches(AvatarData.name) else { return nil }
            return try data.pictureBytes(limits)
        case (.occupantCard, _):
            return try await fetchCardElement(of: request.jid, .temporary)?.cardPictureBytes(limits)
        default:
            return try await fetchCardElement(of: request.jid.bare, .temporary)?.cardPictureBytes(limits)
        }
    }

    /// Asks which avatar an account has now (XEP-0084 §3.4); without one, the change has no forms.
    ///
    /// Some servers do not tell at a login, so ask for oneself and for those who matter. Nil when the answer cannot be read.
    /// Throws ``XMPPError`` as ``request(_:timeout:)`` does, as when the account shows it to its contacts only. Cancelling
    /// ends the wait.
    public func fetchAvatarChange(of jid: JID) async throws -> AvatarChange? {
        guard let item = try await fetchPersonalItem(Avatars.metadataNode, of: jid.bare) else {
            return AvatarChange(jid: jid, forms: [])
        }
        return AvatarMetadata(item.payload).map { AvatarChange(jid: jid, forms: $0.infos) }
    }

    /// Publishes one's own avatar wherever people look for it (XEP-0084 §3.1, §3.2; XEP-0153 §3.1; XEP-0398).
    ///
    /// Asks the server what it keeps alike by itself, publishes the rest, and announces the picture in one's presence
    /// where that is needed. Returns when all of it is done; where only the last part fails, contacts see the picture all
    /// the same.
    ///
    /// Throws ``XMPPError``: `pictureTooLarge` above 128 KiB, which many servers would close the stream for (B90), else
    /// as ``request(_:timeout:)`` does; nothing is tried again. Cancelling ends the wait between the parts.
    /// What only contacts may see does not go into the vCard, which everybody can read; `notSupported` says that the
    /// server has no other place.
    /// - Parameters:
    ///   - picture: The picture: square, 32 to 192 pixels a side and a few kilobytes are usual.
    ///   - audience: Who may see it. Defaults to everybody, so that people in rooms see it, too.
    public func publishAvatar(_ picture: Picture, audience: Audience = .everybody) async throws {
        guard picture.bytes.count <= Picture.Limits.published.bytes else {
            throw XMPPError.pictureTooLarge(picture.bytes.count, .published)
        }
        let places = AvatarPlaces(try await discoverInfo(of: account.jid.bare))
        guard places.node || audience == .everybody else {
            throw XMPPError(.notSupported, "the server keeps pictures for everybody only")
        }
        if places.node {
            // The data comes first: whoever hears of the picture finds it (§3.1).
            try await publishPersonalItem(
                Avatars.dataNode, id: picture.hash.description, AvatarData.element(picture), audience: audience)
            try await publishPersonalItem(
                Avatars.metadataNode, id: picture.hash.description,
                AvatarMetadata(infos: [AvatarInfo(picture)]).element, audience: audience)
        }
        guard places.card, audience == .everybody else { return }
        try await updateVCard { $0.photo = .picture(picture) }
        try announceAvatar(.picture(picture.hash))
    }

    /// Takes one's own avatar back (XEP-0084 §3.5, XEP-0153 §4.1).
    ///
    /// Waits, throws and is cancelled as ``publishAvatar(_:audience:)``.
    public func removeAvatar(audience: Audience = .everybody) async throws {
        let places = AvatarPlaces(try await discoverInfo(of: account.jid.bare))
        if places.node {
            try await publishPersonalItem(
                Avatars.metadataNode, id: "current", AvatarMetadata(infos: []).element, audience: audience)
        }
        guard places.card else { return }
        try await updateVCard { $0.photo = nil }
        try announceAvatar(.noPicture)
    }

    /// Says in every available presence which picture is in one's vCard, from now on (XEP-0153 §4.1).
    ///
    /// One's own presence is sent again if that changes it, and once (B88). A presence that says something about the
    /// picture itself is sent as it is. Throws as ``setPresence(_:)`` does.
    public func announceAvatar(_ announcement: AvatarAnnouncement) throws(XMPPError) {
        let isNew = inboxes.ownAvatar.withLock { announced in
            defer { announced = announcement }
            return announced != announcement
        }
        guard isNew, let presence else { return }
        try setPresence(presence)
    }
}

extension SessionInboxes {
    /// Adds what is to be said about one's own picture.
    func announceAvatar(in presence: inout Presence) {
        guard let announcement = ownAvatar.withLock({ $0 }), presence.payload(AvatarAnnouncement.name) == nil else {
            return
        }
        presence.avatar = announcement
    }
}

/// Asks for changes of contacts' avatars (XEP-0084 §3.3).
///
/// They come among the events of nodes: ``NodeEvent/avatarChange(own:)``. Feed them and the presences to an
/// ``AvatarBook``.
public struct AvatarsModule: SessionModule {
    /// Makes the module.
    public init() {}
    /// `urn:xmpp:avatar:metadata+notify`.
    public var features: [String] { [Avatars.metadataNode + "+notify"] }
}
