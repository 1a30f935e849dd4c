// SPDX-License-Identifier: Apache-2.0

/// A copy of a message that another resource of the account received or sent (XEP-0280 §7, §8).
public struct Carbon: Sendable {
    /// Who had the message in truth.
    public enum Direction: Sendable, Hashable {
        /// Another resource received it.
        case received
        /// Another resource sent it: an outgoing message, no reason for an alert or a receipt.
        case sent
    }

    /// Who had the message in truth.
    public let direction: Direction
    /// The message as the other resource had it.
    public let message: Message
    /// When it was sent, where the server noted it.
    public let delay: Delay?
}

/// The elements of XEP-0280.
package enum CarbonElements {
    package static let namespace = "urn:xmpp:carbons:2"
    static let received = XMLName("received", namespace)
    static let sent = XMLName("sent", namespace)
    static let `private` = XMLName("private", namespace)
    static let enable = Element(XMLName("enable", namespace))
    static let disable = Element(XMLName("disable", namespace))
    /// XEP-0334 §4.3.
    static let noCopy = XMLName("no-copy", "urn:xmpp:hints")
}

/// A message inside another one, and when it was sent (XEP-0297 §3).
package struct Forwarded: Sendable {
    package static let name = XMLName("forwarded", "urn:xmpp:forward:0")
    package var message: Message
    package var delay: Delay?

    /// Reads the element; nil unless it holds exactly one message of the client namespace with valid addresses.
    package init?(_ element: Element) {
        guard element.matches(Self.name), let inner = element.onlyChild(.message) else { return nil }
        var decoder = StanzaDecoder()
        guard let message = try? decoder.message(inner) else { return nil }
        self.message = message
        delay = element.child(Delay.name).flatMap { Delay($0) }
    }
}
