// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import XMPP
import XMPPTesting

@Suite("RealServer: sessions", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerSessionTests {
    @Test("two people chat over STARTTLS and direct TLS", arguments: TestServer.all)
    func twoPeopleChat(_ server: TestServer) async throws {
        let alice = server.session(try server.account("alice"))
        let bob = server.session(try server.account("bob", direct: true))
        let heard = bob.messages()
        let answered = alice.messages()
        try await alice.connect()
        try await bob.connect()
        let to = await bob.jid
        let ticket = try await alice.send(.chat(to: to, "good morning & <hello> 🦊", id: "m1"))
        var iterator = heard.makeAsyncIterator()
        let message = try await iterator.next()
        #expect(message?.body == "good morning & <hello> 🦊")
        #expect(message?.id == "m1")
        let from = await alice.jid
        #expect(message?.from == from)
        try await ticket.acknowledged()
        try await bob.send(.chat(to: message?.from, "good evening"))
        var answers = answered.makeAsyncIterator()
        #expect(try await answers.next()?.body == "good evening")
        await alice.disconnect()
        await bob.disconnect()
    }

    @Test("an account at an address literal logs in without a name look-up", arguments: TestServer.all)
    func addressLiteral(_ server: TestServer) async throws {
        let session = server.session(try server.account("alice", at: "127.0.0.1"))
        try await session.connect()
        #expect(await session.jid?.domain == "127.0.0.1")
        await session.disconnect()
    }

    @Test("a wrong password is a definite error", arguments: TestServer.all)
    func wrongPassword(_ server: TestServer) async throws {
        var account = try server.account("alice")
        account.credentials = .password("wrong")
        let session = server.session(account)
        await #expect(throws: XMPPError(.notAuthorized, "wrong user name or password")) {
            do { try await session.connect() } catch let error as XMPPError {
                throw XMPPError(error.code, "wrong user name or password")
            }
        }
    }

    @Test("a server with another authority is refused before any credential", arguments: TestServer.all)
    func unknownAuthority(_ server: TestServer) async throws {
        var account = try server.account("alice")
        account.trust.authorityFiles = []
        let session = server.session(account)
        do {
            try await session.connect()
            Issue.record("it connected")
        } catch let error as XMPPError {
            #expect(error.code == .tlsFailed)
        }
    }

    @Test("a cut connection is resumed and nothing is lost or twice", arguments: TestServer.all)
    func resumes(_ server: TestServer) async throws {
        let connector = CuttableConnector()
        var configuration = SessionConfiguration()
        configuration.connector = connector
        configuration.reconnect = ReconnectPolicy(minimum: .milliseconds(100))
        let alice = server.session(try server.account("alice"), configuration)
        let bob = server.session(try server.account("bob"))
        let heard = bob.messages()
        let received = alice.messages()
        let events = alice.events()
        try await alice.connect()
        try await bob.connect()
        let to = await bob.jid
        let from = await alice.jid
        for number in 1...40 {
            let ticket = try await alice.send(.chat(to: to, "\(number)"))
            try await bob.send(.chat(to: from, "\(number)"))
            // A resumed stream that answered nothing would not be resumed again to carry more.
            if number % 10 == 5 { try await ticket.acknowledged() }
            if number.isMultiple(of: 10) {
                // ejabberd may pass on what it has read of the old connection after it said how much it had: twice, then.
                if server.kind == "ejabberd" { try await ticket.acknowledged() }
                connector.cut()
                // Sent while the connection is away.
                try await alice.send(.chat(to: to, "\(number)+"))
                try await bob.send(.chat(to: from, "\(number)+"))
                for try await event in events {
                    if case .online(_, let isResumed) = event, isResumed { break }
                }
            }
        }
        let expected = (1...40).flatMap { $0.isMultiple(of: 10) ? ["\($0)", "\($0)+"] : ["\($0)"] }
        let atBob = try await bodies(heard, expected.count)
        #expect(atBob == expected)
        // ejabberd mixes what it kept for a resumed stream with what is new: its own log has it sent in that order.
        #expect(try await bodies(received, expected.count).sorted() == expected.sorted())
        await alice.disconnect()
        await bob.disconnect()
    }

    private func bodies(_ messages: Subscription<Message>, _ count: Int) async throws -> [String] {
        var bodies: [String] = []
        for try await message in messages {
            if let body = message.body { bodies.append(body) }
            if bodies.count == count { break }
        }
        return bodies
    }
}
