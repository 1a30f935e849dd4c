// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Commands (XEP-0050)", .timeLimit(.minutes(1)))
struct CommandsTests {
    static let namespace = "http://jabber.org/protocol/commands"

    static func step(_ status: String, session: String? = "s1", node: String = "list", _ content: String = "") -> String
    {
        let session = session.map { "sessionid='\($0)'" } ?? ""
        return "<command xmlns='\(namespace)' node='\(node)' \(session) status='\(status)'>\(content)</command>"
    }

    @Test("the commands of an entity are listed")
    func list() async throws {
        let online = try await OnlineSession()
        let jid = try JID("responder@example.org/r")
        async let found = online.session.commands(of: jid)
        let asked = await online.reply(
            "<query xmlns='http://jabber.org/protocol/disco#items' node='\(Self.namespace)'><item jid='responder@example.org/r' node='list' name='List'/></query>"
        )
        #expect(asked["node"] == Self.namespace)
        #expect(try await found.map(\.node) == ["list"])
        await online.end()
    }

    @Test("a command of two steps is run, its form filled in and sent back as it has to be")
    func twoSteps() async throws {
        let online = try await OnlineSession()
        let jid = try JID("responder@example.org/r")
        async let first = online.session.runCommand("list", at: jid)
        let form = """
            <x xmlns='jabber:x:data' type='form'><field var='key' type='hidden'><value>k</value></field>\
            <field var='service' type='list-single'><value>a</value></field></x>
            """
        let begun = await online.reply(
            Self.step(
                "executing",
                "<actions execute='complete'><prev/><complete/></actions>\(form)<note type='warn'> careful </note><note/>"
            ))
        #expect(begun["action"] == "execute" && begun["node"] == "list" && begun["sessionid"] == nil)
        let step = try await first
        #expect(step.status == .executing && step.defaultAction == .complete)
        #expect(step.actions == [.previous, .complete, .cancel, .execute])
        #expect(step.notes == [.init(.warning, "careful")])
        async let second = online.session.continueCommand(step, .complete, with: ["service": ["b"], "key": ["forged"]])
        let sent = await online.reply(Self.step("completed", "<note>done</note>"))
        let filled = try #require(sent.child(DataForm.name).flatMap { DataForm($0) })
        #expect(sent["sessionid"] == "s1" && sent["action"] == "complete")
        #expect(filled["service"]?.text == "b" && filled["key"]?.text == "k")
        let end = try await second
        #expect(end.status == .completed && end.actions.isEmpty && end.notes == [.init(.info, "done")])
        #expect(await failure { _ = try await online.session.continueCommand(end) }?.code == .invalidArgument)
        await online.end()
    }

    @Test("cancelling and going back send no form")
    func cancel() async throws {
        let online = try await OnlineSession()
        async let first = online.session.runCommand("list")
        await online.reply(Self.step("executing", "<x xmlns='jabber:x:data' type='form'><field var='a'/></x>"))
        let step = try await first
        #expect(step.actions == [.complete, .cancel, .execute] && step.defaultAction == .complete)
        #expect(await failure { _ = try await online.session.continueCommand(step, .next) }?.code == .invalidArgument)
        async let gone = online.session.continueCommand(step, .cancel)
        #expect(await online.reply(Self.step("canceled")).children.isEmpty)
        #expect(try await gone.status == .canceled)
        await online.end()
    }

    @Test(
        "an answer of another command, of another run, or without a status is none",
        arguments: [
            step("executing", node: "other"), step("executing", session: "s2"), step("magic"), "<x xmlns='urn:x'/>",
            step("executing", session: nil),
        ])
    func nonsense(_ answer: String) async throws {
        let online = try await OnlineSession()
        async let first = online.session.runCommand("list")
        await online.reply(Self.step("executing"))
        let step = try await first
        async let second = failure { _ = try await online.session.continueCommand(step) }
        await online.reply(answer)
        #expect(await second?.code == .invalidReply)
        await online.end()
    }

    @Test("a command that was forgotten is told from other refusals")
    func expired() async throws {
        let online = try await OnlineSession()
        async let first = failure { _ = try await online.session.runCommand("list") }
        await online.refuse("not-allowed", detail: "<session-expired xmlns='\(Self.namespace)'/>")
        #expect(await first?.code == .commandExpired)
        async let second = failure { _ = try await online.session.runCommand("list") }
        await online.refuse("forbidden")
        #expect(await second?.stanzaError?.condition == .forbidden)
        await online.end()
    }

    @Test("T076 nobody runs commands on this program")
    func remote() async throws {
        let online = try await OnlineSession()
        for node in ["http://jabber.org/protocol/rc#forward", "list"] {
            online.peer.inject(
                "<iq type='set' id='q' from='juliet@example.org/phone'><command xmlns='\(Self.namespace)' node='\(node)' action='execute'/></iq>"
            )
            let answer = await online.peer.expect("iq")
            #expect(answer?["type"] == "error")
        }
        #expect(!online.session.features.contains(Self.namespace))
        await online.end()
    }
}
