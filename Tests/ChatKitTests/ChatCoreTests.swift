// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import Foundation
import Testing
import XMPP

@testable import ChatKit

@Suite("ChatCore", .timeLimit(.minutes(1)))
struct ChatCoreTests {
    @Test("T179 a second opener of a profile is refused with the holder's process number")
    func secondOpener() async throws {
        let fixture = try await CoreFixture.make()
        let error = await #expect(throws: ChatError.self) { try await ChatCore.open(directory: fixture.folder.path) }
        #expect(error?.code == .profileInUse)
        #expect(error?.description.contains("process \(ProcessInfo.processInfo.processIdentifier)") == true)
        await fixture.core.close()
    }

    @Test("T179 a profile can be opened again once its core is gone")
    func reopen() async throws {
        let folder = try TemporaryFolder()
        do {
            let fixture = try await CoreFixture.make(folder: folder)
            await fixture.core.close()
        }
        let again = try await CoreFixture.make(folder: folder)
        #expect(try await again.core.accounts().isEmpty)
    }

    @Test("T180 the folder has mode 0700 and every file in it 0600")
    func modes() async throws {
        let (fixture, _, _) = try await CoreFixture.online()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: fixture.folder.path)
        let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
        #expect(Set(files).isSuperset(of: ["chat.db", "lock", "secrets.json"]))
        for file in files {
            #expect(try TemporaryFolder.mode(of: fixture.folder.file(file)) == 0o600, "\(file)")
        }
        await fixture.core.close()
        let folder = fixture.folder
        withExtendedLifetime(fixture) {}
        let path = folder.file("inner/deeper")
        let inner = try await ChatCore.open(directory: path)
        #expect(try TemporaryFolder.mode(of: path) == 0o700)
        await inner.close()
    }

    @Test("T180 neither the password nor a wide mode is left in a folder that was open to others")
    func noPassword() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        let fixture = try await CoreFixture.make(folder: folder)
        try await fixture.core.addAccount(try JID("ann@example.org"), password: "secret-password")
        #expect(try TemporaryFolder.mode(of: folder.path) == 0o700)
        await fixture.core.close()
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file(file)))
            #expect(bytes.range(of: Data("secret-password".utf8)) == nil, "\(file)")
        }
    }

    @Test("a damaged database is refused with a word about it, and left as it was")
    func damaged() async throws {
        let folder = try TemporaryFolder()
        let bytes = Data(repeating: 0x55, count: 4096)
        try bytes.write(to: URL(fileURLWithPath: folder.file("chat.db")))
        let error = await #expect(throws: ChatError.self) { try await ChatCore.open(directory: folder.path) }
        #expect(error?.code == .profileDamaged)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("chat.db"))) == bytes)
    }

    @Test("C14 a profile of a newer version is refused and left alone")
    func newer() async throws {
        let folder = try TemporaryFolder()
        let store = try await ChatStore(.file(folder.file("chat.db")))
        try await store.write { try $0.connection.execute("PRAGMA user_version=1000") }
        await store.close()
        let error = await #expect(throws: ChatError.self) { try await ChatCore.open(directory: folder.path) }
        #expect(error?.code == .newerProfile)
    }

    @Test("closing ends live queries and event readers")
    func closing() async throws {
        let fixture = try await CoreFixture.make()
        let core = fixture.core
        async let lists = core.conversationUpdates().reduce(0) { count, _ in count + 1 }
        var events = core.events().makeAsyncIterator()
        #expect(try await events.next()?.kind == .live)
        await core.close()
        #expect(try await events.next() == nil)
        _ = try? await lists
    }
}
