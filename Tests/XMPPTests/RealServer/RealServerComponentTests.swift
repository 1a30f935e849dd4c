// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("RealServer: components", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerComponentTests {
    func component(_ server: TestServer, secret: String? = nil) throws -> ComponentSession {
        var configuration = SessionConfiguration(modules: ComponentSession.defaultModules)
        configuration.reconnect = .never
        return try ComponentSession(
            "component.\(server.domain)", secret: secret ?? server.componentSecret,
            server: ServerAddress(host: "127.0.0.1", port: server.componentPort, security: .none),
            configuration: server.recorded(configuration))
    }

    @Test("a component speaks for its whole domain, is found, and asks others", arguments: TestServer.all)
    func speaks(_ server: TestServer) async throws {
        let component = try component(server)
        let asked = component.messages()
        try await component.connect()
        let alice = server.session(try server.account("alice"))
        let told = alice.messages()
        try await alice.connect()

        let somebody = try JID("somebody@component.\(server.domain)")
        try await alice.send(.chat(to: somebody, "Who are you?"))
        for try await message in asked {
            #expect(message.body == "Who are you?" && message.to == somebody)
            var answer = Message.chat(to: message.from, "somebody")
            answer.from = message.to
            try await component.send(answer)
            break
        }
        for try await message in told {
            #expect(message.body == "somebody" && message.from == somebody)
            break
        }
        let info = try await alice.discoverInfo(of: component.jid)
        #expect(info.isKind("component"))
        let reply = try await component.request(
            IQ(.get, to: await alice.jid, payload: Element(XMLName("query", "jabber:iq:version"))))
        #expect(reply.kind == .result)
        await alice.disconnect()
        await component.disconnect()
    }

    @Test("a component with another secret is not let in", arguments: TestServer.all)
    func wrongSecret(_ server: TestServer) async throws {
        let component = try component(server, secret: "wrong")
        do {
            try await component.connect()
            Issue.record("it was let in")
        } catch let error as XMPPError { #expect(error.code == .notAuthorized) }
    }
}
