// SPDX-License-Identifier: Apache-2.0

/// A change of the bookmarks that another device made (XEP-0402 §3.5).
public enum BookmarkChange: Sendable, Hashable {
    /// The bookmark is new or looks like this now.
    case set(Bookmark)
    /// The room is no longer bookmarked: leave it.
    case removed(JID)
    /// Much changed: fetch all of them.
    case all
}

extension NodeEvent {
    /// What the event changes in one's own bookmarks; nothing when anybody else sent it (T121).
    /// - Parameter account: One's own address.
    public func bookmarkChanges(for account: JID) -> [BookmarkChange] {
        if case .lost = change { return [.all] }
        guard node == Bookmark.node, isOwn(account) else { return [] }
        switch change {
        case .published: return items(as: BookmarkElement.self).compactMap { Bookmark($0).map { .set($0) } }
        case .retracted(let ids): return ids.compactMap { (try? JID($0)).map { .removed($0) } }
        case .purged, .deleted, .several: return [.all]
        case .configured, .subscription, .lost: return []
        }
    }
}

extension XMPPSession {
    private static let compatible = [Bookmark.node + "#compat", Bookmark.node + "#compat-pep"]

    /// The bookmarks of the account (XEP-0402 §3.2).
    ///
    /// Where the server does not join the new kind with the old one, both are read, and of two bookmarks for one room the
    /// new one counts (XEP-0048, XEP-0411). Fetch them after each login: not every server sends what changed meanwhile.
    /// Throws ``XMPPError``; cancelling ends the wait.
    public func fetchBookmarks() async throws -> [Bookmark] {
        let new = try await nodeBookmarks()
        guard try await !joinsBookmarks() else { return new }
        let known = Set(new.map(\.room))
        return new + (try await oldBookmarks().bookmarks.filter { !known.contains($0.room) })
    }

    /// Adds a bookmark or changes the one of that room (XEP-0402 §3.3).
    ///
    /// What other programs stored with it is kept. It is stored so that nobody else sees it, or not at all; and in the old
    /// place, too, where the server does not join both. Throws ``XMPPError``, with ``XMPPError/Code/notPrivate`` when the
    /// server cannot keep it to the account. Cancelling ends the wait, not the change.
    public func setBookmark(_ bookmark: Bookmark) async throws {
        let room = bookmark.room.description
        let present = try await nodeBookmarks(ids: [room]).first { $0.room == bookmark.room }
        let element = BookmarkElement(bookmark.keepingExtensions(of: present))
        try await pubSub().publishPrivately(element, id: room, to: Bookmark.node)
        guard try await !joinsBookmarks() else { return }
        var list = try await oldBookmarks()
        list.set(bookmark)
        try await setPrivateValue(list)
    }

    /// Removes the bookmark of a room, wherever it is stored; none is no error (XEP-0402 §3.4).
    ///
    /// Throws ``XMPPError``; cancelling ends the wait, not the change.
    public func removeBookmark(of room: JID) async throws {
        do {
            try await pubSub().retract(room.bare.description, from: Bookmark.node)
        } catch let error as XMPPError where error.stanzaError?.condition == .itemNotFound {
            // It was not there.
        }
        guard try await !joinsBookmarks() else { return }
        var list = try await oldBookmarks()
        let count = list.bookmarks.count
        list.bookmarks.removeAll { $0.room == room.bare }
        if list.bookmarks.count != count { try await setPrivateValue(list) }
    }

    /// Whether the server shows bookmarks of one kind as those of the other (XEP-0402 §5).
    private func joinsBookmarks() async throws -> Bool {
        let info = try await discoverInfo()
        return Self.compatible.contains { info.supports($0) }
    }

    private func nodeBookmarks(ids: [String] = []) async throws -> [Bookmark] {
        do {
            return try await pubSub().items(of: Bookmark.node, as: BookmarkElement.self, ids: ids)
                .compactMap { Bookmark($0) }
        } catch let error as XMPPError where error.stanzaError?.condition == .itemNotFound { return [] }
    }

    /// A server without the old storage has no old bookmarks.
    private func oldBookmarks() async throws -> BookmarkList {
        do {
            return try await privateValue(BookmarkList.self) ?? BookmarkList()
        } catch let error as XMPPError where error.stanzaError != nil { return BookmarkList() }
    }
}
