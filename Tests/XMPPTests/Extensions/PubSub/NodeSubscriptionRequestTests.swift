// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Requests to subscribe to one's own node (XEP-0060 §8.6)", .timeLimit(.minutes(1)))
struct NodeSubscriptionRequestTests {
    static func message(
        from: String = "pubsub.example.org", kind: String = "form", type: String = "subscribe_authorization",
        subscriber: String = "horatio@example.org", stanza: String = "normal"
    ) -> String {
        """
        <message from='\(from)' to='juliet@example.org' id='approve1' type='\(stanza)'>\
        <x xmlns='jabber:x:data' type='\(kind)'><title>PubSub subscriber request</title>\
        <field var='FORM_TYPE' type='hidden'><value>http://jabber.org/protocol/pubsub#\(type)</value></field>\
        <field var='pubsub#subid' type='hidden'><value>123-abc</value></field>\
        <field var='pubsub#node' type='text-single'><value>musings</value></field>\
        <field var='pubsub#subscriber_jid' type='jid-single'><value>\(subscriber)</value></field>\
        <field var='pubsub#allow' type='boolean'><value>false</value></field></x></message>
        """
    }

    @Test("are read from the form, and the form goes back whole, with yes or no", arguments: [true, false])
    func answer(_ allows: Bool) async throws {
        let online = try await OnlineSession()
        var messages = online.session.messages().makeAsyncIterator()
        online.peer.inject(Self.message())
        let request = try #require(try await messages.next()?.nodeSubscriptionRequest)
        #expect(request.node == "musings" && request.subscriber.description == "horatio@example.org")
        #expect(request.service?.description == "pubsub.example.org")
        try await online.session.answer(request, allows: allows)
        let sent = try #require(await online.peer.expect("message"))
        #expect(sent["to"] == "pubsub.example.org")
        let form = try #require(sent.children.lazy.compactMap { DataForm($0) }.first)
        #expect(form.kind == .submit)
        #expect(form.formType == "http://jabber.org/protocol/pubsub#subscribe_authorization")
        #expect(form["pubsub#subid"]?.text == "123-abc" && form["pubsub#node"]?.text == "musings")
        #expect(form["pubsub#subscriber_jid"]?.text == "horatio@example.org")
        #expect(form["pubsub#allow"]?.flag == allows)
        await online.end()
    }

    @Test(
        "T143 another form, one that is filled in, one without an address, of somebody's program, a bounce: no request",
        arguments: [
            message(from: "pubsub.example.org/x"), message(kind: "submit"), message(type: "node_config"),
            message(subscriber: "@"), message(stanza: "error"),
            message(from: "a@rooms.example.org", stanza: "groupchat"),
        ])
    func refused(_ text: String) throws {
        #expect(try receivedMessage(text).nodeSubscriptionRequest == nil)
        #expect(try receivedMessage(Self.message()).nodeSubscriptionRequest != nil)
    }
}
