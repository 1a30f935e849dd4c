// SPDX-License-Identifier: Apache-2.0
internal import XMPP

extension Message {
    /// A message of a person with what it always carries: its id twice (XEP-0359 §4), and a question for a receipt.
    static func outgoing(to peer: JID, body: String, id: String, isRoom: Bool = false) -> Message {
        var message = Message(to: peer, kind: isRoom ? .groupchat : .chat, id: id, body: body)
        message.originID = id
        message.isMarkable = true
        // What the room gives back says that it has it.
        if isRoom { return message }
        message.requestsReceipt = true
        message.chatState = .active
        return message
    }

    /// Makes the message an answer to another one, with its text in front for programs that know no answers
    /// (XEP-0461 §3.1).
    mutating func answer(_ id: String, author: JID?, quoting text: String?) {
        reply = Reply(to: id, author: author)
        guard let text, !text.isEmpty, let body else { return }
        let quote = text.split(separator: "\n", omittingEmptySubsequences: false).map { "> \($0)\n" }.joined()
        self.body = quote + body
        fallbacks.append(Fallback(for: Reply.namespace, body: [.init(0..<quote.unicodeScalars.count)]))
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
        var decoder = StanzaDecoder()
        guard element.matches(.message), let message = try? decoder.message(element) else { return nil }
        self = message
    }

    /// What the message says beyond the columns of its row, as XML; nil when the columns hold all of it.
    var unmodelledXML: String? {
        for payload in payloads where !Self.isModelled(payload) {
            return receivedElement?.xml
        }
        return nil
    }

    private static func isModelled(_ payload: Element) -> Bool {
        modelled.contains { payload.matches($0) }
    }

    private static let modelled: [XMLName] =
        [
            .body, .subject, .thread, ReceiptRequest.name, Receipt.name, OriginID.name, StanzaID.name, Delay.name,
            Delay.legacyName, MarkableRequest.name, DisplayedMarker.name,
        ] + ChatState.allCases.map { $0.element.name }
}
