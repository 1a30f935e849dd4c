// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import ApusTransport
import Foundation
import Testing
import XMPP

@testable import ChatKit

@Suite("ChatCore+Files", .timeLimit(.minutes(1)))
struct ChatCoreFilesTests {
    /// A thousand bytes that begin as a picture of four by three pixels does.
    static let jpeg: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 3, 0, 4, 1, 0, 0, 0] + [UInt8](repeating: 1, count: 985)

    private func file(_ fixture: CoreFixture, _ name: String = "tea", _ bytes: [UInt8] = jpeg) throws -> String {
        let path = fixture.folder.file(name)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Nobody prepares pictures here.
    private let original: FileOptions = {
        var options = FileOptions()
        options.keepsOriginal = true
        return options
    }()

    private func until(_ fixture: CoreFixture, _ id: ChatMessage.ID, _ condition: (ChatMessage) -> Bool) async throws
        -> ChatMessage
    {
        for try await changes in fixture.core.messageUpdates(id) {
            if let message = changes.rows.first, condition(message) { return message }
        }
        throw ChatError(.closed, "closed")
    }

    private func sent(_ link: FakeLink, count: Int) async { while link.messages.count < count { await Task.yield() } }

    @Test("T148 a file goes up, and only then its message goes out, with all that is known of it")
    func upload() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let gate = Door()
        link.script {
            $0.uploader = { file, progress in
                progress(TransferProgress(completed: 500, total: 1000))
                await gate.wait()
                return "https://files.example.org/x/tea.jpg"
            }
        }
        let path = try file(fixture)
        var options = original
        options.text = "my cup"
        options.idempotencyKey = "k"
        let receipt = try await fixture.core.sendFile(
            path, to: try JID("bo@example.net"), account: ann, options: options)
        try FileManager.default.removeItem(atPath: path)
        let queued = receipt.message
        #expect(queued.body == "my cup" && queued.files.map(\.name) == ["tea.jpg"])
        #expect(queued.files.first?.mediaType == "image/jpeg" && queued.files.first?.byteCount == 1000)
        let going = try await until(fixture, queued.id) { $0.files.first?.state == .uploading }
        #expect(going.state == .queued && link.messages.isEmpty)
        await gate.open()
        await sent(link, count: 1)
        let message = try #require(link.messages.first)
        let shared = try #require(message.sharedFiles.first)
        #expect(message.body == "my cup\nhttps://files.example.org/x/tea.jpg")
        #expect(message.textBesideFiles(message.body ?? "") == "my cup")
        #expect(shared.urls == ["https://files.example.org/x/tea.jpg"] && shared.metadata.byteCount == 1000)
        #expect(shared.metadata.hashes == [.sha256(of: Self.jpeg)] && shared.metadata.mediaType == "image/jpeg")
        #expect(message.links.map(\.url) == shared.urls && message.id == queued.originID && message.bodyType == nil)
        let upload = try #require(link.recorded.uploads.first)
        #expect(upload.name == "tea.jpg" && upload.mediaType == "image/jpeg")
        let after = try await until(fixture, queued.id) { $0.files.first?.state == .sent }
        #expect(after.files.first?.url == shared.urls.first)
        // Named again, it is the same message.
        let again = try await fixture.core.sendFile(
            try file(fixture, "other"), to: try JID("bo@example.net"), account: ann, options: options)
        #expect(again.isRepeated && again.message.id == queued.id && link.recorded.uploads.count == 1)
        #expect(fixture.core.media.names().count == 1)
    }

    @Test("a file without a word goes as most programs expect it, and as tutorial programs do when the account says so")
    func forms() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let bo = try JID("bo@example.net")
        try await fixture.core.sendFile(try file(fixture), to: bo, account: ann, options: original)
        await sent(link, count: 1)
        #expect(link.messages[0].attachmentURL != nil && link.messages[0].tutorialPictureURL == nil)
        var settings = AccountSettings()
        settings.sendsBodyType = true
        settings.mediaServer = "http://192.0.2.9/files"
        settings.prefersMediaServer = true
        try await fixture.core.setSettings(settings, of: ann)
        var options = original
        options.text = "words"
        try await fixture.core.sendFile(try file(fixture), to: bo, account: ann, options: options)
        await sent(link, count: 2)
        #expect(link.messages[1].tutorialPictureURL != nil && link.messages[1].sharedFiles.count == 1)
        let upload = try #require(link.recorded.uploads.last)
        #expect(upload.prefersMediaServer && upload.mediaServer?.baseURL == "http://192.0.2.9/files")
        #expect(upload.access.trustedHosts == ["192.0.2.9"] && upload.access.permitsUnencrypted)
        // What is no picture is not marked as one.
        try await fixture.core.sendFile(try file(fixture, "n", Array("text".utf8)), to: bo, account: ann)
        await sent(link, count: 3)
        #expect(link.messages[2].bodyType == nil && link.messages[2].sharedFiles.first?.disposition == .attachment)
    }

    @Test("T148 C1 a file whose upload a crash ended goes up again, and its message goes out once")
    func crash() async throws {
        let folder = try TemporaryFolder()
        let ann = try JID("ann@example.org")
        let id: ChatMessage.ID
        do {
            let fixture = try await CoreFixture.make(folder: folder) { link in
                link.script { $0.uploader = { _, _ in try await neverEnding() } }
            }
            try await fixture.core.addAccount(ann, password: "x")
            id = try await fixture.core.sendFile(
                try file(fixture), to: try JID("bo@example.net"), account: ann, options: original
            ).message.id
            _ = try await until(fixture, id) { $0.files.first?.state == .uploading }
            // As after a kill: the row says that the upload is under way, and nothing was put in the outbox.
            #expect(fixture.link.messages.isEmpty)
            await fixture.core.close()
        }
        let store = try await ChatStore(.file(folder.file("chat.db")))
        try await store.write { try $0.connection.run("UPDATE file SET state = 1") }
        await store.close()
        let fixture = try await CoreFixture.make(folder: folder) { link in
            link.script { $0.uploader = nil }
        }
        try await fixture.core.setPassword("x", of: ann)
        let link = fixture.link
        await sent(link, count: 1)
        let done = try await until(fixture, id) { $0.files.first?.state == .sent }
        #expect(done.originID == link.messages.first?.id && link.messages.count == 1)
        #expect(link.recorded.uploads.count == 1)
    }

    @Test("C12 a file whose address could not be written down goes up again when the disk is well, its message once")
    func brokenDisk() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let store = fixture.core.store
        link.script {
            $0.uploader = { _, _ in
                // From now on nothing can be said of a file.
                try await store.write { transaction in
                    try transaction.connection.execute(
                        """
                        CREATE TRIGGER IF NOT EXISTS broken BEFORE UPDATE ON file
                        BEGIN SELECT RAISE(ABORT, 'broken'); END
                        """)
                }
                return "https://files.example.org/x/tea.jpg"
            }
        }
        let id = try await fixture.core.sendFile(
            try file(fixture), to: try JID("bo@example.net"), account: ann, options: original
        ).message.id
        let runner = try fixture.core.runner(ann)
        while await !runner.hasFileTrouble { await Task.yield() }
        #expect(link.messages.isEmpty)
        link.script { $0.uploader = nil }
        try await store.write { try $0.connection.execute("DROP TRIGGER broken") }
        await sent(link, count: 1)
        _ = try await until(fixture, id) { $0.files.first?.state == .sent }
        #expect(link.recorded.uploads.count == 2 && link.messages.count == 1)
    }

    @Test("a failure that may pass is followed by another attempt, one that stays is told, and can be tried again")
    func failures() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        link.script { $0.uploader = { _, _ in throw XMPPError(.transferFailed, "broke", isRetryable: true) } }
        let bo = try JID("bo@example.net")
        let first = try await fixture.core.sendFile(try file(fixture), to: bo, account: ann, options: original)
            .message.id
        while link.recorded.uploads.isEmpty { await Task.yield() }
        let waiting = try await until(fixture, first) { $0.files.first?.state == .waiting }
        #expect(waiting.state == .queued)
        #expect(try await fixture.core.waitingMessages().map(\.id) == [first])
        link.script { $0.uploader = { _, _ in throw XMPPError(.fileTooLarge, "too large") } }
        let second = try await fixture.core.sendFile(try file(fixture), to: bo, account: ann, options: original)
            .message.id
        let failed = try await until(fixture, second) {
            if case .failed = $0.state { true } else { false }
        }
        guard case .failed(let reason)? = failed.files.first?.state else {
            Issue.record("\(failed.files)")
            return
        }
        #expect(reason.reason == .fileTooLarge && reason.text == "too large")
        #expect(try await fixture.core.waitingMessages().map(\.id) == [first, second])
        link.script { $0.uploader = nil }
        try await fixture.core.retry(second)
        await sent(link, count: 1)
        #expect(link.messages.first?.id == failed.originID)
        await #expect(throws: ChatError.self) { try await fixture.core.retry(second) }
    }

    @Test("a cancelled upload ends, its message fails, and is sent after all when it is wanted")
    func cancel() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let ended = Door()
        link.script {
            $0.uploader = { _, _ in
                defer { Task { await ended.open() } }
                return try await neverEnding()
            }
        }
        let id = try await fixture.core.sendFile(
            try file(fixture), to: try JID("bo@example.net"), account: ann, options: original
        ).message.id
        _ = try await until(fixture, id) { $0.files.first?.state == .uploading }
        while link.recorded.uploads.isEmpty { await Task.yield() }
        try await fixture.core.cancelFile(id)
        await ended.wait()
        let message = try await fixture.core.message(id)
        #expect(message.files.first?.state == .cancelled && link.messages.isEmpty)
        #expect(message.state == .failed(MessageFailure(.discarded)))
        await #expect(throws: ChatError.self) { try await fixture.core.cancelFile(id) }
        link.script { $0.uploader = nil }
        try await fixture.core.retry(id)
        await sent(link, count: 1)
    }

    @Test("a file that could not be sent is dropped when the user says so, and no longer listed as waiting")
    func dropFailed() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        link.script { $0.uploader = { _, _ in throw XMPPError(.httpRefused, "not here") } }
        let id = try await fixture.core.sendFile(
            try file(fixture), to: try JID("bo@example.net"), account: ann, options: original
        ).message.id
        _ = try await until(fixture, id) { if case .failed = $0.state { true } else { false } }
        try await fixture.core.cancelFile(id)
        let message = try await fixture.core.message(id)
        #expect(message.files.first?.state == .cancelled && message.state == .failed(MessageFailure(.discarded)))
        #expect(try await fixture.core.waitingMessages().isEmpty)
        await #expect(throws: ChatError.self) { try await fixture.core.cancelFile(id) }
    }

    @Test("a file that waited for a day goes out only when the user says so")
    func age() async throws {
        let fixture = try await CoreFixture.make { link in
            link.script { $0.connectError = XMPPError(.connectionFailed, "away") }
        }
        let ann = try JID("ann@example.org")
        let store = fixture.core.store
        let row = try await store.write { try $0.addAccount(jid: "ann@example.org", settings: AccountSettings()) }
        let runner = await fixture.core.makeRunner(row, ann)
        fixture.core.runners.add(runner)
        let id = try await fixture.core.sendFile(
            try file(fixture), to: try JID("bo@example.net"), account: ann, options: original
        ).message.id
        fixture.time.advance(AccountSessionStore.maximumAge + 1)
        let file = try #require(try await store.read { try Queries.file($0, message: id.rawValue, index: 0) })
        try await store.write { try $0.hold(file) }
        #expect(try await fixture.core.message(id).state == .needsConfirmation)
        let next = try await store.read {
            try Queries.nextFile($0, account: row, states: 0...1, due: fixture.time.now)
        }
        #expect(next == nil)
        try await fixture.core.retry(id)
        #expect(try await fixture.core.message(id).state == .queued)
    }

    @Test("T183 a message that is taken back while its file goes up is not sent, and the file is removed")
    func retracted() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let gate = Door()
        link.script {
            $0.uploader = { _, _ in
                await gate.wait()
                return "https://files.example.org/x"
            }
        }
        let id = try await fixture.core.sendFile(
            try file(fixture), to: try JID("bo@example.net"), account: ann, options: original
        ).message.id
        _ = try await until(fixture, id) { $0.files.first?.state == .uploading }
        try await fixture.core.retract(id)
        await gate.open()
        while !fixture.core.media.names().isEmpty { await Task.yield() }
        #expect(link.messages.allSatisfy { $0.sharedFiles.isEmpty })
        #expect(try await fixture.core.message(id).files.isEmpty)
    }

    @Test("the files of a conversation are listed with those of the newest messages first, by kind and page")
    func gallery() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let bo = try JID("bo@example.net")
        var ids: [ChatMessage.ID] = []
        for number in 0..<5 {
            let bytes = number == 2 ? Array("text".utf8) : Self.jpeg
            ids.append(
                try await fixture.core.sendFile(
                    try file(fixture, "f\(number)", bytes), to: bo, account: ann, options: original
                ).message.id
            )
        }
        await sent(link, count: 5)
        let conversation = try await fixture.core.conversation(with: bo, account: ann)
        let all = try await fixture.core.files(in: conversation.id)
        #expect(all.map(\.message) == ids.reversed())
        let pictures = try await fixture.core.files(in: conversation.id, kinds: [.picture], limit: 2)
        #expect(pictures.map(\.message) == [ids[4], ids[3]])
        let rest = try await fixture.core.files(in: conversation.id, kinds: [.picture], before: pictures.last?.id)
        #expect(rest.map(\.message) == [ids[1], ids[0]])
        #expect(try await fixture.core.files(in: conversation.id, kinds: [.other]).map(\.name) == ["f2.txt"])
        #expect(try await fixture.core.conversations().first?.lastMessage?.files.count == 1)
    }
}

/// Waits for the end of its task.
func neverEnding() async throws -> String {
    let (stream, end) = AsyncStream.makeStream(of: Void.self)
    for await _ in stream {}
    end.finish()
    throw CancellationError()
}

/// Lets whoever waits through once it is open.
private actor Door {
    private var isOpen = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    func open() {
        isOpen = true
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    func wait() async {
        if isOpen { return }
        await withCheckedContinuation { waiters.append($0) }
    }
}
