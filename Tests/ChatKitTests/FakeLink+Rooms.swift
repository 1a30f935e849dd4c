// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import XMPP

@testable import ChatKit

extension FakeLink {
    /// A room says something.
    nonisolated func tell(_ news: RoomNews) { _ = recorded.roomNews[news.room]?.yield(news) }

    private nonisolated func note(_ text: String) throws {
        script { $0.rooms.append(text) }
        if let error = recorded.roomRefusal { throw error }
    }

    nonisolated func roomServices() async throws -> [JID] { [try JID("rooms.example.org")] }

    nonisolated func roomList(at service: JID) async throws -> [ChatKit.RoomListing] {
        [ChatKit.RoomListing(room: try JID("swift@\(service)"), name: "Swift")]
    }

    nonisolated func roomFacts(_ room: JID) async throws -> RoomFacts {
        guard let facts = recorded.roomFacts[room] else { throw XMPPError(.requestFailed, "no room") }
        return facts
    }

    nonisolated func checkRoom(_ room: JID) async -> Bool { true }

    nonisolated func isInRoom(_ room: JID) async -> Bool {
        var isOutside = false
        script { log in
            isOutside = log.roomsOutsideOnce.remove(room) != nil || log.roomsOutside.contains(room)
        }
        return !isOutside
    }

    nonisolated func followRoom(_ room: JID, as nick: String, password: String?, history: RoomHistory) async throws {
        try note("follow \(room) \(nick)")
    }

    nonisolated func joinRoom(_ room: JID, as nick: String, password: String?, history: RoomHistory) async throws {
        try note("join \(room) \(nick)")
    }

    nonisolated func createRoom(_ room: JID, as nick: String, _ kind: RoomKind, name: String) async throws {
        try note("create \(kind.rawValue) \(name) \(nick)")
    }

    nonisolated func leaveRoom(_ room: JID) async { try? note("leave \(room)") }

    nonisolated func roomDetails(_ room: JID) async throws -> RoomDetails {
        RoomDetails(
            room: room, name: "Tea", topic: nil, nickname: "ann", isMembersOnly: true,
            members: [.init(address: nil, nickname: "ann", affiliation: .owner, role: .moderator)])
    }

    nonisolated func invite(_ jid: JID, to room: JID, reason: String?, asMember: Bool) async throws {
        try note("invite \(jid)\(asMember ? " as member" : "")")
    }

    nonisolated func decline(_ invitation: RoomInvitation, reason: String?) async throws {
        try note("decline \(invitation.room) \(invitation.isMediated)")
    }

    nonisolated func change(_ room: JID, _ change: RoomChange) async throws {
        try note("change \(room) \(change.topic ?? "-") \(change.nickname ?? "-")")
    }

    nonisolated func publish(_ picture: Picture?, of room: JID) async throws {
        try note("picture \(room) \(picture?.hash.description ?? "-")")
    }

    nonisolated func change(
        _ member: RoomMember, of room: JID, to change: RoomMemberChange, reason: String?
    ) async throws {
        try note("member \(member) \(change)")
    }

    nonisolated func moderate(_ stanzaID: String, in room: JID, reason: String?) async throws {
        try note("moderate \(stanzaID) \(reason ?? "-")")
    }

    nonisolated func destroyRoom(_ room: JID, reason: String?) async throws { try note("destroy \(room)") }

    nonisolated func roomNews(_ room: JID) async -> AsyncStream<RoomNews> {
        let (stream, continuation) = AsyncStream.makeStream(of: RoomNews.self)
        script { $0.roomNews[room] = continuation }
        return stream
    }

    nonisolated func bookmarks() async throws -> [Bookmark] { recorded.bookmarks }
    nonisolated func keep(_ bookmark: Bookmark) async throws {
        if recorded.refusesBookmarks { throw XMPPError(.requestFailed, "no bookmarks") }
        script { log in
            log.bookmarks.removeAll { $0.room == bookmark.room }
            log.bookmarks.append(bookmark)
        }
    }
    nonisolated func dropBookmark(of room: JID) async throws {
        script { log in log.bookmarks.removeAll { $0.room == room } }
    }
}
