// SPDX-License-Identifier: Apache-2.0

/// A message that somebody passes on, in their words (XEP-0297 §3).
public struct ForwardedMessage: Sendable {
    /// The message, as whoever passes it on says that it was.
    ///
    /// Nothing proves it: never show it as a message of the one who is named in it (T105).
    public let message: Message
    /// When it was sent, as whoever passes it on says.
    public let delay: Delay?
}

extension Message {
    /// The messages that this one passes on; those inside of copies and archives are not among them (XEP-0297 §3).
    public var forwardedMessages: [ForwardedMessage] {
        guard kind != .error else { return [] }
        var decoder = StanzaDecoder()
        return payloads(Forwarded.name).compactMap { element in
            Forwarded(element, &decoder, repairing: false).map {
                ForwardedMessage(message: $0.message, delay: $0.delay)
            }
        }
    }

    /// Passes a message on; what the archive or others on the way added to it stays behind (XEP-0297 §3).
    /// - Parameters:
    ///   - message: The message.
    ///   - stamp: When it was sent.
    public mutating func forward(_ message: Message, stamp: DateTime? = nil) {
        var inner = message
        inner.payloads.removeAll { $0.matches(Delay.name) || $0.matches(StanzaID.name) }
        let delay = stamp.map { [Delay(stamp: $0).element] } ?? []
        append(Element(Forwarded.name, children: delay + [inner.element]))
    }

    /// The message as an element inside another.
    private var element: Element {
        Element(.message) { builder in
            builder.attribute("to", to?.description)
            builder.attribute("from", from?.description)
            builder.attribute("id", id)
            if kind != .normal { builder.attribute("type", kind.rawValue) }
            builder.attribute("xml:lang", language)
            for payload in payloads { builder.child(payload) }
        }
    }
}
