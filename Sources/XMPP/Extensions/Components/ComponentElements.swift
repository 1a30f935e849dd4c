// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// The stream of a component (XEP-0114 §3).
enum ComponentStream {
    static let namespace = "jabber:component:accept"
    /// The server's answer to the proof; stanzas and this are read as if they were those of a client.
    static let accepted = XMLName("handshake", Namespace.client)

    /// §3: the digest of the stream's identifier and the secret, in lower case.
    static func handshake(id: String, secret: [UInt8]) -> Element {
        let proof = digest(.sha1, Array(id.utf8) + secret).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return Element(XMLName("handshake", namespace), text: proof.joined())
    }
}
