// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension Commands {
    static let roomChanges = [
        changeRoom, picture, kick,
        member("ban", .ban, "put somebody out of a room for good"),
        member("unban", .none, "let somebody come into a room again, or end a membership"),
        memberAs, moderate, destroyRoom,
    ]

    private static let who = ArgumentSpec(name: "JID", summary: "whose address")

    private static let changeRoom = CommandSpec(
        path: ["rooms", "change"], summary: "change a room's topic, name or description, or your nickname there",
        arguments: [roomAddress],
        options: [
            CommandSpec.account, .value("topic", "TEXT", "what is talked about; empty takes it away"),
            .value("name", "NAME", "the room's name"), .value("description", "TEXT", "what the room is for"),
            .value("nick", "NAME", "your nickname there"),
        ]
    ) { context in
        let options = context.line.options
        let request = RoomChangeRequest(
            account: context.account, room: context.argument(0), topic: options["topic"], name: options["name"],
            description: options["description"], nick: options["nick"])
        guard request.topic != nil || request.name != nil || request.description != nil || request.nick != nil else {
            throw ChatAPIError(
                .invalidArgument, "nothing to change", hint: "give --topic, --name, --description or --nick")
        }
        _ = try await context.client.connect(ConnectRequest(account: context.account))
        try await context.client.changeRoom(request)
        try await told("changed-room", RoomDone(room: request.room), "changed \(Plain.line(request.room))", context)
    }

    private static let picture = CommandSpec(
        path: ["rooms", "picture"], summary: "show or change a room's picture",
        arguments: [
            roomAddress,
            ArgumentSpec(
                name: "FILE", isRequired: false, summary: "the new one (PNG, JPEG, GIF or WebP, at most 128 KiB)"),
        ],
        options: [
            CommandSpec.account, .flag("remove", "take the picture away"),
            .value("save", "FILE", "write the picture there; a file that is there is not replaced"),
        ], discussion: "Owners of a room change its picture. Everybody in it is told, and sees the new one."
    ) { context in
        let line = context.line
        let file = line.arguments.count > 1 ? line.arguments[1] : nil
        guard file == nil || !line.has("remove") else {
            throw CommandError.usage("--remove and a new picture do not go together", help: "apus rooms picture --help")
        }
        _ = try await context.client.connect(ConnectRequest(account: context.account))
        if file != nil || line.has("remove") {
            let picture = file == nil ? nil : try await FilePlace.data(of: file ?? "")
            try await context.client.setPicture(
                PictureRequest(account: context.account, room: context.argument(0), data: picture))
        }
        let room = try await context.client.room(RoomRequest(account: context.account, room: context.argument(0)))
        let row = try await context.client.conversations().first {
            $0.account == room.account && $0.conversation == room.room
        }
        if let place = line.options["save"] {
            guard let hash = row?.picture, let picture = try await context.client.picture(hash: hash) else {
                throw ChatAPIError(
                    .notFound, "no picture of \(room.room) is known", hint: "it is told when you come into the room")
            }
            try await FilePlace.write(Array(picture.data), to: FilePlace.absolute(place))
        }
        let value = RoomPicture(account: room.account, room: room.room, picture: row?.picture)
        try await told("room-picture", value, row?.picture ?? "no picture", context)
    }

    private static let kick = CommandSpec(
        path: ["rooms", "kick"], summary: "put somebody out of a room, who may come back",
        arguments: [roomAddress, ArgumentSpec(name: "NICK", summary: "the nickname there")],
        options: [CommandSpec.account, .value("reason", "TEXT", "words for everybody there")]
    ) { context in
        let request = MemberChangeRequest(
            account: context.account, room: context.argument(0), nick: context.argument(1), change: .kick,
            reason: context.line.options["reason"])
        try await change(request, context)
    }

    private static func member(
        _ verb: String, _ change: MemberChangeRequest.Change, _ summary: String
    ) -> CommandSpec {
        CommandSpec(
            path: ["rooms", verb], summary: summary, arguments: [roomAddress, who],
            options: [CommandSpec.account, .value("reason", "TEXT", "words for everybody there")]
        ) { context in
            let request = MemberChangeRequest(
                account: context.account, room: context.argument(0), address: context.argument(1), change: change,
                reason: context.line.options["reason"])
            try await Self.change(request, context)
        }
    }

    private static let memberAs = CommandSpec(
        path: ["rooms", "member"], summary: "make somebody a member, admin or owner of a room",
        arguments: [roomAddress, who],
        options: [CommandSpec.account, .value("as", "WHAT", "member, admin or owner; else member")]
    ) { context in
        let text = context.line.options["as"] ?? "member"
        guard ["member", "admin", "owner"].contains(text), let change = MemberChangeRequest.Change(rawValue: text)
        else {
            throw ChatAPIError(.invalidArgument, "--as is member, admin or owner")
        }
        let request = MemberChangeRequest(
            account: context.account, room: context.argument(0), address: context.argument(1), change: change)
        try await Self.change(request, context)
    }

    private static let moderate = CommandSpec(
        path: ["rooms", "moderate"], summary: "take a message of somebody out of its room",
        arguments: [ArgumentSpec(name: "ID", summary: "the message, as history --json names it")],
        options: [CommandSpec.account, .value("reason", "TEXT", "words for everybody there")]
    ) { context in
        _ = try await context.client.connect(ConnectRequest(account: context.account))
        let id = context.argument(0)
        try await context.client.moderate(ModerateRequest(message: id, reason: context.line.options["reason"]))
        try await told("moderated", Moderated(id: id), "asked the room to take the message out", context)
    }

    private static let destroyRoom = CommandSpec(
        path: ["rooms", "destroy"], summary: "end a room for everybody", arguments: [roomAddress],
        options: [CommandSpec.account]
    ) { context in
        _ = try await context.client.connect(ConnectRequest(account: context.account))
        let room = context.argument(0)
        try await context.client.destroyRoom(RoomRequest(account: context.account, room: room))
        try await told("destroyed-room", RoomDone(room: room), "ended \(Plain.line(room))", context)
    }

    private static func change(_ request: MemberChangeRequest, _ context: Context) async throws {
        _ = try await context.client.connect(ConnectRequest(account: context.account))
        try await context.client.changeMember(request)
        let name = request.nick ?? request.address ?? ""
        try await told(
            "changed-member", MemberDone(room: request.room, who: name, change: request.change.rawValue),
            "\(Plain.line(name)): \(request.change.rawValue)", context)
    }

    private static func told(
        _ schema: String, _ value: some Encodable & Sendable, _ words: String, _ context: Context
    ) async throws {
        if context.output.isJSON { return try await context.output.json(schema, value) }
        try await context.output.note(words)
    }

    private struct RoomDone: Encodable {
        let room: String
    }

    private struct RoomPicture: Encodable {
        let account: String
        let room: String
        let picture: String?
    }

    private struct MemberDone: Encodable {
        let room: String
        let who: String
        let change: String
    }

    private struct Moderated: Encodable {
        let id: String
    }
}
