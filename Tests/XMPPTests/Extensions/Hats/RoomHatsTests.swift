// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Hats by command (XEP-0317)", .timeLimit(.minutes(1)))
struct RoomHatsTests {
    static let hat = Hat(uri: "urn:example:speaker", title: "Speaker")
    static let commands = "http://jabber.org/protocol/commands"

    func offer(_ online: OnlineSession, _ nodes: String...) async {
        let items = nodes.map { "<item jid='\(OnlineSession.room)' node='\($0)'/>" }.joined()
        let asked = await online.reply("<query xmlns='http://jabber.org/protocol/disco#items'>\(items)</query>")
        #expect(asked["node"] == Self.commands)
    }

    func step(_ node: String, _ status: String, _ content: String = "") -> String {
        "<command xmlns='\(Self.commands)' node='\(node)' sessionid='s' status='\(status)'>\(content)</command>"
    }

    @Test(
        "a hat is put on and taken off in the form that the room knows",
        arguments: [
            ("urn:xmpp:hats:commands:assign", "urn:xmpp:hats:commands:unassign", "hats#jid", "hats#uri"),
            ("http://prosody.im/protocol/hats#add", "http://prosody.im/protocol/hats#remove", "jid", "hat_uri"),
        ])
    func putAndTaken(_ put: String, _ take: String, _ account: String, _ uri: String) async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo")
        let bo = try JID("bo@example.org/phone")
        let form =
            "<x xmlns='jabber:x:data' type='form'><field var='\(account)' type='jid-single'/><field var='\(uri)'/></x>"
        for node in [put, take] {
            async let done: Void =
                node == put ? room.putHat(Self.hat, on: bo) : room.takeHat(Self.hat, from: bo)
            await offer(online, put, take)
            #expect(await online.reply(step(node, "executing", form))["node"] == node)
            let filled = await online.reply(step(node, "completed"))
            let sent = filled.child(DataForm.name).flatMap { DataForm($0) }
            #expect(sent?[account]?.text == "bo@example.org" && sent?[uri]?.text == Self.hat.uri)
            #expect(sent?.fields.count == 2)
            try await done
        }
        await online.end()
    }

    @Test("a room without the command, and one that does not want to, say so")
    func refused() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo")
        let bo = try JID("bo@example.org")
        async let missing = failureCode { try await room.putHat(Self.hat, on: bo) }
        await offer(online, "urn:example:other")
        #expect(await missing == .notSupported)
        async let unwanted = failureCode { try await room.putHat(Self.hat, on: bo) }
        await offer(online, "urn:xmpp:hats:commands:assign")
        await online.reply(
            step("urn:xmpp:hats:commands:assign", "completed", "<note type='error'>not that hat</note>"))
        #expect(await unwanted == .requestFailed)
        await online.end()
    }

    @Test("the hats of a room are listed, with their colours")
    func listed() async throws {
        let online = try await OnlineSession()
        let room = try await online.join("bo")
        async let hats = room.availableHats()
        let node = "urn:xmpp:hats:commands:list"
        await offer(online, node)
        await online.reply(
            step(
                node, "completed",
                """
                <x xmlns='jabber:x:data' type='result'><reported><field var='hats#title'/><field var='hats#uri'/></reported>\
                <item><field var='hats#title'><value>Host</value></field><field var='hats#uri'><value>urn:h</value></field>\
                <field var='hats#hue'><value>327.25</value></field></item>\
                <item><field var='hats#title'><value>No name</value></field></item></x>
                """))
        #expect(try await hats == [Hat(uri: "urn:h", title: "Host", hue: 327.25)])
        await online.end()
    }
}
