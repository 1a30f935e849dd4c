// SPDX-License-Identifier: Apache-2.0
internal import XMPP

extension Message {
    /// Reads a message that was not a stanza of the stream: forwarded (XEP-0297 §3.1), or stored here.
    init?(forwarded element: Element) {
        guard element.matches(PayloadName.message) else { return nil }
        var decoder = StanzaDecoder()
        guard let message = try? decoder.message(element) else { return nil }
        self = message
    }
}
