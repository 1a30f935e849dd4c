// SPDX-License-Identifier: Apache-2.0
package import XMPP

/// What nodes say: what another device of the account changed, and the pictures of contacts.
package enum PersonalNews: Sendable, Hashable {
    /// Conversations were read up to there (XEP-0490).
    case displayed([DisplayedState])
    /// More was read than was told: ask for all of it.
    case displayedUnknown
    /// Somebody, or the account itself, has another picture.
    case picture(AvatarChange)
    /// The account's rooms are others now.
    case bookmarks([BookmarkChange])
}

extension XMPPSession {
    package nonisolated func personalNews() -> AsyncStream<PersonalNews> {
        let subscription = nodeEvents()
        return AsyncStream { continuation in
            let reader = Task { [weak self] in
                do {
                    for try await event in subscription {
                        guard let own = await self?.jid else { continue }
                        for piece in PersonalNews.reading(event, own: own) { continuation.yield(piece) }
                    }
                } catch {}
                continuation.finish()
            }
            continuation.onTermination = { _ in reader.cancel() }
        }
    }
}

extension PersonalNews {
    /// What an event says; nothing when anybody but the own account sent it (T121).
    static func reading(_ event: NodeEvent, own: JID) -> [PersonalNews] {
        if event.change == .lost { return [.displayedUnknown, .bookmarks([.all])] }
        let bookmarks = event.bookmarkChanges(for: own)
        if !bookmarks.isEmpty { return [.bookmarks(bookmarks)] }
        if let change = event.avatarChange(own: own) { return [.picture(change)] }
        guard event.isOwn(own), event.node == DisplayedState.node else { return [] }
        if event.change == .several { return [.displayedUnknown] }
        let states = event.displayedStates(for: own)
        return states.isEmpty ? [] : [.displayed(states)]
    }
}
