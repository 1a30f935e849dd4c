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
}
