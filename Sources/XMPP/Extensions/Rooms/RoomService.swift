// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// The rooms of a session: going in, making, finding, being invited (XEP-0045).
public struct RoomService: Sendable {
    let session: XMPPSession
}

extension XMPPSession {
    /// The rooms of the session.
    public nonisolated var rooms: RoomService { RoomService(session: self) }
}

extension RoomService {
    /// The room of that address, without going in: to take its events first, or to ask it something.
    public func room(_ address: JID) async -> Room {
        Room(core: await session.room(of: address), session: session)
    }

    /// The rooms that one is in or on the way to, by address.
    public var all: [Room] {
        session.roomBook.all.filter { core in
            switch core.state.withLock({ $0.machine.state }) {
            case .joining, .joined, .interrupted: true
            case .outside, .left: false
            }
        }
        .map { Room(core: $0, session: session) }
    }

    /// Goes into a room that exists; see ``Room/join(as:password:history:)``.
    public func join(
        _ address: JID, as nickname: String, password: String? = nil, history: RoomHistory = .standard
    ) async throws -> Room {
        let room = await room(address)
        try await room.join(as: nickname, password: password, history: history)
        return room
    }

    /// Wants to be in a room from now on, as a bookmark does: goes in when the session is online and the turn comes, and tries
    /// again as long as trying is of use.
    ///
    /// Returns at once; ``Room/state`` and ``Room/events()`` tell how it goes. Of many rooms a few are entered at a time. A room
    /// that does not exist is not made: the state is `left` then, `refused` as not found. Throws ``XMPPError`` `invalidAddress`
    /// when the nickname is none.
    @discardableResult
    public func follow(
        _ address: JID, as nickname: String, password: String? = nil, history: RoomHistory = .standard
    ) async throws -> Room {
        let room = await room(address)
        let wish = RoomStateMachine.Wish(
            try room.address(of: nickname), password: password, history: history, persists: true)
        await session.follow(room.core, wish)
        return room
    }

    /// Makes a room, sets it up and is in it (XEP-0045 §10.1).
    ///
    /// Nobody else can come in before it is set up. Throws ``XMPPError/Code/roomExists`` when there is such a room, and one is
    /// not in it then; ``XMPPError/Code/roomRefused`` when one may not make rooms there; otherwise as
    /// ``Room/configure(_:)-(RoomConfiguration)`` does.
    /// - Parameters:
    ///   - address: The address of the new room.
    ///   - nickname: One's nickname in it.
    ///   - configuration: How it is to behave. Defaults to what the service gives new rooms.
    public func create(
        _ address: JID, as nickname: String, _ configuration: RoomConfiguration? = nil
    ) async throws -> Room {
        let room = await room(address)
        guard !room.core.isIn else { throw XMPPError(.roomExists, "you are in \(address) already") }
        try await room.join(
            as: nickname, password: nil, history: .none,
            creation: configuration.map { .reserved($0) } ?? .instant)
        guard room.notices.contains(.created) else {
            await room.leave()
            throw XMPPError(.roomExists, "there is a room \(room.address) already")
        }
        return room
    }

    /// Joins all rooms whose bookmarks say so; see ``follow(_:as:password:history:)`` and ``XMPPSession/fetchBookmarks()``.
    /// - Parameters:
    ///   - bookmarks: The bookmarks.
    ///   - nickname: One's nickname where the bookmark has none.
    ///   - history: How much of what was said before is wanted.
    public func follow(
        _ bookmarks: [Bookmark], as nickname: String, history: RoomHistory = .standard
    ) async throws -> [Room] {
        var rooms: [Room] = []
        for bookmark in bookmarks where bookmark.joinsAutomatically {
            rooms.append(
                try await follow(
                    bookmark.room, as: bookmark.nickname ?? nickname, password: bookmark.password, history: history))
        }
        return rooms
    }
}

extension XMPPSession {
    func follow(_ core: RoomCore, _ wish: RoomStateMachine.Wish) {
        if core.state.withLock({ $0.machine.wish?.address == wish.address && !$0.machine.isLeaving }) { return }
        steer(core, .wants(wish))
    }
}

extension RoomService {
    /// The services of one's own server where rooms are (XEP-0045 §6.1).
    ///
    /// Throws ``XMPPError`` when the server does not tell.
    public func services() async throws -> [JID] {
        let server = try await session.serverAddress()
        var found: [JID] = []
        for item in try await session.discoverItems(of: server).prefix(50) where item.jid.local == nil {
            guard let info = try? await session.discoverInfo(of: item.jid, node: item.node),
                info.supports(RoomNames.namespace), info.isKind("conference")
            else { continue }
            found.append(item.jid)
        }
        return found
    }

    /// The public rooms of a service, page by page (XEP-0045 §6.3).
    public func list(at service: JID, pageSize: Int = 50) -> ResultPages<[DiscoItem]> {
        session.discoverItemPages(of: service, pageSize: pageSize)
    }

    /// What a room says about itself, whether one is in it or not (XEP-0045 §6.4).
    ///
    /// Throws ``XMPPError``, with a ``StanzaError`` when there is no such room.
    public func information(of room: JID) async throws -> RoomInformation {
        try await session.roomInformation(of: room.bare)
    }

    /// The nicknames that a room shows to whoever is not in it; many show none (XEP-0045 §6.5).
    public func occupants(of room: JID) async throws -> [String] {
        try await session.discoverItems(of: room.bare).compactMap { item in
            item.jid.isSameBare(as: room) ? item.jid.resource : item.name
        }
    }

    /// The nickname that is reserved for one in a room; nil when there is none (XEP-0045 §7.12).
    public func reservedNickname(in room: JID) async throws -> String? {
        try await session.reservedNickname(in: room.bare)
    }

    /// The rooms that somebody says to be in (XEP-0045 §6.7).
    /// - Parameter contact: The full address of one of their devices.
    public func rooms(of contact: JID) async throws -> [JID] {
        try await session.discoverItems(of: contact, node: RoomNames.roomsNode).map(\.jid)
    }
}

extension XMPPSession {
    func roomInformation(of room: JID) async throws -> RoomInformation {
        let reply = try await get(Element(Disco.info), to: room, timeout: .seconds(10))
        guard let info = reply.payload.flatMap({ DiscoInfo($0) }) else {
            throw XMPPError(.invalidReply, "\(room) does not say what it is")
        }
        return RoomInformation(info)
    }

    func reservedNickname(in room: JID) async throws -> String? {
        let info = try await discoverInfo(of: room, node: RoomNames.reservedNickname)
        return info.identities.first { $0.category == "conference" }?.name
    }
}
