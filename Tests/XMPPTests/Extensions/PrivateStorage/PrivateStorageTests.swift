// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

private struct Note: PrivateStorageValue {
    static let storageName = XMLName("note", "urn:example:note")
    var text: String
    init(_ text: String) { self.text = text }
    init?(_ element: Element) {
        guard element.matches(Self.storageName), !element.text.isEmpty else { return nil }
        text = element.text
    }
    var element: Element { Element(Self.storageName, text: text) }
}

@Suite("Private storage (XEP-0049)", .timeLimit(.minutes(1)))
struct PrivateStorageTests {
    @Test("a value is kept and found again; an empty place is none")
    func exchange() async throws {
        let online = try await OnlineSession()
        async let nothing = online.session.privateValue(Note.self)
        let get = await online.reply("<query xmlns='jabber:iq:private'><note xmlns='urn:example:note'/></query>")
        #expect(get.name == XMLName("query", "jabber:iq:private") && get.children.first?.localName == "note")
        #expect(try await nothing == nil)
        async let kept: Void = online.session.setPrivateValue(Note("milk"))
        #expect(await online.reply().children.first?.text == "milk")
        try await kept
        async let found = online.session.privateValue(Note.self)
        await online.reply("<query xmlns='jabber:iq:private'><note xmlns='urn:example:note'>milk</note></query>")
        #expect(try await found == Note("milk"))
        async let odd = failure { _ = try await online.session.privateValue(Note.self) }
        await online.reply("<x xmlns='urn:example:odd'/>")
        #expect(await odd?.code == .invalidReply)
        await online.end()
    }
}
