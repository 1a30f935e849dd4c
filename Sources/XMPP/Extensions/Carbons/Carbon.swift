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
