// SPDX-License-Identifier: Apache-2.0
package import XMPP

/// What the core needs of the rooms of a session.
package protocol RoomLink: Sendable {
    /// The places for rooms on the account's server.
    func roomServices() async throws -> [JID]
    /// The public rooms of a place.
    func roomList(at service: JID) async throws -> [RoomListing]
    /// What a room says that it is.
    func roomFacts(_ room: JID) async throws -> RoomFacts
    /// Wants to be in a room from now on; returns at once.
    func followRoom(_ room: JID, as nick: String, password: String?, history: RoomHistory) async throws
    /// Goes into a room.
    func joinRoom(_ room: JID, as nick: String, password: String?, history: RoomHistory) async throws
    /// Makes a room and goes in.
    func createRoom(_ room: JID, as nick: String, _ kind: RoomKind, name: String) async throws
    /// Goes out.
    func leaveRoom(_ room: JID) async
    /// Whether what is sent to a room now is given to everybody.
    func isInRoom(_ room: JID) async -> Bool
    /// Asks a room whether we are in it; its answer comes behind all that it said before, which is durable then.
    func checkRoom(_ room: JID) async -> Bool
    /// A room with those who are in it.
    func roomDetails(_ room: JID) async throws -> RoomDetails
    /// Changes a room, or our nickname there.
    func change(_ room: JID, _ change: RoomChange) async throws
    /// Gives a room a picture, or takes it away.
    func publish(_ picture: Picture?, of room: JID) async throws
    /// Changes what somebody is to a room, or may do there.
    func change(_ member: RoomMember, of room: JID, to change: RoomMemberChange, reason: String?) async throws
    /// Takes a message out of a room.
    func moderate(_ stanzaID: String, in room: JID, reason: String?) async throws
    /// Ends a room for everybody.
    func destroyRoom(_ room: JID, reason: String?) async throws
    /// Asks somebody to come.
    func invite(_ jid: JID, to room: JID, reason: String?, asMember: Bool) async throws
    /// Tells somebody who asked that we do not come.
    func decline(_ invitation: RoomInvitation, reason: String?) async throws
    /// What a room says from now on.
    func roomNews(_ room: JID) async -> AsyncStream<RoomNews>
    /// The account's bookmarks, and changes of them.
    func bookmarks() async throws -> [Bookmark]
    func keep(_ bookmark: Bookmark) async throws
    func dropBookmark(of room: JID) async throws
}

extension XMPPSession {
    package nonisolated func roomServices() async throws -> [JID] { try await rooms.services() }

    package nonisolated func roomList(at service: JID) async throws -> [RoomListing] {
        var found: [RoomListing] = []
        for try await page in rooms.list(at: service) {
            found += page.map { RoomListing(room: $0.jid.bare, name: $0.name) }
            if found.count >= RoomListing.maximum { break }
        }
        return Array(found.prefix(RoomListing.maximum))
    }

    package nonisolated func roomFacts(_ room: JID) async throws -> RoomFacts {
        RoomFacts(try await rooms.information(of: room))
    }

    package nonisolated func followRoom(
        _ room: JID, as nick: String, password: String?, history: RoomHistory
    ) async throws {
        try await rooms.follow(room, as: nick, password: password, history: history)
    }

    package nonisolated func joinRoom(
        _ room: JID, as nick: String, password: String?, history: RoomHistory
    ) async throws {
        _ = try await rooms.join(room, as: nick, password: password, history: history)
    }

    package nonisolated func createRoom(_ room: JID, as nick: String, _ kind: RoomKind, name: String) async throws {
        let configuration: RoomConfiguration =
            switch kind {
            case .group: .group(name: name)
            case .channel: .channel(name: name)
            }
        _ = try await rooms.create(room, as: nick, configuration)
    }

    package nonisolated func leaveRoom(_ room: JID) async { await rooms.room(room).leave() }

    package nonisolated func isInRoom(_ room: JID) async -> Bool { await rooms.room(room).state == .joined }

    package nonisolated func checkRoom(_ room: JID) async -> Bool {
        guard (try? await rooms.room(room).check()) == .joined else { return false }
        // A batch of what came before is committed within 10 ms.
        try? await Task.sleep(for: .milliseconds(100))
        return true
    }

    package nonisolated func roomNews(_ address: JID) async -> AsyncStream<RoomNews> {
        let room = await rooms.room(address)
        let events = room.events()
        return AsyncStream { continuation in
            let reader = Task {
                for await event in events {
                    for news in RoomNews.reading(event, of: room) { continuation.yield(news) }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in reader.cancel() }
        }
    }

    package nonisolated func bookmarks() async throws -> [Bookmark] { try await fetchBookmarks() }
    package nonisolated func keep(_ bookmark: Bookmark) async throws { try await setBookmark(bookmark) }

    package nonisolated func dropBookmark(of room: JID) async throws {
        // Some servers tell nobody of a bookmark that is taken out (ejabberd 23), but all tell of one that changes, and a room
        // that is not to be joined any more is left (XEP-0402 §3.5).
        try? await setBookmark(Bookmark(room: room, joinsAutomatically: false))
        try await removeBookmark(of: room)
    }
}
