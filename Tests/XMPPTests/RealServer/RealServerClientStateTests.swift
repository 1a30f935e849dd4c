// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("RealServer: client state", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerClientStateTests {
    /// What arrives at juliet while romeo changes his presence and types, with as many messages in between as given.
    private func traffic(_ server: TestServer, isActive: Bool) async throws -> (bytes: UInt64, messages: [String]) {
        let juliet = XMPPSession(account: try server.account("juliet"))
        let romeo = XMPPSession(account: try server.account("romeo"))
        let presences = juliet.presences()
        let messages = juliet.messages()
        try await juliet.connect()
        try await romeo.connect()
        let julietJID = try #require(await juliet.jid)
        let romeoJID = try #require(await romeo.jid)
        // Presence goes to contacts only.
        try await juliet.send(Presence(.subscribe, to: romeoJID.bare))
        try await romeo.send(Presence(.subscribed, to: julietJID.bare))
        for try await presence in presences where presence.from == romeoJID && presence.kind == .available { break }
        await juliet.setActive(isActive)
        // The server has seen that once it has answered this.
        _ = try await juliet.ping()
        let before = await juliet.receivedBytes
        for number in 1...40 {
            try await romeo.setPresence(
                Presence(show: number.isMultiple(of: 2) ? .away : nil, status: "number \(number)"))
            try await romeo.send(.chatState(number.isMultiple(of: 2) ? .composing : .paused, to: julietJID))
        }
        // Everything of romeo is through when his own server has answered him.
        _ = try await romeo.ping()
        _ = try await juliet.ping()
        let after = await juliet.receivedBytes
        try await romeo.send(.chat(to: julietJID, "urgent"))
        var texts: [String] = []
        for try await message in messages {
            guard let body = message.body else { continue }
            texts.append(body)
            break
        }
        await romeo.disconnect()
        await juliet.disconnect()
        return (after - before, texts)
    }

    @Test(
        "XEP-0352: an inactive client gets a fraction of the traffic, and messages at once", arguments: TestServer.all)
    func saves(_ server: TestServer) async throws {
        let active = try await traffic(server, isActive: true)
        let inactive = try await traffic(server, isActive: false)
        print("client state on \(server): active \(active.bytes) bytes, inactive \(inactive.bytes) bytes")
        #expect(inactive.bytes * 4 < active.bytes, "active \(active.bytes), inactive \(inactive.bytes)")
        #expect(inactive.messages == ["urgent"])
    }
}
