// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import Testing
import XMPP

@testable import ChatKit

@Suite("ChatCore+FileCare")
struct ChatCoreFileCareTests {
    /// A message with a file of so many bytes here, and a small picture of so many.
    private func file(
        _ fixture: StoreFixture, _ name: String, state: Int64, size: Int64, thumbnail: Int64, used: Int64
    ) async throws {
        let account = fixture.account
        try await fixture.store.write { transaction in
            let conversation = try transaction.makeConversation(account: account, peer: "bo@example.net")
            let message = NewMessage(
                direction: .incoming, state: MessageState.Stored.received, sender: "bo@example.net", kind: "chat",
                body: "", sent: transaction.now)
            let row = try #require(try transaction.insert(message, account: account, conversation: conversation))
            var file = NewFile(state: state, description: FileDescription(url: "https://files.example.net/\(name)"))
            file.local = (name, size)
            if thumbnail > 0 { file.thumbnail = ("\(name)-small", thumbnail) }
            let id = try transaction.insert(file, message: row, in: conversation)
            try transaction.connection.run("UPDATE file SET used = ? WHERE id = ?", used, id)
        }
    }

    private func evict(_ fixture: StoreFixture, _ quota: Int64) async throws -> (files: [String], rubbish: [String]) {
        try await fixture.store.write { transaction in
            try transaction.evictFiles(quota: quota)
            let files: [String] = try transaction.connection.rows(
                "SELECT coalesce(local, '') || '/' || coalesce(thumbnail, '') FROM file ORDER BY used"
            ) { $0.column(0) }
            let rubbish: [String] = try transaction.connection.rows("SELECT name FROM file_rubbish ORDER BY name") {
                $0.column(0)
            }
            return (files, rubbish)
        }
    }

    @Test(
        "T151 over the quota copies go first, the oldest first, then small pictures; what waits to be sent never goes")
    func order() async throws {
        let fixture = try await StoreFixture.make()
        try await file(fixture, "a", state: FileState.waiting, size: 100, thumbnail: 0, used: 1)
        try await file(fixture, "b", state: FileState.here, size: 100, thumbnail: 10, used: 2)
        try await file(fixture, "c", state: FileState.sent, size: 100, thumbnail: 10, used: 3)
        try await file(fixture, "d", state: FileState.here, size: 100, thumbnail: 10, used: 4)
        #expect(try await evict(fixture, 430).files == ["a/", "b/b-small", "c/c-small", "d/d-small"])
        let first = try await evict(fixture, 400)
        #expect(first.files == ["a/", "/b-small", "/c-small", "d/d-small"] && first.rubbish == ["b", "c"])
        let last = try await evict(fixture, 100)
        #expect(last.files == ["a/", "/", "/", "/"])
        #expect(last.rubbish == ["b", "b-small", "c", "c-small", "d", "d-small"])
    }
}
