// SPDX-License-Identifier: Apache-2.0

extension Room {
    /// Fetches the picture of the room itself, or takes it from the cache; nil when it has none (XEP-0486 §3).
    ///
    /// One need not be in the room. Waits, throws and is cancelled as ``XMPPSession/fetchAvatar(_:cache:limits:)``.
    /// - Parameters:
    ///   - cache: Where pictures are kept; what is fetched is put in.
    ///   - limits: How large it may be.
    public func fetchAvatar(
        cache: (any PictureCache)? = nil, limits: Picture.Limits = Picture.Limits()
    ) async throws -> Picture? {
        let hash = try await session.roomInformation(of: address).avatar
        return try await session.fetchAvatar(
            AvatarRequest(jid: address, hash: hash, source: .card), cache: cache, limits: limits)
    }

    /// Gives the room a picture, or takes it away; for owners (XEP-0486 §2).
    ///
    /// Fetches the card of the room and publishes it with the picture in it: what else the card says stays. Where nothing
    /// changes nothing is sent. The occupants are told by the room. Throws ``XMPPError``: `pictureTooLarge` above 128 KiB,
    /// `invalidArgument` when the card has more than 200 kB, else as ``XMPPSession/request(_:timeout:)`` does, as where the
    /// room keeps no card, or the user may not change it. Cancelling ends the wait between the two.
    /// - Parameter picture: The picture; nil takes it away.
    public func setAvatar(_ picture: Picture?) async throws {
        if let size = picture?.bytes.count, size > Picture.Limits.published.bytes {
            throw XMPPError.pictureTooLarge(size, .published)
        }
        let coding = VCardCoding(.temporary)
        let original = try await session.fetchCardElement(of: address, .temporary)
        let before = original.flatMap { coding.card($0) } ?? VCard()
        var card = before
        card.photo = picture.map { .picture($0) }
        guard card != before else { return }
        let element = coding.element(card, over: original)
        try XMPPSession.checkSize(element)
        _ = try await session.set(element, to: address)
    }
}
