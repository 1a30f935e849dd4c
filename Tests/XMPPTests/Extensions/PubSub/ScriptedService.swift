// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

extension OnlineSession {
    /// Answers the questions for features: of the account, then of the server.
    func replyFeatures(_ features: String...) async {
        let list = features.map { "<feature var='http://jabber.org/protocol/pubsub#\($0)'/>" }.joined()
        await reply("<query xmlns='http://jabber.org/protocol/disco#info'>\(list)</query>")
        await reply("<query xmlns='http://jabber.org/protocol/disco#info'/>")
    }

    /// Answers the question how a node behaves.
    @discardableResult
    func replyConfiguration(_ access: String, items: String = "max") async -> Element {
        await reply(
            """
            <pubsub xmlns='http://jabber.org/protocol/pubsub#owner'><configure node='n'>\
            <x xmlns='jabber:x:data' type='form'>\
            <field var='FORM_TYPE' type='hidden'><value>http://jabber.org/protocol/pubsub#node_config</value></field>\
            <field var='pubsub#access_model' type='list-single'><value>\(access)</value></field>\
            <field var='pubsub#persist_items' type='boolean'><value>1</value></field>\
            <field var='pubsub#max_items' type='text-single'><value>\(items)</value></field></x></configure></pubsub>
            """)
    }
}

/// A word, as the payload of an item.
struct Word: NodePayload {
    static let name = XMLName("word", "urn:example:word")
    var text: String
    init(_ text: String) { self.text = text }
    init?(_ element: Element) {
        guard element.matches(Self.name), !element.text.isEmpty else { return nil }
        text = element.text
    }
    var element: Element { Element(Self.name, text: text) }

    static func item(_ id: String, _ text: String) -> String {
        "<item id='\(id)'><word xmlns='urn:example:word'>\(text)</word></item>"
    }
}

/// The form in a request, wherever it stands.
func form(in element: Element) -> DataForm? {
    if let form = DataForm(element) { return form }
    for child in element.children {
        if let form = form(in: child) { return form }
    }
    return nil
}
