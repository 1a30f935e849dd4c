// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import ChatService
import ChatTesting
import Foundation
import Glibc
import Testing

/// The calls that `SocketServerTests` does not make.
@Suite struct SocketServerCallsTests {
    static let count = 38

    private let directory: TemporaryDirectory
    private let core = FakeChatClient()
    private let server: SocketServer
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/run/p.sock"
        server = SocketServer(
            client: core, identity: .init(program: "apus 9", role: "serve", directory: "/profile"),
            location: SocketLocation(directory: directory.path + "/run", path: path), user: getuid())
        try server.start()
        core.set { $0.history = [FakeChatClient.incoming(4)] }
    }

    @Test func `every call about messages and conversations arrives, and its reply comes back`() async throws {
        let client = try await SocketChatClient.connect(path: path, program: "test", user: getuid())
        let name = ConversationID(conversation: "c@d")
        #expect(try await client.page(.init(conversation: name, limit: 9, around: "4")).messages.count == 1)
        #expect(try await client.details(message: "4").message.id == "4")
        #expect(try await client.react(.init(message: "4", emojis: ["x"])).id == "4")
        #expect(try await client.correct(.init(message: "4", body: "new")).body == "new")
        #expect(try await client.retract(message: "4").id == "4")
        try await client.setDraft(.init(conversation: name, text: "begun"))
        let until = Timestamp(milliseconds: 1_800_000_000_000)
        let muted = try await client.configure(
            .init(conversation: name, isPinned: true, level: .mentions, mute: .until(until)))
        #expect(muted.level == .mentions && muted.isPinned && muted.mutedUntil == until)
        #expect(
            core.calls == [
                "page c@d 4 9", "details 4", "react 4 x", "correct 4 new", "retract 4", "setDraft c@d begun",
                "configure c@d mentions",
            ])
        core.set { $0.calls = [] }
        #expect(try await client.search(.init(text: "x")).isEmpty)
        #expect(try await client.blocked(account: nil).isEmpty)
        #expect(try await client.block(.init(address: "a@b", report: .init(reason: .spam))).isReported)
        try await client.unblock(.init(address: "a@b"))
        #expect(try await client.profile(.init(address: "c@d")).address == "c@d")
        #expect(try await client.changeProfile(.init(fullName: "N")).fullName == "N")
        #expect(try await client.picture(hash: "00") == nil)
        try await client.setPicture(.init(data: Data([1, 2])))
        try await client.backUp(path: "/x")
        #expect(try await client.export(.init(format: .json, path: "/y")).files == ["/y"])
        #expect(try await client.importConversation(.init(path: "/z")).messages == 0)
        #expect(
            core.calls == [
                "search x", "blocked ", "block a@b spam", "unblock a@b", "profile c@d", "changeProfile N", "picture 00",
                "setPicture 2", "backUp /x", "export /y", "importConversation /z",
            ])
        core.set { $0.calls = [] }
        #expect(try await client.createRoom(.init(kind: .group, name: "Tea")).kind == .room)
        #expect(try await client.joinRoom(.init(room: "r@x")).conversation == "r@x")
        try await client.leaveRoom(.init(room: "r@x"))
        #expect(try await client.room(.init(room: "r@x")).room == "r@x")
        try await client.invite(.init(room: "r@x", addresses: ["c@d"]))
        #expect(try await client.findRooms(.init(service: "s")).map(\.name) == ["Tea"])
        try await client.changeRoom(.init(room: "r@x", topic: "T"))
        try await client.changeMember(.init(room: "r@x", nick: "n", change: .kick))
        try await client.moderate(.init(message: "7"))
        try await client.destroyRoom(.init(room: "r@x"))
        #expect(
            core.calls == [
                "createRoom Tea", "joinRoom r@x", "leaveRoom r@x", "room r@x", "invite r@x c@d", "findRooms s",
                "changeRoom r@x T", "changeMember r@x n kick", "moderate 7", "destroyRoom r@x",
            ])
        #expect(core.calls.count + 18 + 10 == Self.count)
        core.set { $0.calls = [] }
        #expect(try await client.setEnabled(.init(address: "a@b", isEnabled: false)).isEnabled == false)
        #expect(try await client.changeContact(.init(address: "c@d", name: "C", groups: ["g"])).name == "C")
        #expect(try await client.createInvitation(.init(kind: .account)).isGranted)
        #expect(core.calls == ["setEnabled a@b false", "changeContact c@d C g", "createInvitation account"])
        core.set { $0.calls = [] }
        #expect(try await client.sendFile(.init(conversation: "c@d", path: "/f", key: "k")).message.files?.count == 1)
        try await client.cancelFile(message: "7")
        try await client.retryFile(message: "7")
        #expect(try await client.fetchFile(.init(message: "7", isLocalOnly: true)) == nil)
        #expect(try await client.files(.init(conversation: name)).isEmpty)
        #expect(try await client.media(.init(settings: .init(hosts: ["h"]))).hosts == ["h"])
        #expect(
            core.calls == [
                "sendFile /f", "send c@d ", "cancelFile 7", "retryFile 7", "fetchFile 7 0 local", "files c@d", "media ",
            ])
        #expect(try await client.notifications(.init(settings: .init(keywords: ["tea"]))).keywords == ["tea"])
        #expect(try await client.notifications(.init()).keywords == ["tea"])
        client.close()
    }
}
