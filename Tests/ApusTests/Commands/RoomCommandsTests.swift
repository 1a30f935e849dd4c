// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import ChatTesting
import Testing

@testable import apus

/// What `apus rooms` asks of the core, and what it prints.
@Suite struct RoomCommandsTests {
    private let runner = CommandRunner()
    private var core: FakeChatClient { runner.core }

    private func asked(_ words: String...) -> Bool { core.calls.contains(words.joined(separator: " ")) }

    @Test func `rooms are listed with why one is not in them`() async throws {
        let rooms: [(String, RoomStatus?)] = [
            ("tea@rooms", RoomStatus(state: .joined)),
            ("cups@rooms", RoomStatus(state: .out, reason: "banned", text: "noise")),
            ("away@rooms", RoomStatus(state: .outside, isWanted: false)),
        ]
        core.set { state in
            state.conversations = rooms.map { room in
                ConversationSummary(account: "ana@example.org", conversation: room.0, kind: .room, room: room.1)
            }
        }
        #expect(
            try await runner.run("rooms", "--offline")
                == "tea@rooms\ncups@rooms  out, banned: noise\naway@rooms  left\n")
    }

    @Test func `a group is made, or a channel, and people are invited`() async throws {
        try await runner.run("rooms", "create", "Tea", "--invite", "bo@example.net")
        try await runner.run("rooms", "invite", "tea@rooms", "eve@example.net", "--text", "come")
        #expect(asked("createRoom", "Tea") && asked("invite", "tea@rooms", "eve@example.net"))
        #expect(
            try await runner.run("rooms", "join", "tea@rooms", "--json").contains(#""schema":"apus.conversation/1""#))
    }

    @Test func `members are put out, let in and raised`() async throws {
        try await runner.run("rooms", "kick", "tea@rooms", "eve")
        try await runner.run("rooms", "ban", "tea@rooms", "eve@example.net", "--reason", "noise")
        try await runner.run("rooms", "unban", "tea@rooms", "eve@example.net")
        try await runner.run("rooms", "member", "tea@rooms", "bo@example.net", "--as", "admin")
        #expect(
            core.calls.filter { $0.hasPrefix("changeMember") } == [
                "changeMember tea@rooms eve kick", "changeMember tea@rooms eve@example.net ban",
                "changeMember tea@rooms eve@example.net none", "changeMember tea@rooms bo@example.net admin",
            ])
        await #expect(throws: ChatAPIError.self) {
            try await runner.run("rooms", "member", "tea@rooms", "bo@example.net", "--as", "king")
        }
    }

    @Test func `a change says what is changed`() async throws {
        try await runner.run("rooms", "change", "tea@rooms", "--topic", "Cups")
        #expect(asked("changeRoom", "tea@rooms", "Cups"))
        await #expect(throws: ChatAPIError.self) { try await runner.run("rooms", "change", "tea@rooms") }
    }

    @Test func `the rest asks the core, and each JSON object has its schema`() async throws {
        for (words, schema) in [
            (["rooms", "find"], "found-rooms"), (["rooms", "leave", "r@x"], "left"),
            (["rooms", "show", "r@x"], "room"), (["rooms", "invite", "r@x", "a@b"], "invited"),
            (["rooms", "change", "r@x", "--name", "N"], "changed-room"),
            (["rooms", "kick", "r@x", "n"], "changed-member"), (["rooms", "moderate", "7"], "moderated"),
            (["rooms", "destroy", "r@x"], "destroyed-room"), (["rooms", "--offline"], "rooms"),
        ] {
            let own = CommandRunner()
            let printed =
                switch words.count {
                case 2: try await own.run(words[0], words[1], "--json")
                case 3: try await own.run(words[0], words[1], words[2], "--json")
                case 4: try await own.run(words[0], words[1], words[2], words[3], "--json")
                default: try await own.run(words[0], words[1], words[2], words[3], words[4], "--json")
                }
            #expect(printed.contains(#""schema":"apus.\#(schema)/1""#), "\(words)")
        }
    }
}
