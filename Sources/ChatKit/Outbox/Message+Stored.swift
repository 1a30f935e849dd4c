// SPDX-License-Identifier: Apache-2.0
internal import ApusCrypto
internal import XMPP

extension Message {
    /// A message of a person with what it always carries: its id twice (XEP-0359 §4), and a question for a receipt
    /// (XEP-0184 §5.1).
    static func outgoing(to peer: JID, body: String, id: String) -> Message {
        Message(
            to: peer, kind: .chat, id: id, body: body,
            payloads: [
                Element(PayloadName.originID, attributes: ["id": id]),
                Element(PayloadName.receiptRequest),
                Element(XMLName("active", PayloadName.chatStates)),
            ])
    }

    /// The confirmation of a message (XEP-0184 §5.4): an id of its own, the type of what it confirms, no request in it.
    static func receipt(for id: String, to sender: JID, kind: Kind) -> Message {
        Message(
            to: sender, kind: kind, id: randomToken(),
            payloads: [
                Element(PayloadName.receipt, attributes: ["id": id]),
                // Kept for us while the sender is away (XEP-0334 §4.3).
                Element(XMLName("store", "urn:xmpp:hints")),
            ])
    }

    /// The stanza as text, to be kept until it is sent.
    ///
    /// - Throws: ``ChatError/Code/unsendableText`` when it holds a character that XML forbids.
    func storedXML() throws(ChatError) -> String {
        var writer = XMLWriter()
        do {
            try write(to: &writer)
        } catch {
            throw ChatError(
                .unsendableText, "the text holds a character that cannot be sent; remove it", underlying: error)
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Reads a stanza that ``storedXML()`` wrote.
    init?(stored xml: String) {
        var parser = XMLStreamParser(limits: .afterLogin)
        let header = "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"
        for var text in [header, xml] {
            text.withUTF8 { parser.append(UnsafeRawBufferPointer($0)) }
        }
        guard case .open? = try? parser.next(), case .stanza(let element)? = try? parser.next() else { return nil }
        self.init(forwarded: element)
    }

    /// What the message says beyond the columns of its row, as XML; nil when the columns hold all of it.
    var unmodelledXML: String? {
        for payload in payloads where !Self.isModelled(payload) {
            return receivedElement?.xml
        }
        return nil
    }

    private static func isModelled(_ payload: Element) -> Bool {
        switch payload.namespace {
        case "jabber:client", "urn:xmpp:receipts", "urn:xmpp:sid:0", "urn:xmpp:delay", "jabber:x:delay",
            "urn:xmpp:hints", PayloadName.chatStates:
            true
        default: false
        }
    }
}
