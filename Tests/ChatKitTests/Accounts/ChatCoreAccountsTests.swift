// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import XMPP

@testable import ChatKit

@Suite("ChatCore+Accounts", .timeLimit(.minutes(1)))
struct ChatCoreAccountsTests {
    private static let keys = SCRAMKeys(
        hashName: "SHA-256", salt: [1, 2], iterations: 4096, clientKey: [3], serverKey: [4])

    @Test("an account is kept after a login, with its keys, and connected with them the next time")
    func add() async throws {
        let folder = try TemporaryFolder()
        let ann = try JID("ann@example.org")
        do {
            let fixture = try await CoreFixture.make(folder: folder) { link in
                var memory = LoginMemory()
                memory.wasBound = true
                link.script { [memory] log in
                    log.result = LoginResult(keys: Self.keys, isBoundToChannel: true, memory: memory)
                }
            }
            let account = try await fixture.core.addAccount(try JID("ann@example.org/desk"), password: "pencil")
            #expect(account.jid == ann)
            #expect(account.isEnabled)
            #expect(account.settings.resource == "desk")
            #expect(account.connection.isOnline)
            #expect(fixture.link.account.credentials.password == "pencil")
            #expect(fixture.link.account.jid.description == "ann@example.org/desk")
            await fixture.core.close()
        }
        let again = try await CoreFixture.make(folder: folder)
        try await again.core.connect(ann)
        #expect(again.link.account.credentials.keys == Self.keys)
        #expect(again.link.account.credentials.password == nil)
        #expect(again.link.account.memory.wasBound)
    }

    @Test("C9 a stream that an earlier run of the program left is set up again: list of contacts, presence")
    func earlierRun() async throws {
        let folder = try TemporaryFolder()
        let ann = try JID("ann@example.org")
        do {
            let fixture = try await CoreFixture.make(folder: folder) { link in
                link.script { $0.result = LoginResult(keys: Self.keys, isBoundToChannel: false) }
            }
            try await fixture.core.addAccount(ann, password: "pencil")
            await fixture.core.close()
        }
        let again = try await CoreFixture.make(folder: folder) { link in link.script { $0.resumes = true } }
        try await again.core.connect(ann)
        while again.link.presences.isEmpty { await Task.yield() }
        let isRosterRequest = { (iq: IQ) in iq.payload?.matches(Roster.query) == true }
        #expect(again.link.requests.count(where: isRosterRequest) == 1)
        // The program knows of it from now on.
        again.link.emit(.interrupted(XMPPError(.connectionLost, "gone", isRetryable: true), retryIn: .zero))
        again.link.emit(.online(try ann.with(resource: "fake"), isResumed: true))
        try await again.core.send(to: try JID("bo@example.net"), text: "1", account: ann)
        while again.link.messages.isEmpty { await Task.yield() }
        #expect(again.link.presences.count == 1)
        await again.core.close()
    }

    @Test("a login that fails keeps nothing")
    func addFails() async throws {
        let fixture = try await CoreFixture.make { link in
            link.script { $0.connectError = XMPPError(.notAuthorized, "the password is wrong") }
        }
        let error = await #expect(throws: ChatError.self) {
            try await fixture.core.addAccount(try JID("ann@example.org"), password: "secret-password")
        }
        #expect(error?.code.rawValue == "notAuthorized")
        #expect(error?.description == "the password is wrong")
        #expect(error.map { !$0.debugDescription.contains("secret-password") } == true)
        #expect(try await fixture.core.accounts().isEmpty)
        #expect(try await fixture.core.store.read { try Queries.accounts($0).count } == 0)
    }

    @Test("the password is kept only where PLAIN was permitted")
    func plain() async throws {
        let folder = try TemporaryFolder()
        var settings = AccountSettings()
        settings.allowsPlain = true
        do {
            let fixture = try await CoreFixture.make(folder: folder)
            try await fixture.core.addAccount(try JID("ann@example.org"), password: "pencil", settings: settings)
            await fixture.core.close()
        }
        let again = try await CoreFixture.make(folder: folder)
        try await again.core.connect(try JID("ann@example.org"))
        #expect(again.link.account.credentials.password == "pencil")
        #expect(again.link.account.permitsPlain)
    }

    @Test("the same account twice, and a server's address, are refused each with its own error")
    func refusals() async throws {
        let (fixture, ann, _) = try await CoreFixture.online()
        let twice = await #expect(throws: ChatError.self) { try await fixture.core.addAccount(ann, password: "x") }
        #expect(twice?.code == .accountExists)
        let server = await #expect(throws: ChatError.self) {
            try await fixture.core.addAccount(try JID("example.org"), password: "x")
        }
        #expect(server?.code == .invalidAddress)
        let unknown = await #expect(throws: ChatError.self) { try await fixture.core.connect(try JID("bo@x.example")) }
        #expect(unknown?.code == .unknownAccount)
    }

    @Test("a removed account takes its conversations and its secret along")
    func remove() async throws {
        let (fixture, ann, _) = try await CoreFixture.online()
        try await fixture.core.send(to: try JID("bo@example.net"), text: "hi", account: ann)
        try await fixture.core.removeAccount(ann)
        #expect(try await fixture.core.accounts().isEmpty)
        #expect(try await fixture.core.conversations().isEmpty)
        let secrets = try String(contentsOfFile: fixture.folder.file("secrets.json"), encoding: .utf8)
        #expect(!secrets.contains("ann@example.org"))
        // The same account can be added again.
        try await fixture.core.addAccount(ann, password: "x")
    }

    @Test("an account without a secret says that it needs the password")
    func passwordNeeded() async throws {
        let folder = try TemporaryFolder()
        let ann = try JID("ann@example.org")
        do {
            let fixture = try await CoreFixture.make(folder: folder)
            try await fixture.core.addAccount(ann, password: "x")
            await fixture.core.close()
        }
        let again = try await CoreFixture.make(folder: folder)
        let error = await #expect(throws: ChatError.self) { try await again.core.connect(ann) }
        #expect(error?.code == .passwordNeeded)
        try await again.core.setPassword("new", of: ann)
        #expect(again.link.account.credentials.password == "new")
    }

    @Test("the state of the connection is told as it changes, with the reason")
    func states() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        link.emit(.interrupted(XMPPError(.connectionLost, "gone", isRetryable: true), retryIn: .seconds(5)))
        try await fixture.until {
            let state = try await fixture.core.account(ann).connection
            return state.phase
                == .waiting(retryAt: Date(milliseconds: fixture.time.now + 5000)) && state.error?.description == "gone"
        }
        link.emit(.online(try JID("ann@example.org/fake"), isResumed: true))
        try await fixture.core.waitUntilOnline(ann)
        link.emit(.ended(XMPPError(.notAuthorized, "no longer")))
        try await fixture.until {
            let state = try await fixture.core.account(ann).connection
            return state.phase == .failed && state.error?.code.rawValue == "notAuthorized"
        }
        #expect(try await fixture.core.account(ann).connection.isOnline == false)
    }

    @Test("T176 a store that fails shows as an error of the account, and goes when it works again")
    func storageError() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        link.emit(.storeFailed("disk full"))
        try await fixture.until { try await fixture.core.account(ann).connection.error?.code == .storageFailed }
        link.emit(.storeRecovered)
        try await fixture.until { try await fixture.core.account(ann).connection.error == nil }
        #expect(try await fixture.core.account(ann).connection.isOnline)
    }

    @Test(
        "a new stream asks for the roster with the known version before it announces presence; a resumed one does not")
    func setUp() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        while link.presences.isEmpty { await Task.yield() }
        let roster = try #require(link.requests.first { $0.payload?.matches(Roster.query) == true })
        #expect(roster.payload?["ver"] == "")
        try await link.receive("<iq type='result' id='1'><query xmlns='jabber:iq:roster' ver='v7'/></iq>")
        let before = (link.requests.count, link.presences.count)
        link.emit(.online(try JID("ann@example.org/fake"), isResumed: true))
        link.emit(.interrupted(XMPPError(.connectionLost, "gone", isRetryable: true), retryIn: .zero))
        try await fixture.until { try await !fixture.core.account(ann).connection.isOnline }
        #expect(link.requests.count == before.0)
        link.emit(.online(try JID("ann@example.org/fake"), isResumed: false))
        while link.presences.count == before.1 { await Task.yield() }
        #expect(link.requests.last { $0.payload?.matches(Roster.query) == true }?.payload?["ver"] == "v7")
    }

    @Test("only enabled accounts are connected together")
    func connectAll() async throws {
        let folder = try TemporaryFolder()
        do {
            let fixture = try await CoreFixture.make(folder: folder) { link in
                link.script { $0.result = LoginResult(keys: Self.keys, isBoundToChannel: false) }
            }
            try await fixture.core.addAccount(try JID("a@example.org"), password: "x")
            try await fixture.core.addAccount(try JID("b@example.org"), password: "x")
            try await fixture.core.setEnabled(false, account: try JID("b@example.org"))
            await fixture.core.close()
        }
        let again = try await CoreFixture.make(folder: folder)
        try await again.core.connectAll()
        #expect(again.linkCount == 1)
        #expect(again.link.account.jid.local == "a")
    }

    @Test("a password is changed on the server first, and the profile signs in with the new one")
    func changePassword() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        try await fixture.core.changePassword("new-password", of: ann)
        #expect(link.recorded.passwords == ["new-password"])
        #expect(fixture.link !== link)
        #expect(fixture.link.account.credentials.password == "new-password")
        #expect(try await fixture.core.account(ann).connection.isOnline)
        fixture.link.script { $0.refusal = XMPPError(.requestFailed, "too short") }
        let before = fixture.linkCount
        let error = await #expect(throws: ChatError.self) { try await fixture.core.changePassword("x", of: ann) }
        #expect(error?.description == "too short")
        #expect(fixture.linkCount == before)
    }

    @Test("a cancelled account is gone on the server and here; one that the server keeps stays here")
    func cancelAccount() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        link.script { $0.refusal = XMPPError(.requestFailed, "not allowed") }
        await #expect(throws: ChatError.self) { try await fixture.core.cancelAccount(ann) }
        #expect(try await fixture.core.accounts().count == 1)
        link.script { $0.refusal = nil }
        try await fixture.core.cancelAccount(ann)
        #expect(link.recorded.isRemoved)
        #expect(try await fixture.core.accounts().isEmpty)
    }

    @Test("archive ids are believed once the server says that it removes forged ones")
    func trustsArchiveIDs() async throws {
        let fixture = try await CoreFixture.make { $0.script { $0.features = ["urn:xmpp:sid:0"] } }
        let ann = try JID("ann@example.org")
        try await fixture.core.addAccount(ann, password: "x")
        while fixture.link.presences.isEmpty { await Task.yield() }
        try await fixture.link.receive(
            """
            <message from='bo@example.net/p' id='1'><body>hi</body>\
            <stanza-id xmlns='urn:xmpp:sid:0' by='ann@example.org' id='a1'/></message>
            """)
        let conversation = try await fixture.core.conversation(with: try JID("bo@example.net"), account: ann)
        #expect(conversation.lastMessage?.archiveID == "a1")
    }
}
