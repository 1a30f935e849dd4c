// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Dispatch
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

/// A keyring that answers nothing before it is opened, and says when it is asked.
private final class SlowKeeper: SecretKeeper {
    let gate = DispatchSemaphore(value: 0)
    /// How often it was asked, for one reader.
    let asked: AsyncStream<Void>
    private let asking: AsyncStream<Void>.Continuation
    let gaveUp = Locked(false)

    init() { (asked, asking) = AsyncStream.makeStream() }

    func wait() {
        asking.yield()
        if gate.wait(timeout: .now() + 10) != .success { gaveUp.withLock { $0 = true } }
    }

    /// Opens when so many wait at once.
    func open(for count: Int) async {
        var known = 0
        for await _ in asked {
            known += 1
            if known == count { break }
        }
        for _ in 0..<count { gate.signal() }
    }

    func secret(of account: String, profile: String) throws(ChatError) -> String? { nil }
    func keep(_ secret: String, of account: String, profile: String) throws(ChatError) { wait() }
    func forget(_ account: String, profile: String) throws(ChatError) {}
}

@Suite("A keyring that takes its time", .serialized, .timeLimit(.minutes(1)))
struct SlowKeeperTests {
    // More than the shared pool has threads.
    private let count = 2 * ProcessInfo.processInfo.activeProcessorCount

    private func fixtures(_ find: @escaping @Sendable () -> (any SecretKeeper)?) async throws -> [CoreFixture] {
        try await withThrowingTaskGroup { group in
            for _ in 0..<count { group.addTask { try await CoreFixture.make(configure: { $0.secretKeeper = find }) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("profiles that look for a keyring keep nobody else waiting")
    func finding() async throws {
        let keeper = SlowKeeper()
        async let opening: Void = keeper.open(for: count)
        _ = try await fixtures {
            keeper.wait()
            return nil
        }
        await opening
        #expect(keeper.gaveUp.withLock { !$0 })
    }

    @Test("profiles that put a secret into it keep nobody else waiting")
    func keeping() async throws {
        let keeper = SlowKeeper()
        let fixtures = try await fixtures { keeper }
        let ann = try JID("ann@example.org")
        async let opening: Void = keeper.open(for: count)
        try await withThrowingTaskGroup { group in
            for fixture in fixtures {
                group.addTask {
                    try await fixture.core.keepKeys(of: ann)
                }
            }
            try await group.waitForAll()
        }
        await opening
        #expect(keeper.gaveUp.withLock { !$0 })
    }
}

extension ChatCore {
    fileprivate func keepKeys(of account: JID) throws {
        let keys = SCRAMKeys(hashName: "SHA-1", salt: [0], iterations: 10_000, clientKey: [7], serverKey: [9])
        try secrets.set(Credentials(password: nil, keys: keys), of: account, keepsPassword: false)
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
