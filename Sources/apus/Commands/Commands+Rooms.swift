// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension Commands {
    static let roomAddress = ArgumentSpec(
        name: "ROOM", summary: "the room's address; what is before the @ will do on your own server")

    static let rooms =
        [listRooms, createRoom, joinRoom, leaveRoom, showRoom, invite, findRooms] + roomChanges

    private static let listRooms = CommandSpec(
        path: ["rooms"], summary: "list groups and channels",
        options: [CommandSpec.account, .flag("offline", "do not connect; show what is stored")]
    ) { context in
        if !context.line.has("offline") { await Online.tryToConnect(context) }
        let rows = try await context.client.conversations().filter { row in
            row.kind == .room && (context.account == nil || row.account == context.account)
        }
        if context.output.isJSON { return try await context.output.json("rooms", Rooms(rooms: rows)) }
        for row in rows {
            let name = row.name.map { Plain.line($0) + "  " } ?? ""
            let count = row.unread > 0 ? "  (\(row.unread) new)" : ""
            try await context.output.line(name + Plain.line(row.conversation) + count + state(of: row))
        }
        if rows.isEmpty { try await context.output.note("no room yet; 'apus rooms join ROOM' goes into one") }
    }

    private static let createRoom = CommandSpec(
        path: ["rooms", "create"], summary: "make a private group, or a channel for everybody",
        arguments: [ArgumentSpec(name: "NAME", summary: "its name")],
        options: [
            CommandSpec.account, .flag("channel", "for everybody, in the server's list"),
            OptionSpec(name: "invite", value: "JID", summary: "ask somebody to come; may be repeated", repeats: true),
        ]
    ) { context in
        _ = try await context.client.connect(ConnectRequest(account: context.account))
        let room = try await context.client.createRoom(
            CreateRoomRequest(
                account: context.account, kind: context.line.has("channel") ? .channel : .group,
                name: context.argument(0), invite: context.line.lists["invite"] ?? []))
        try await tell("made", room, context)
    }

    private static let joinRoom = CommandSpec(
        path: ["rooms", "join"], summary: "go into a room, and again after each login", arguments: [roomAddress],
        options: [
            CommandSpec.account, .value("nick", "NAME", "the nickname there"),
            .value("room-password", "TEXT", "the room's password, which everybody there knows"),
        ],
        discussion:
            "A room that does not exist is not made; 'apus rooms create' does that. 'apus rooms find' lists the "
            + "public ones."
    ) { context in
        _ = try await context.client.connect(ConnectRequest(account: context.account))
        let room = try await context.client.joinRoom(
            JoinRoomRequest(
                account: context.account, room: context.argument(0), nick: context.line.options["nick"],
                password: context.line.options["room-password"]))
        try await tell("joined", room, context)
    }

    private static let leaveRoom = CommandSpec(
        path: ["rooms", "leave"], summary: "go out of a room for good", arguments: [roomAddress],
        options: [CommandSpec.account]
    ) { context in
        _ = try await context.client.connect(ConnectRequest(account: context.account))
        let request = RoomRequest(account: context.account, room: context.argument(0))
        try await context.client.leaveRoom(request)
        if context.output.isJSON { return try await context.output.json("left", Left(room: request.room)) }
        try await context.output.note("left \(Plain.line(request.room))")
    }

    private static let showRoom = CommandSpec(
        path: ["rooms", "show"], summary: "show a room and who is in it", arguments: [roomAddress],
        options: [CommandSpec.account]
    ) { context in
        _ = try await context.client.connect(ConnectRequest(account: context.account))
        let room = try await context.client.room(RoomRequest(account: context.account, room: context.argument(0)))
        if context.output.isJSON { return try await context.output.json("room", room) }
        try await context.output.line(Plain.line(room.name ?? room.room))
        if let topic = room.topic, !topic.isEmpty { try await context.output.line("topic: " + Plain.line(topic)) }
        for member in room.members {
            let name = [member.nick, member.address].compactMap(\.self).map { Plain.line($0) }.joined(separator: "  ")
            try await context.output.line("\(member.isOnline ? "*" : " ") \(name)  \(member.affiliation)")
        }
    }

    private static let invite = CommandSpec(
        path: ["rooms", "invite"], summary: "ask somebody to come into a room",
        arguments: [roomAddress, ArgumentSpec(name: "JID", summary: "who")],
        options: [CommandSpec.account, .value("text", "TEXT", "words for them")]
    ) { context in
        _ = try await context.client.connect(ConnectRequest(account: context.account))
        let request = InviteRequest(
            account: context.account, room: context.argument(0), addresses: [context.argument(1)],
            text: context.line.options["text"])
        try await context.client.invite(request)
        if context.output.isJSON {
            return try await context.output.json("invited", Invited(room: request.room, address: context.argument(1)))
        }
        try await context.output.note("invited \(Plain.line(context.argument(1)))")
    }

    private static let findRooms = CommandSpec(
        path: ["rooms", "find"], summary: "list the public rooms of a place",
        options: [CommandSpec.account, .value("service", "ADDRESS", "the place; else the one of your own server")]
    ) { context in
        _ = try await context.client.connect(ConnectRequest(account: context.account))
        let found = try await context.client.findRooms(
            FindRoomsRequest(account: context.account, service: context.line.options["service"]))
        if context.output.isJSON { return try await context.output.json("found-rooms", Found(rooms: found)) }
        for room in found {
            let name = room.name.map { Plain.line($0) + "  " } ?? ""
            try await context.output.line(name + Plain.line(room.room))
        }
        if found.isEmpty { try await context.output.note("no public rooms") }
    }

    /// Where the user stands with a room, where that needs a word.
    private static func state(of row: ConversationSummary) -> String {
        guard let room = row.room else { return "" }
        let why = [room.reason, room.text].compactMap(\.self).map { Plain.line($0) }.joined(separator: ": ")
        switch room.state {
        case .joined: return ""
        case .outside: return room.isWanted ? "  not connected" : "  left"
        case .joining: return "  joining"
        case .interrupted: return "  waiting" + (why.isEmpty ? "" : ", " + why)
        case .out: return "  out" + (why.isEmpty ? "" : ", " + why)
        }
    }

    private static func tell(_ verb: String, _ room: ConversationSummary, _ context: Context) async throws {
        if context.output.isJSON { return try await context.output.json("conversation", room) }
        try await context.output.note("\(verb) \(Plain.line(room.conversation))")
    }

    private struct Rooms: Encodable {
        let rooms: [ConversationSummary]
    }

    private struct Found: Encodable {
        let rooms: [RoomListing]
    }

    private struct Left: Encodable {
        let room: String
    }

    private struct Invited: Encodable {
        let room: String
        let address: String
    }
}
