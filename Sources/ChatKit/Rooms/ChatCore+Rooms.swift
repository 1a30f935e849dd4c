// SPDX-License-Identifier: Apache-2.0
internal import ApusCrypto
internal import ApusSQLite
public import XMPP

/// Rooms: what the user wants is kept here and, as bookmarks (XEP-0402), on the server for the other devices.
extension ChatCore {
    /// Makes a private group or a public channel on the account's own server, goes in and invites people.
    ///
    /// - Parameters:
    ///   - kind: Which of the two.
    ///   - name: Its name; a channel is found by it.
    ///   - invited: Who is asked to come; of a group they become members.
    ///   - account: The account.
    /// - Throws: ``ChatError``: `unknownAccount`, `notConnected`, `requestFailed`, `noRoomService`, `roomExists`.
    public func createRoom(
        _ kind: RoomKind, name: String, inviting invited: [JID] = [], account: JID
    ) async throws(ChatError) -> Conversation {
        let runner = try runner(account)
        do {
            let link = try runner.onlineLink(await runner.link)
            let service = try await Self.service(link, runner)
            let local = kind == .group ? nil : Self.local(for: name)
            let room = try JID(local: local ?? randomToken().prefix(20).lowercased(), domain: service.domain)
            let nick = Self.nickname(for: runner.jid)
            let row = runner.account
            await runner.decided(room)
            // Before anything is said there: what comes from it belongs here.
            let (before, id) = try await store.write { transaction in
                if let known = try transaction.room(account: row, room), known.isJoined {
                    throw ChatError(.roomExists, "you are in \(room) already")
                }
                let before = try Self.before(transaction.connection, row, room)
                return (
                    before, try transaction.wantRoom(account: row, room: room, nick: nick, password: nil, name: name).id
                )
            }
            await runner.watch(room)
            do {
                try await link.createRoom(room, as: nick, kind, name: name)
            } catch {
                try await leave(room, id, before, row)
                throw error
            }
            if let known = await runner.ask(room, link) { await runner.publish(known, link) }
            // Only now it is known whether there is an archive.
            await runner.wantCatchUp(of: room)
            for person in invited {
                try await link.invite(person.bare, to: room, reason: nil, asMember: kind == .group)
            }
            return try await conversation(with: room, account: runner.jid)
        } catch {
            throw ChatError(error)
        }
    }

    /// Goes into a room that exists, and from now on again after each login, on all devices of the account.
    ///
    /// ``createRoom(_:name:inviting:account:)`` makes rooms; this never does.
    ///
    /// - Parameters:
    ///   - room: The room.
    ///   - nickname: The nickname; nil takes the one of before, or the account's name.
    ///   - password: The room's password, where it has one; nil takes the one of an invitation.
    ///   - account: The account.
    /// - Throws: ``ChatError``: `unknownAccount`, `notConnected`, `requestFailed`, `roomRefused`, `unknownRoom`.
    @discardableResult
    public func joinRoom(
        _ room: JID, as nickname: String? = nil, password: String? = nil, account: JID
    ) async throws(ChatError) -> Conversation {
        let runner = try runner(account)
        let (room, row) = (room.bare, runner.account)
        do {
            let link = try runner.onlineLink(await runner.link)
            let (before, kind, invite) = try await store.read { connection in
                (
                    try Queries.room(connection, account: row, room: room), try Self.before(connection, row, room),
                    try Queries.invitations(connection, account: row).first { $0.room == room }
                )
            }
            let nick = nickname ?? before.flatMap { $0.nick.isEmpty ? nil : $0.nick } ?? Self.nickname(for: runner.jid)
            let password = password ?? invite?.password ?? before?.password
            await runner.decided(room)
            let id = try await store.write { transaction in
                try transaction.wantRoom(account: row, room: room, nick: nick, password: password, name: nil).id
            }
            _ = roomStates.set(LiveRoomState(state: .joining), of: id, account: row)
            await runner.watch(room)
            do {
                // First, so that the first message that comes is understood.
                let known = await runner.ask(room, link)
                try await link.joinRoom(room, as: nick, password: password, history: known?.history ?? .standard)
            } catch {
                _ = roomStates.set(LiveRoomState(state: .outside), of: id, account: row)
                let refusal = (error as? XMPPError)?.roomRefusal
                if before?.isJoined != true {
                    try await leave(room, id, kind, row)
                } else if let refusal {
                    await runner.take(RoomNews(room, .state(.left(.refused(refusal)))))
                }
                if refusal == .notFound || refusal == .creationForbidden { throw ChatError.unknownRoom(room, error) }
                throw error
            }
            if let known = try await store.read({ try Queries.room($0, account: row, room: room) }) {
                await runner.publish(known, link)
            }
            return try await conversation(with: room, account: runner.jid)
        } catch {
            throw ChatError(error)
        }
    }

    /// Goes out of a room for good; what was said there stays.
    ///
    /// - Throws: ``ChatError``: `unknownAccount`, `notConnected`, `unknownConversation`.
    public func leaveRoom(_ room: JID, account: JID) async throws(ChatError) {
        let runner = try runner(account)
        let (room, row) = (room.bare, runner.account)
        do {
            let link = try runner.onlineLink(await runner.link)
            // A list that was asked for before the server knows still has it.
            await runner.decided(room)
            try await store.write { transaction in
                guard try transaction.room(account: row, room) != nil else {
                    throw ChatError(.unknownConversation, "there is no room \(room) here")
                }
                try transaction.leaveRoom(account: row, room: room)
            }
            await link.leaveRoom(room)
            if (try? await link.dropBookmark(of: room)) != nil {
                try await store.write { try $0.bookmarked(false, account: row, room: room) }
            }
        } catch {
            throw ChatError(error)
        }
    }

    /// A room with those who are in it; waits up to ``entryWait`` while the account is on its way into it.
    ///
    /// - Throws: ``ChatError``: `unknownAccount`, `notConnected`, `requestFailed`.
    public func room(_ room: JID, account: JID) async throws(ChatError) -> RoomDetails {
        try await inRoom(room, account, isNeeded: false) { try await $0.roomDetails(room.bare) }
    }

    /// The address of a room by its name or the first part of its address: of one that is known here, else of one on the
    /// account's own server.
    ///
    /// - Throws: ``ChatError``: `unknownAccount`, `notConnected`, `invalidAddress`, `noRoomService`, `ambiguousName`.
    public func roomAddress(_ text: String, account: JID) async throws(ChatError) -> JID {
        let runner = try runner(account)
        do {
            if text.contains("@") { return try JID(text).bare }
            if let known = try await knownRoom(text, account) { return known }
            let service = try await Self.service(try runner.onlineLink(await runner.link), runner)
            return try JID(local: Self.local(for: text) ?? text, domain: service.domain)
        } catch {
            throw ChatError(error)
        }
    }

    /// The public rooms of a place, at most ``RoomListing/maximum``.
    ///
    /// nil asks the account's own server for its place.
    ///
    /// - Throws: ``ChatError``: `unknownAccount`, `notConnected`, `requestFailed`, `noRoomService`.
    public func publicRooms(at service: JID? = nil, account: JID) async throws(ChatError) -> [RoomListing] {
        let runner = try runner(account)
        do {
            let link = try runner.onlineLink(await runner.link)
            let place = if let service { service } else { try await Self.service(link, runner) }
            return try await link.roomList(at: place)
        } catch {
            throw ChatError(error)
        }
    }

    func asking<Answer: Sendable>(
        _ account: JID, _ body: (any SessionLink) async throws -> Answer
    ) async throws(ChatError) -> Answer {
        let runner = try runner(account)
        do {
            return try await body(try runner.onlineLink(await runner.link))
        } catch {
            throw ChatError(error)
        }
    }

    /// Asks a room something that only those who are in it may ask: right after a login the account may still be on its way.
    ///
    /// - Parameter isNeeded: Whoever is not to be in the room cannot ask.
    func inRoom<Answer: Sendable>(
        _ room: JID, _ account: JID, isNeeded: Bool = true, _ body: (any SessionLink) async throws -> Answer
    ) async throws(ChatError) -> Answer {
        let runner = try runner(account)
        do {
            _ = try runner.onlineLink(await runner.link)
            try await runner.waitForEntry(into: room.bare, isNeeded: isNeeded, within: Self.entryWait)
        } catch {
            throw ChatError(error)
        }
        return try await asking(account, body)
    }

    /// What an address was here before the user wanted to be in a room there; nil for nothing.
    private static func before(_ connection: Connection, _ account: Int64, _ room: JID) throws -> Conversation.Kind? {
        let kind: String? = try connection.value(
            "SELECT kind FROM conversation WHERE account = ? AND peer = ?", account, room.description)
        return kind.flatMap { Conversation.Kind(rawValue: $0) }
    }

    /// The room did not let us in: whoever is talked with under that address is no room.
    private func leave(
        _ room: JID, _ conversation: Int64, _ before: Conversation.Kind?, _ account: Int64
    ) async throws {
        try await store.write { transaction in
            try transaction.leaveRoom(account: account, room: room)
            if before != .room { try transaction.neverEntered(conversation, wasChat: before == .chat) }
        }
    }

    private static func service(_ link: any SessionLink, _ runner: AccountRunner) async throws -> JID {
        guard let service = try await link.roomServices().first else {
            throw ChatError(.noRoomService, "the server \(runner.jid.domain) has no rooms")
        }
        return service
    }

    static func nickname(for account: JID) -> String { account.local ?? account.domain }

    /// The first part of an address that looks like a name; nil when nothing of it is left.
    static func local(for name: String) -> String? {
        var local = ""
        for character in name.lowercased() {
            if character.isLetter || character.isNumber {
                local.append(character)
            } else if !local.isEmpty, local.last != "-" {
                local.append("-")
            }
        }
        while local.last == "-" { local.removeLast() }
        return local.isEmpty ? nil : String(local.prefix(60))
    }
}

extension ChatError {
    static func unknownRoom(_ room: JID, _ cause: any Error) -> ChatError {
        ChatError(.unknownRoom, "there is no room \(room); check its address, or make it first", underlying: cause)
    }
}

extension ChatError.Code {
    /// The account's server has no place for rooms.
    public static let noRoomService = Self(rawValue: "noRoomService")
    /// There is a room of that address already.
    public static let roomExists = Self(rawValue: "roomExists")
    /// The room does not let the user in.
    public static let roomRefused = Self(rawValue: "roomRefused")
    /// Nobody of that name is in the room.
    public static let unknownMember = Self(rawValue: "unknownMember")
    /// There is no such room.
    public static let unknownRoom = Self(rawValue: "unknownRoom")
    /// The user is not in the room, or not any more.
    public static let notInRoom = Self(rawValue: "notInRoom")
    /// The account is still on its way into the room.
    public static let roomNotReady = Self(rawValue: "roomNotReady")
}
