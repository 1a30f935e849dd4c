// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import ApusTransport
internal import XMPP

/// Keeps the account in the rooms in which the user wants to be.
extension AccountRunner {
    /// So many rooms are asked at once what they are; the session goes into a few at a time (T137).
    private static var width: Int { 5 }

    /// Takes the bookmarks of the account over, then goes into all rooms.
    func enterRooms() async {
        guard let link else { return }
        if let bookmarks = try? await link.bookmarks() { await take(list: bookmarks, link) }
        let account = account
        let wanted = (try? await store.read { try Queries.wantedRooms($0, account: account) }) ?? []
        // Where somebody put us out, or wants something of the user, nobody goes in by itself (T129).
        var rooms = wanted.filter { $0.exit == nil }[...]
        await withTaskGroup { group in
            for room in rooms.popFirst(Self.width) { group.addTask { await self.enter(room) } }
            while await group.next() != nil {
                if let room = rooms.popFirst() { group.addTask { await self.enter(room) } }
            }
        }
    }

    func enter(_ room: RoomRow) async {
        guard let link else { return }
        await watch(room.room)
        var room = room
        if room.hasArchive == nil, let known = await ask(room.room, link) { room = known }
        // The user may have gone out meanwhile.
        let account = account
        let address = room.room
        let now = try? await store.read { try Queries.room($0, account: account, room: address) }
        guard now?.isJoined == true else { return }
        try? await link.followRoom(room.room, as: room.nick, password: room.password, history: room.history)
    }

    /// Asks a room what it is; gives what is known of it then.
    func ask(_ room: JID, _ link: any SessionLink) async -> RoomRow? {
        let account = account
        if let facts = try? await link.roomFacts(room) {
            _ = try? await store.write { try $0.learn(RoomNews(room, .facts(facts)), account: account) }
            await look(at: facts.picture, of: room)
        }
        return try? await store.read { try Queries.room($0, account: account, room: room) }
    }

    /// The user decided whether to be in a room.
    func decided(_ room: JID) { decidedRooms.insert(room) }

    /// Reads what a room says until we are out of it.
    func watch(_ room: JID) async {
        guard let link, roomWatchers[room] == nil else { return }
        roomWatchers[room] = Task {}
        let news = await link.roomNews(room)
        roomWatchers[room] = Task { [weak self] in
            for await piece in news { await self?.take(piece) }
            await self?.unwatch(room)
        }
    }

    private func unwatch(_ room: JID) { roomWatchers[room] = nil }

    /// The list of rooms as the server has it: what another device added is wanted here too, what it took out is left, and
    /// what is new here is added there.
    private func take(list: [Bookmark], _ link: any SessionLink) async {
        let account = account
        for bookmark in list where bookmark.joinsAutomatically && !decidedRooms.contains(bookmark.room) {
            await keep(bookmark)
        }
        let there = Set(list.lazy.filter(\.joinsAutomatically).map(\.room))
        for room in (try? await store.read { try Queries.wantedRooms($0, account: account) }) ?? []
        where !there.contains(room.room) && !decidedRooms.contains(room.room) {
            if room.isBookmarked { await leave(room.room) } else { await publish(room, link) }
        }
    }

    /// Puts a room into the account's list.
    func publish(_ room: RoomRow, _ link: any SessionLink) async {
        let account = account
        let bookmark = Bookmark(
            room: room.room, name: room.name, joinsAutomatically: true, nickname: room.nick, password: room.password)
        guard (try? await link.keep(bookmark)) != nil else { return }
        try? await store.write { try $0.bookmarked(true, account: account, room: room.room) }
    }

    private func keep(_ bookmark: Bookmark) async {
        let (account, own) = (account, jid)
        try? await store.write { transaction in
            let known = try transaction.room(account: account, bookmark.room)
            if known == nil, try transaction.isPerson(account: account, bookmark.room) { return }
            if known?.isJoined != true {
                try transaction.wantRoom(
                    account: account, room: bookmark.room,
                    nick: bookmark.nickname ?? known?.nick ?? own.local ?? own.domain, password: bookmark.password,
                    name: known?.name ?? bookmark.name)
            }
            try transaction.bookmarked(true, account: account, room: bookmark.room)
        }
    }

    private func leave(_ room: JID) async {
        let account = account
        try? await store.write { transaction in
            try transaction.leaveRoom(account: account, room: room)
            try transaction.bookmarked(false, account: account, room: room)
        }
        await link?.leaveRoom(room)
    }

    /// Another device changed the bookmarks.
    func take(_ changes: [BookmarkChange]) async {
        let account = account
        for change in changes {
            switch change {
            case .all: await enterRooms()
            case .set(let bookmark) where bookmark.joinsAutomatically:
                await keep(bookmark)
                let known = try? await store.read { try Queries.room($0, account: account, room: bookmark.room) }
                if let known, known.exit == nil { await enter(known) }
            case .set(let bookmark): await leave(bookmark.room)
            case .removed(let room): await leave(room)
            }
        }
    }

    /// A room said something.
    func take(_ news: RoomNews) async {
        if case .occupant(let occupant) = news.kind { return await note(occupant, in: news.room) }
        let account = account
        guard let conversation = try? await store.write({ try $0.learn(news, account: account) }) else { return }
        let state: LiveRoomState?
        switch news.kind {
        case .joined: state = LiveRoomState(state: .joined)
        case .state(let new): state = LiveRoomState(new)
        case .facts, .renamed, .occupant: state = nil
        }
        if let state, roomStates.set(state, of: conversation, account: account) {
            var changes = StoreChanges()
            changes.conversations = [conversation]
            store.hub.publish(changes)
            if state.state == .joined { wantCatchUp(of: news.room) }
        }
        if case .state(let state) = news.kind, state.endsStay {
            try? await store.write { try $0.doubtReflections(account: account, room: conversation) }
        }
        if case .joined = news.kind { await pump() }
        if case .facts(let facts) = news.kind { await look(at: facts.picture, of: news.room) }
    }

    /// Somebody did something in a room: it stands behind what was said last.
    private func note(_ occupant: RoomNews.Occupant, in room: JID) async {
        let account = account
        let position = try? await store.read { connection -> Int64? in
            try connection.value(
                "SELECT last_sort FROM conversation WHERE account = ? AND peer = ? AND kind = 'room'", account,
                room.description)
        }
        guard let position = position ?? nil,
            roomActivities.note(occupant, in: room, account: jid, position: position, now: store.now)
        else { return }
        var changes = StoreChanges()
        changes.activities = true
        store.hub.publish(changes)
    }

    /// A room names its picture: it is fetched as one that was announced, while the room is entered.
    private func look(at picture: PictureHash?, of room: JID) async {
        guard let picture, let sessionStore else { return }
        var presence = Presence()
        presence.from = room.bare
        presence.avatar = .picture(picture)
        let announced = presence
        guard sessionStore.avatars.withLock({ $0.received(announced) }) else { return }
        Task { await fetchPictures() }
    }

    /// A new stream: whatever stays there were are over.
    func doubtRooms() async {
        let account = account
        try? await store.write { try $0.doubtReflections(account: account, room: nil) }
    }

    /// What was kept for a room goes out if it has let us in meanwhile.
    func unpark(_ room: JID) async {
        guard let link, await link.isInRoom(room) else { return }
        let account = account
        try? await store.write { transaction in
            guard let conversation = try transaction.conversation(account: account, peer: room.description) else {
                return
            }
            try transaction.unpark(conversation)
        }
    }
}

extension RoomRow {
    /// What the room is asked for when we come in: nothing where its archive has it.
    var history: RoomHistory {
        if hasArchive == true { return .none }
        guard let lastReceived else { return .standard }
        let time = max(0, lastReceived / 1000 - 60)
        return .since(DateTime(seconds: time, nanoseconds: 0))
    }
}

extension RoomState {
    /// We are out of the room, or were for a while without a stream that could be resumed.
    var endsStay: Bool {
        switch self {
        case .interrupted(.connectionLost), .joining, .joined, .outside: false
        case .interrupted, .left: true
        }
    }
}

extension ArraySlice {
    /// Takes so many from the front, or all.
    fileprivate mutating func popFirst(_ count: Int) -> ArraySlice {
        let taken = prefix(count)
        removeFirst(taken.count)
        return taken
    }
}
