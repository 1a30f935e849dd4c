// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Push (XEP-0357)", .timeLimit(.minutes(1)))
struct PushNotificationsTests {
    @Test("is switched on with what the service wants to be shown, and off for one place or all")
    func enabled() async throws {
        let online = try await OnlineSession()
        let jid = try JID("push-5.client.example")
        let service = PushService(jid: jid, node: "yxs32uqsflafdk3iuqo", options: ["secret": "eruio234vzxc2kla-91"])
        async let enabling: Void = online.session.enablePush(service)
        let set = await online.answer()
        #expect(set?["to"] == nil && set?["type"] == "set")
        let enable = try #require(set?.children.first)
        #expect(enable.matches(XMLName("enable", "urn:xmpp:push:0")))
        #expect(enable["jid"] == "push-5.client.example" && enable["node"] == "yxs32uqsflafdk3iuqo")
        let form = enable.child(DataForm.name).flatMap { DataForm($0) }
        #expect(form?.formType == "http://jabber.org/protocol/pubsub#publish-options")
        #expect(form?["secret"]?.values == ["eruio234vzxc2kla-91"])
        try await enabling

        async let plain: Void = online.session.enablePush(PushService(jid: jid, node: "n"))
        #expect(await online.answer()?.children.first?.children.isEmpty == true)
        try await plain
        async let one: Void = online.session.disablePush(jid, node: "n")
        #expect(
            await online.answer()?.children.first?.xml
                == "<disable xmlns='urn:xmpp:push:0' jid='push-5.client.example' node='n'/>")
        try await one
        async let all: Void = online.session.disablePush(jid)
        #expect(await online.answer()?.children.first?["node"] == nil)
        try await all
        await online.end()
    }

    @Test("the account is asked whether it can, and a service without a place is refused here")
    func support() async throws {
        let online = try await OnlineSession()
        async let yes = online.session.supportsPush()
        let question = await online.tellAccount(["urn:xmpp:push:0"])
        #expect(question?["to"] == "juliet@example.org")
        #expect(try await yes)
        async let no = online.session.supportsPush()
        await online.tellAccount([])
        #expect(try await !no)
        let service = PushService(jid: try JID("push.example"), node: nil)
        #expect(await failureCode { try await online.session.enablePush(service) } == .invalidArgument)
        await online.settle()
        await online.end()
    }
}
