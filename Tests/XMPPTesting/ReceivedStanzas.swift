// SPDX-License-Identifier: Apache-2.0
package import Testing
package import XMPP

/// What a test could not read.
package struct UnreadableText: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) { self.description = description }
}

/// The element that a text stands for, as the parser of a session reads it; the default namespace is that of stanzas.
package func received(_ xml: String) throws -> Element {
    var parser = XMLStreamParser(limits: .afterLogin)
    let text =
        "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>" + xml
    Array(text.utf8).withUnsafeBytes { parser.append($0) }
    guard case .open = try parser.next(), case .stanza(let element) = try parser.next() else {
        throw UnreadableText(description: "no element in \(xml)")
    }
    return element
}

/// A message as a session receives it.
package func receivedMessage(_ xml: String) throws -> Message {
    var decoder = StanzaDecoder()
    return try decoder.message(try received(xml))
}

/// A presence as a session receives it.
package func receivedPresence(_ xml: String) throws -> Presence {
    var decoder = StanzaDecoder()
    return try decoder.presence(try received(xml))
}

/// An iq as a session receives it.
package func receivedIQ(_ xml: String) throws -> IQ {
    var decoder = StanzaDecoder()
    return try decoder.iq(try received(xml))
}

/// The stanza as it goes over the wire.
package func written(_ message: Message) throws -> String {
    var writer = XMLWriter()
    try message.write(to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
}

/// The stanza as it goes over the wire.
package func written(_ presence: Presence) throws -> String {
    var writer = XMLWriter()
    try presence.write(to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
}

/// Checks that a payload written and read again is the same, and that another name is refused.
package func roundTrip<Payload: StanzaPayload>(
    _ payload: Payload, _ location: SourceLocation = #_sourceLocation
) throws {
    let element = try received(payload.element.xml)
    #expect(Payload(element) == payload, sourceLocation: location)
    #expect(payload.element.xml == element.xml, sourceLocation: location)
}
