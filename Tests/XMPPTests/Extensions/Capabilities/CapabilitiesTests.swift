// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Hashes in presence (XEP-0115, XEP-0390)")
struct CapabilitiesTests {
    @Test("B93 a version without a hash is no hash, and the presence counts")
    func legacy() throws {
        let presence = try receivedPresence(
            "<presence from='tearoom@rooms.example.org/eli'><c xmlns='http://jabber.org/protocol/caps' node='https://example.org/old' ver='0.9'/></presence>"
        )
        #expect(presence.kind == .available)
        #expect(presence.capabilities?.legacyVersion == "0.9" && presence.capabilities?.keys == [])
    }

    @Test("the better hash comes first, one that is not known here is left out")
    func order() throws {
        let presence = try receivedPresence(
            """
            <presence><c xmlns='http://jabber.org/protocol/caps' node='n' hash='sha-1' ver='QgayPKawpkPSDYmwT/WM94uAlu0='/>
            <c xmlns='urn:xmpp:caps'><hash xmlns='urn:xmpp:hashes:2' algo='sha3-256'>AAAA</hash>
            <hash xmlns='urn:xmpp:hashes:2' algo='sha-256'>kzBZbkqJ3ADrj7v08reD1qcWUwNGHaidNUgD7nHpiw8=</hash></c></presence>
            """)
        let keys = try #require(presence.capabilities?.keys)
        #expect(keys.count == 2)
        #expect(keys.first?.storageName == "0390 sha-256 kzBZbkqJ3ADrj7v08reD1qcWUwNGHaidNUgD7nHpiw8=")
        #expect(keys.last?.storageName == "0115 sha-1 QgayPKawpkPSDYmwT/WM94uAlu0=")
    }

    @Test(
        "what breaks its rules says nothing",
        arguments: [
            "<c xmlns='http://jabber.org/protocol/caps' hash='sha-1' ver='AAAA'/>",
            "<c xmlns='http://jabber.org/protocol/caps' hash='sha-1' node='n'/>", "<c xmlns='urn:xmpp:caps'/>", "<c/>",
        ])
    func refusal(_ content: String) throws {
        #expect(try receivedPresence("<presence>\(content)</presence>").capabilities == nil)
    }

    @Test("a presence that goes away says nothing")
    func unavailable() throws {
        #expect(
            try receivedPresence(
                "<presence type='unavailable'><c xmlns='http://jabber.org/protocol/caps' node='n' ver='1'/></presence>"
            ).capabilities == nil)
    }
}
