// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import ChatTesting
import Foundation
import Testing

@testable import apus

@Suite("Commands+Files")
struct FilesCommandsTests {
    private let runner = CommandRunner()
    private var core: FakeChatClient { runner.core }

    @Test("upload sends the file by its whole path and says how far its message has come")
    func upload() async throws {
        core.state.withLock { $0.waitedState = .acknowledged }
        try await runner.run("upload", "/tmp/tea.jpg", "bo@example.org", "--caption", "my cup", "--json")
        #expect(core.calls.contains("sendFile /tmp/tea.jpg") && core.calls.contains("send bo@example.org my cup"))
        #expect(runner.printed.withLock { $0 }.contains(#""schema":"apus.sent/1""#))
        try await runner.run("upload", "tea.jpg", "bo@example.org", "--wait", "queued", "-q")
        let relative = try #require(core.calls.last { $0.hasPrefix("sendFile") })
        #expect(relative.hasPrefix("sendFile /") && relative.hasSuffix("/tea.jpg"))
        await #expect(throws: CommandError.self) {
            try await runner.run("upload", "a", "bo@example.org", "--wait", "x")
        }
    }

    @Test("search shows the files that it finds, and an address without its device")
    func search() async throws {
        var item = FakeChatClient.incoming(1, "")
        item.files = [FileItem(id: "1", message: "1", index: 0, name: "cup.jpg", kind: .picture, state: .here)]
        let hit = SearchHit(message: item, excerpt: [])
        core.set { $0.hits = [hit] }
        #expect(
            try await runner.run("search", "--file").hasSuffix("bo@example.org bo@example.org: [picture cup.jpg]\n"))
    }

    @Test("T182 fetch copies to a place where nothing is, and nowhere else")
    func fetch() async throws {
        #expect(try await runner.run("fetch", "7", "--index", "1") == "/dev/null\n")
        #expect(core.calls.last == "fetchFile 7 1")
        let folder = try TemporaryDirectory()
        let place = folder.path + "/copy"
        try await runner.run("fetch", "7", "-o", place, "-q")
        #expect(FileManager.default.fileExists(atPath: place))
        await #expect(throws: ChatAPIError.self) { try await runner.run("fetch", "7", "-o", place) }
        try FileManager.default.createSymbolicLink(atPath: place + "2", withDestinationPath: folder.path + "/elsewhere")
        await #expect(throws: ChatAPIError.self) { try await runner.run("fetch", "7", "-o", place + "2") }
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/elsewhere"))
    }

    @Test("files lists what there is, of kinds that exist")
    func files() async throws {
        #expect(try await runner.run("files", "bo@example.org", "--kind", "picture") == "no files\n")
        await #expect(throws: CommandError.self) { try await runner.run("files", "bo@example.org", "--kind", "cat") }
    }

    @Test("account media changes only what is named")
    func media() async throws {
        let printed = try await runner.run("account", "media", "ana@example.org")
        #expect(printed.hasPrefix("media server: none\nprivate hosts: none\n"))
        #expect(core.calls.filter { $0.hasPrefix("media") }.count == 1)
        let json = try await runner.run(
            "account", "media", "ana@example.org", "--host", "10.0.0.2", "--body-type", "--fetch-up-to", "0", "--json")
        #expect(
            json.contains(#""body_type":true"#) && json.contains(#""fetches_up_to":0"#) && json.contains("10.0.0.2"))
        #expect(core.calls.filter { $0.hasPrefix("media") }.count == 3)
    }

    @Test("T167 a message with files shows what they are, and control characters of their names as nothing")
    func lines() {
        let text = MessageText(style: Style(environment: [:], isTerminal: false))
        var file = FileItem(
            id: "1", message: "7", index: 0, name: "tea\u{1B}[31m.jpg", type: "image/jpeg", kind: .picture,
            size: 123_456,
            host: "files.example.org", state: .remote)
        #expect(text.file(file).contains("123 kB, from files.example.org]") && !text.file(file).contains("\u{1B}"))
        file.state = .here
        file.size = 3_400_000
        #expect(text.file(file).hasSuffix("3.4 MB]"))
    }
}
