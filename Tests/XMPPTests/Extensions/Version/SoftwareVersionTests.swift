// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Software versions (XEP-0092)")
struct SoftwareVersionTests {
    @Test("are written and read")
    func roundTrips() throws {
        try roundTrip(SoftwareVersion.library)
        try roundTrip(SoftwareVersion(program: "Exodus & co", version: "0.7.0.4", system: "Windows-XP 5.01.2600"))
    }

    @Test(
        "one that lacks the name or the version is none",
        arguments: [
            "<query xmlns='jabber:iq:version'/>", "<query xmlns='jabber:iq:version'><name>a</name></query>",
            "<query xmlns='jabber:iq:version'><version>1</version></query>",
            "<query xmlns='jabber:iq:other'><name>a</name><version>1</version></query>",
        ])
    func refusal(_ xml: String) throws { #expect(SoftwareVersion(try received(xml)) == nil) }
}
