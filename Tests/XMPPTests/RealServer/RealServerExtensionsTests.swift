// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
import XMPP
import XMPPTesting

@Suite("RealServer: extensions", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerExtensionsTests {
    func freshName() -> String {
        "new-" + SystemRandomness().token().lowercased().filter { $0.isLetter || $0.isNumber }
    }

    func code(_ work: @Sendable () async throws -> Void) async -> XMPPError.Code? {
        do {
            try await work()
            return nil
        } catch { return (error as? XMPPError)?.code }
    }

    @Test("an account is made once, changes its password, and is removed", arguments: TestServer.all)
    func registration(_ server: TestServer) async throws {
        let name = freshName()
        let first = try await server.openRegistration()
        let form = try await first.form()
        #expect(form.fields.contains { $0.name == "username" } && form.fields.contains { $0.name == "password" })
        #expect(form.unsupportedFields.isEmpty && !form.isRegistered)
        let jid = try await first.register(username: name, password: "first secret")
        #expect(jid.description == "\(name)@\(server.domain)")

        let second = try await server.openRegistration()
        #expect(await code { try await second.register(username: name, password: "x") } == .nameTaken)
        await second.close()

        var account = Account(
            jid: jid, credentials: .password("first secret"), trust: server.trust, server: server.address)
        let session = server.session(account)
        try await session.connect()
        try await session.changePassword(to: "second secret")
        await session.disconnect()

        let old = server.session(account)
        #expect(await code { try await old.connect() } == .notAuthorized)
        account.credentials = .password("second secret")
        let last = server.session(account)
        let events = last.events()
        try await last.connect()
        try await last.removeAccount()
        var end: SessionEvent?
        for try await event in events { end = event }
        #expect(end == .ended(nil))
        let gone = server.session(account)
        #expect(await code { try await gone.connect() } == .notAuthorized)
    }

    @Test("the roster is fetched, pushed, versioned and cut back", arguments: TestServer.all)
    func roster(_ server: TestServer) async throws {
        let pushes = Locked([RosterPush]())
        var configuration = SessionConfiguration()
        configuration.modules.removeAll { $0 is RosterModule }
        configuration.modules.append(RosterModule { push in pushes.withLock { $0.append(push) } })
        let session = server.session(try server.account("roster"), configuration)
        try await session.connect()
        guard case .items(let none, _) = try await session.fetchRoster() else {
            Issue.record("a new account has a roster of before")
            return
        }
        #expect(none.isEmpty)
        let friend = try JID("friend@\(server.domain)")
        try await session.setRosterItem(friend, name: "A & B", groups: ["Friends", "Work"])
        guard case .items(let some, let version) = try await session.fetchRoster() else {
            Issue.record("no list")
            return
        }
        #expect(some.map(\.jid) == [friend])
        #expect(some.first?.name == "A & B")
        #expect(Set(some.first?.groups ?? []) == ["Friends", "Work"])
        #expect(try await session.fetchRoster(version: version) == .unchanged)
        try await session.removeRosterItem(friend)
        guard case .items(let rest, _) = try await session.fetchRoster() else {
            Issue.record("no list")
            return
        }
        #expect(rest.isEmpty)
        let told = pushes.withLock { $0 }
        #expect(told.first?.jid == friend)
        #expect(told.last?.change == .removed(friend))
        await session.disconnect()
    }

    @Test("two people come to see each other", arguments: TestServer.all)
    func subscription(_ server: TestServer) async throws {
        let alice = server.session(try server.account("alice"))
        let bob = server.session(try server.account("bob"))
        let seen = alice.presences()
        let asked = bob.presences()
        try await alice.connect()
        try await bob.connect()
        let bobJID = try #require(await bob.jid)
        let aliceJID = try #require(await alice.jid)
        try await alice.requestSubscription(to: bobJID, known: nil, nickname: "Alice")
        var inbox = SubscriptionInbox()
        for try await presence in asked {
            guard case .added(let request) = inbox.received(presence, own: bobJID) else { continue }
            #expect(request.from == aliceJID.bare)
            break
        }
        try await bob.acceptSubscription(of: aliceJID)
        var tracker = PresenceTracker()
        for try await presence in seen {
            tracker.received(presence)
            if tracker.isAvailable(bobJID) { break }
        }
        guard case .items(let items, _) = try await alice.fetchRoster() else {
            Issue.record("no list")
            return
        }
        #expect(items.first?.subscription == .to)
        await bob.disconnect()
        for try await presence in seen {
            tracker.received(presence)
            if !tracker.isAvailable(bobJID) { break }
        }
        #expect(tracker.best(of: bobJID) == nil)
        await alice.disconnect()
    }

    @Test("a second resource gets copies of what the first sends and receives, and receipts", arguments: TestServer.all)
    func carbons(_ server: TestServer) async throws {
        let account = try server.account("alice")
        var configuration = SessionConfiguration()
        configuration.modules.append(ReceiptsModule(answersByItself: true))
        let desk = server.session(account)
        let phone = server.session(account)
        let bob = server.session(try server.account("bob"), configuration)
        let copies = phone.messages()
        let receipts = desk.messages()
        try await desk.connect()
        try await phone.connect()
        try await phone.enableCarbons()
        try await bob.connect()
        let bobJID = try #require(await bob.jid)
        let own = try #require(await phone.jid)
        var message = Message.chat(to: bobJID, "hello", id: "c1")
        message.requestsReceipt = true
        message.originID = "c1"
        try await desk.send(message)
        var iterator = copies.makeAsyncIterator()
        let sent = try await iterator.next()?.carbon(for: own)
        #expect(sent?.direction == .sent)
        #expect(sent?.message.body == "hello" && sent?.message.to == bobJID && sent?.message.originID == "c1")
        var answers = receipts.makeAsyncIterator()
        #expect(try await answers.next()?.isReceipt(for: "c1", sentTo: bobJID) == true)
        let received = try await iterator.next()?.carbon(for: own)
        #expect(received?.direction == .received)
        #expect(received?.message.isReceipt(for: "c1", sentTo: bobJID) == true)
        for session in [desk, phone, bob] { await session.disconnect() }
    }

    @Test("the server and a contact say what they are", arguments: TestServer.all)
    func discovery(_ server: TestServer) async throws {
        let alice = server.session(try server.account("alice"))
        var configuration = SessionConfiguration()
        configuration.modules.removeAll { $0 is DiscoModule }
        configuration.modules.append(DiscoModule(forms: [SoftwareInformation(program: "Apus").form(.result)]))
        let bob = server.session(try server.account("bob"), configuration)
        try await alice.connect()
        try await bob.connect()
        let info = try await alice.discoverServer()
        #expect(info.isKind("server", "im") && info.supports("urn:xmpp:ping"))
        #expect(info.contactAddresses?[.abuse] == ["xmpp:abuse@\(server.domain)"])
        let domain = try JID(server.domain)
        _ = try await alice.discoverItems(of: domain)
        #expect(try await alice.softwareVersion(of: domain).program.isEmpty == false)
        #expect(try await alice.entityTime(of: domain).moment.seconds > 1_700_000_000)
        let bobJID = try #require(await bob.jid)
        #expect(try await alice.softwareVersion(of: bobJID) == .library)
        let program = try await alice.discoverInfo(of: bobJID)
        #expect(program.isKind("client", "pc") && program.software?.program == "Apus")
        #expect(try await alice.ping(bobJID) > .zero)
        #expect(try await alice.entityTime(of: bobJID).moment.seconds > 1_700_000_000)
        await alice.disconnect()
        await bob.disconnect()
    }

    @Test("a server is asked for everything it offers, for the table of features", arguments: TestServer.all)
    func offers(_ server: TestServer) async throws {
        let registration = try await server.openRegistration()
        await registration.close()
        let alice = server.session(try server.account("alice"))
        try await alice.connect()
        let domain = try await alice.discoverServer()
        let account = try await alice.discoverInfo()
        #expect(!domain.features.isEmpty && !account.features.isEmpty)
        for item in try await alice.discoverAll() { _ = try? await alice.discoverInfo(of: item.jid) }
        _ = try? await alice.commands(of: try JID(server.domain))
        await alice.disconnect()
    }
}
