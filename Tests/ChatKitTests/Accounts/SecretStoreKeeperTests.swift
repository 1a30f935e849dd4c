// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Foundation
import Testing
import XMPP

@testable import ChatKit

/// A keyring in memory.
final class FakeKeeper: SecretKeeper {
    struct State {
        var secrets: [String: String] = [:]
        var isLocked = false
    }

    let state = Locked(State())

    private func open() throws(ChatError) {
        if state.withLock({ $0.isLocked }) { throw ChatError(.storageFailed, "the keyring is locked") }
    }

    func secret(of account: String, profile: String) throws(ChatError) -> String? {
        try open()
        return state.withLock { $0.secrets["\(profile) \(account)"] }
    }

    func keep(_ secret: String, of account: String, profile: String) throws(ChatError) {
        try open()
        state.withLock { $0.secrets["\(profile) \(account)"] = secret }
    }

    func forget(_ account: String, profile: String) throws(ChatError) {
        try open()
        state.withLock { $0.secrets["\(profile) \(account)"] = nil }
    }
}

@Suite("SecretStore with a keyring")
struct SecretStoreKeeperTests {
    private let keys = SCRAMKeys(
        hashName: "SHA-1", salt: [0, 255], iterations: 10_000, clientKey: [7, 8], serverKey: [9])

    private func text(_ folder: TemporaryFolder) throws -> String {
        try String(contentsOfFile: folder.file("secrets.json"), encoding: .utf8)
    }

    @Test("T180 what logs in is in the keyring, and the file only says so")
    func kept() throws {
        let (folder, keeper, ann) = (try TemporaryFolder(), FakeKeeper(), try JID("ann@example.org"))
        var secrets = try SecretStore(path: folder.file("secrets.json"), keeper: keeper)
        try secrets.set(Credentials(password: "pencil", keys: keys), of: ann, keepsPassword: true)
        #expect(try !text(folder).contains("pencil") && !text(folder).contains("clientKey"))
        #expect(keeper.state.withLock { $0.secrets.count } == 1)
        let again = try SecretStore(path: folder.file("secrets.json"), keeper: keeper)
        #expect(again.credentials(of: ann) == Credentials(password: "pencil", keys: keys))
        #expect(again.unreachable.isEmpty)
    }

    @Test("what was in the file moves into a keyring that has come")
    func moved() throws {
        let (folder, keeper, ann) = (try TemporaryFolder(), FakeKeeper(), try JID("ann@example.org"))
        var before = try SecretStore(path: folder.file("secrets.json"))
        try before.set(Credentials(password: "pencil", keys: keys), of: ann, keepsPassword: true)
        #expect(try text(folder).contains("pencil"))
        let after = try SecretStore(path: folder.file("secrets.json"), keeper: keeper)
        #expect(try !text(folder).contains("pencil"))
        #expect(after.credentials(of: ann)?.password == "pencil")
        let third = try SecretStore(path: folder.file("secrets.json"), keeper: keeper)
        #expect(third.credentials(of: ann)?.password == "pencil")
    }

    @Test("a keyring that is locked gives nothing out, loses nothing, and a new password goes into the file")
    func locked() throws {
        let (folder, keeper, ann) = (try TemporaryFolder(), FakeKeeper(), try JID("ann@example.org"))
        let bo = try JID("bo@example.org")
        var secrets = try SecretStore(path: folder.file("secrets.json"), keeper: keeper)
        try secrets.set(Credentials(password: "pencil", keys: keys), of: ann, keepsPassword: true)
        keeper.state.withLock { $0.isLocked = true }
        var shut = try SecretStore(path: folder.file("secrets.json"), keeper: keeper)
        #expect(shut.credentials(of: ann) == nil)
        #expect(shut.unreachable == ["ann@example.org"])
        try shut.set(Credentials(password: "crayon", keys: keys), of: bo, keepsPassword: true)
        #expect(try text(folder).contains("crayon"))
        keeper.state.withLock { $0.isLocked = false }
        let open = try SecretStore(path: folder.file("secrets.json"), keeper: keeper)
        #expect(open.credentials(of: ann)?.password == "pencil")
        #expect(open.credentials(of: bo)?.password == "crayon")
        #expect(try !text(folder).contains("crayon"))
    }

    @Test("a removed account leaves nothing in the keyring")
    func removed() throws {
        let (folder, keeper, ann) = (try TemporaryFolder(), FakeKeeper(), try JID("ann@example.org"))
        var secrets = try SecretStore(path: folder.file("secrets.json"), keeper: keeper)
        try secrets.set(Credentials(password: "pencil", keys: keys), of: ann, keepsPassword: true)
        try secrets.remove(ann)
        #expect(keeper.state.withLock { $0.secrets.isEmpty })
        #expect(try SecretStore(path: folder.file("secrets.json"), keeper: keeper).credentials(of: ann) == nil)
    }
}
