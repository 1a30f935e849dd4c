// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Hashes of contents (XEP-0300)")
struct ContentHashTests {
    static let abc = Array("abc".utf8)

    @Test("are written and read, and tell what they stand for")
    func roundTrips() throws {
        let hash = ContentHash.sha256(of: Self.abc)
        try roundTrip(hash)
        #expect(hash.matches(Self.abc) == true && hash.matches([]) == false)
        #expect(hash.element.text == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
        try roundTrip(ContentHash(algorithm: "sha3-256", value: [1, 2, 3]))
        #expect(ContentHash(algorithm: "sha3-256", value: [1]).matches([]) == nil)
    }

    @Test(
        "what is damaged is refused",
        arguments: [
            "<hash xmlns='urn:xmpp:hashes:2' algo='sha-256'>%%</hash>",
            "<hash xmlns='urn:xmpp:hashes:2' algo='sha-256'/>",
            "<hash xmlns='urn:xmpp:hashes:2' algo='sha-256'>AAAA</hash>", "<hash xmlns='urn:xmpp:hashes:2'>AAAA</hash>",
            "<hash xmlns='urn:xmpp:hashes:1' algo='odd'>AAAA</hash>",
        ])
    func refusal(_ xml: String) throws { #expect(ContentHash(try received(xml)) == nil) }

    @Test("white space in a value does not matter, and not more than 16 stand beside each other")
    func several() throws {
        let element = try received(
            "<x xmlns='urn:x'>"
                + String(repeating: "<hash xmlns='urn:xmpp:hashes:2' algo='odd'> AA\nAA </hash>", count: 40)
                + "</x>")
        #expect(ContentHash.all(in: element).count == 16)
    }
}
