// SPDX-License-Identifier: Apache-2.0
import ApusTransport
@testable import XMPP
import Testing
import XMPPTesting

@Suite("RealServer: WebSocket", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerWebSocketTests {
    private func online(_ events: Subscription<SessionEvent>) async throws -> Bool? {
        for try await event in events { if case .online(_, let isResumed) = event { return isResumed } }
        return nil
    }

    @Test("two people chat, one over WebSocket, with long and many messages", arguments: TestServer.all)
    func chat(_ server: TestServer) async throws {
        var account = try server.account("alice")
        account.server = ServerAddress(webSocket: server.webSocket)
        let alice = server.session(account)
        let bob = server.session(try server.account("bob"))
        let heard = bob.messages()
        let answered = alice.messages()
        try await alice.connect()
        try await bob.connect()
        let to = await bob.jid
        let from = await alice.jid
        let long = String(repeating: "good morning & <hello> 🦊 ", count: 5000)
        for number in 0..<100 { try await alice.send(.chat(to: to, number == 50 ? long : "\(number)")) }
        var iterator = heard.makeAsyncIterator()
        for number in 0..<100 { #expect(try await iterator.next()?.body == (number == 50 ? long : "\(number)")) }
        let ticket = try await bob.send(.chat(to: from, long))
        var answers = answered.makeAsyncIterator()
        #expect(try await answers.next()?.body == long)
        try await ticket.acknowledged()
        await alice.disconnect()
        await bob.disconnect()
    }

    @Test("a cut connection is resumed over WebSocket, and nothing is lost or twice", arguments: TestServer.all)
    func resumes(_ server: TestServer) async throws {
        let connector = CuttableConnector()
        var configuration = SessionConfiguration()
        configuration.connector = connector
        configuration.reconnect = ReconnectPolicy(minimum: .milliseconds(100))
        var account = try server.account("alice")
        account.server = ServerAddress(webSocket: server.webSocket)
        let alice = server.session(account, configuration)
        let bob = server.session(try server.account("bob"))
        let heard = bob.messages()
        let events = alice.events()
        try await alice.connect()
        try await bob.connect()
        #expect(try await online(events) == false)
        let to = await bob.jid
        for number in 1...20 {
            let ticket = try await alice.send(.chat(to: to, "\(number)"))
            guard number.isMultiple(of: 10) else { continue }
            // A resumed stream that answered nothing is not resumed again to carry more.
            try await ticket.acknowledged()
            connector.cut()
            try await alice.send(.chat(to: to, "\(number)+"))
            #expect(try await online(events) == true)
        }
        var iterator = heard.makeAsyncIterator()
        for number in 1...20 {
            #expect(try await iterator.next()?.body == "\(number)")
            if number.isMultiple(of: 10) { #expect(try await iterator.next()?.body == "\(number)+") }
        }
        await alice.disconnect()
        await bob.disconnect()
    }

    @Test("the domain's host-meta leads there when its other ports are closed", arguments: TestServer.all)
    func hostMeta(_ server: TestServer) async throws {
        // Port 5222 of this address is taken by nobody; the domain is found in the file of hosts.
        var connector = TCPConnector()
        connector.webSocketLookupServer = Endpoint(host: "127.0.0.1", port: server.httpsPort)
        connector.webSocketDelay = .milliseconds(500)
        var configuration = SessionConfiguration()
        configuration.connector = connector
        var account = try server.account("alice")
        account.server = nil
        let session = server.session(account, configuration)
        try await session.connect()
        #expect(await session.lastEndpoint?.webSocketPath == "/xmpp-websocket")
        await session.disconnect()
    }

    @Test("T043 a wrong password is a definite error over WebSocket, too", arguments: TestServer.all)
    func wrongPassword(_ server: TestServer) async throws {
        var account = try server.account("alice")
        account.server = ServerAddress(webSocket: server.webSocket)
        account.credentials = .password("wrong")
        let session = server.session(account)
        await #expect { try await session.connect() } throws: { ($0 as? XMPPError)?.code == .notAuthorized }
    }
}
