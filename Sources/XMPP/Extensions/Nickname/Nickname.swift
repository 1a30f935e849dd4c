// SPDX-License-Identifier: Apache-2.0

/// The name by which the sender wants to be known (XEP-0172).
package struct Nickname: StanzaPayload {
    package static let name = XMLName("nick", "http://jabber.org/protocol/nick")
    package var text: String

    package init?(_ text: String) {
        guard !text.trimmingXMLSpace.isEmpty else { return nil }
        self.text = text.trimmingXMLSpace
    }

    package init?(_ element: Element) { self.init(element.text) }

    package var element: Element { Element(Self.name, text: text) }
}

extension Presence {
    /// The name by which the sender wants to be known (XEP-0172 §4.1).
    ///
    /// It tells the other side who asks. The name in one's own contact list is set with
    /// ``XMPPSession/setRosterItem(_:name:groups:)``, and never from here.
    public var nickname: String? {
        get { payload(Nickname.name).flatMap { Nickname($0) }?.text }
        set { setPayload(Nickname.name, newValue.flatMap { Nickname($0) }?.element) }
    }
}

extension Message {
    /// The name by which the sender wants to be known (XEP-0172 §4.2); believe it of strangers only.
    public var nickname: String? {
        get { payload(Nickname.self)?.text }
        set { set(Nickname.self, newValue.flatMap { Nickname($0) }) }
    }
}
