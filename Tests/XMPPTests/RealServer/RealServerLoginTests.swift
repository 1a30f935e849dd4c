// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import XMPP
import XMPPTesting

@Suite("RealServer: logins", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerLoginTests {
    /// The servers that have SASL2.
    static let newer = TestServer.all.filter(\.isNewer)

    /// Gets online, and gives the mechanism and whether the stream of before went on.
    private func login(_ session: XMPPSession, _ events: inout EventReader) async throws -> (String, Bool) {
        async let connecting: Void = session.connect()
        let result = try await next(&events)
        try await connecting
        return result
    }

    private func next(_ events: inout EventReader) async throws -> (String, Bool) {
        var mechanism = ""
        while let event = try await events.iterator.next() {
            if case .authenticated(let name, _) = event { mechanism = name }
            if case .online(_, let isResumed) = event { return (mechanism, isResumed) }
        }
        throw XMPPError(.disconnected, "the session ended")
    }

    /// Waits until the features that follow a login of SASL2 were read.
    private func settle(_ session: XMPPSession) async throws {
        _ = try await session.discoverInfo(of: try await session.serverAddress())
    }

    @Test("a password, then a token, then the stream of before", arguments: newer, [false, true])
    func tokens(_ server: TestServer, _ direct: Bool) async throws {
        let connector = CuttableConnector()
        var configuration = SessionConfiguration()
        configuration.modules.append(CarbonsModule())
        configuration.readsArchive = true
        configuration.connector = connector
        configuration.reconnect = ReconnectPolicy(minimum: .milliseconds(10))
        var account = try server.account("alice", direct: direct)
        let first = server.session(account, configuration)
        var events = EventReader(first)
        let (mechanism, _) = try await login(first, &events)
        #expect(mechanism == "SCRAM-SHA-256-PLUS")
        #expect(await first.isBoundToChannel)
        #expect(await first.isSwitchedOn("urn:xmpp:carbons:2"))
        try await settle(first)
        account.memory = await first.loginMemory
        #expect(account.memory.hasToken)
        await first.disconnect()

        let second = server.session(account, configuration)
        events = EventReader(second)
        let (token, isResumed) = try await login(second, &events)
        #expect(token == "HT-SHA-256-EXPR")
        #expect(!isResumed)
        try await settle(second)
        connector.cut()
        let (again, goesOn) = try await next(&events)
        #expect(again == "HT-SHA-256-EXPR")
        #expect(goesOn)
        try await settle(second)
        #expect(await second.loginMemory.userAgentID == account.memory.userAgentID)
        await second.disconnect()
    }

    @Test("EXTERNAL: a client certificate logs in, without a password, and another's does not", arguments: certified)
    func clientCertificate(_ server: TestServer) async throws {
        var account = try server.account("alice", direct: true)
        account.credentials = .none
        account.clientCertificate = try server.clientCertificate(for: account.jid)
        let session = server.session(account)
        var events = EventReader(session)
        let (mechanism, _) = try await login(session, &events)
        #expect(mechanism == "EXTERNAL")
        #expect(await session.jid?.bare == account.jid)
        await session.disconnect()

        account.clientCertificate = try server.clientCertificate(for: try JID("mallory@\(server.domain)"))
        let other = server.session(account)
        await #expect {
            try await other.connect()
        } throws: {
            let code = ($0 as? XMPPError)?.code
            return code == .notAuthorized || code == .passwordNeeded || code == .authenticationFailed
        }
    }

    @Test("a server that wants a better hash of the password gets it with the login", arguments: upgrading)
    func upgrade(_ server: TestServer) async throws {
        var configuration = SessionConfiguration()
        configuration.upgradesPasswords = true
        let session = server.session(try server.account("alice", at: "sha1.\(server.domain)"), configuration)
        var events = EventReader(session)
        let (mechanism, _) = try await login(session, &events)
        #expect(mechanism == "SCRAM-SHA-1-PLUS")
        #expect(await session.derivedKeys?.hashName == "SHA-512")
        await session.disconnect()
    }

    /// The servers that ask for a better hash; they keep no other afterwards, and log nobody in with it.
    static let upgrading = newer.filter { $0.kind == "ejabberd" }

    /// The servers that take client certificates: Prosody has no module for that.
    static let certified = TestServer.all.filter { $0.kind == "ejabberd" }

    @Test("ANONYMOUS: a guest gets an address and can be written to", arguments: TestServer.all)
    func guest(_ server: TestServer) async throws {
        let bob = server.session(try server.account("bob"))
        var account = Account(
            jid: try JID("guest.\(server.domain)"), credentials: .none,
            trust: Trust(usesSystemRoots: false, authorityFiles: [server.authority]))
        account.server = ServerAddress(host: "127.0.0.1", port: server.port)
        let guest = server.session(account)
        let heard = guest.messages()
        var events = EventReader(guest)
        let (mechanism, _) = try await login(guest, &events)
        #expect(mechanism == "ANONYMOUS")
        let address = try await guest.serverAddress()
        let given = try #require(await guest.jid)
        #expect(given.domain == address.domain && given.local != nil)
        try await bob.connect()
        try await bob.send(.chat(to: given, "welcome"))
        var iterator = heard.makeAsyncIterator()
        #expect(try await iterator.next()?.body == "welcome")
        await guest.disconnect()
        await bob.disconnect()
    }

    @Test("T045 a token that the server does not know costs a turn, not the login", arguments: newer)
    func refusedToken(_ server: TestServer) async throws {
        var account = try server.account("alice", direct: true)
        let first = server.session(account)
        try await first.connect()
        try await settle(first)
        account.memory = await first.loginMemory
        await first.disconnect()
        account.memory.token?.secret = "made up"
        let second = server.session(account)
        var events = EventReader(second)
        let (mechanism, _) = try await login(second, &events)
        #expect(mechanism == "SCRAM-SHA-256-PLUS")
        #expect(await second.loginMemory.token?.secret != "made up")
        #expect(await second.loginMemory.hasToken)
        await second.disconnect()
    }

    @Test("a token that was given back logs in no more", arguments: newer)
    func invalidated(_ server: TestServer) async throws {
        var account = try server.account("alice")
        let first = server.session(account)
        try await first.connect()
        try await settle(first)
        account.memory = await first.loginMemory
        await first.disconnect()
        account.credentials = .none
        let leaving = server.session(account)
        try await leaving.invalidateToken()
        #expect(await !leaving.loginMemory.hasToken)
        let thief = server.session(account)
        do {
            try await thief.connect()
            Issue.record("the token still logs in")
        } catch let error as XMPPError { #expect([.notAuthorized, .passwordNeeded].contains(error.code)) }
    }

    @Test("what came while nobody was there is delivered, also after a login by SASL2", arguments: TestServer.all)
    func offlineMessages(_ server: TestServer) async throws {
        let account = try server.account("alice")
        let sender = server.session(try server.account("bob"))
        try await sender.connect()
        try await sender.send(.chat(to: account.jid, "while you were out")).acknowledged()
        let session = server.session(account)
        var messages = session.messages().makeAsyncIterator()
        try await session.connect()
        #expect(try await messages.next()?.body == "while you were out")
        await session.disconnect()
        await sender.disconnect()
    }

    @Test(
        "known offers and features fit the next login, whatever the server", arguments: TestServer.all, [false, true])
    func sentAhead(_ server: TestServer, _ usesSASL2: Bool) async throws {
        var configuration = SessionConfiguration()
        configuration.usesSASL2 = usesSASL2
        var account = try server.account("alice")
        for round in 0..<3 {
            let session = server.session(account, configuration)
            let events = session.events()
            try await session.connect()
            try await settle(session)
            account.memory = await session.loginMemory
            account.memory.forgetToken()
            await session.disconnect()
            var attempts = 0
            for try await event in events { if case .connecting = event { attempts += 1 } }
            #expect(attempts == 1, "round \(round)")
        }
    }
}
