// SPDX-License-Identifier: Apache-2.0
import Testing
@testable import XMPP
import XMPPTesting

@Suite("Offers before Jingle (XEP-0095, XEP-0096)")
struct StreamInitiationTests {
    @Test("an offer is written and read")
    func roundTrips() throws {
        try roundTrip(
            StreamInitiation(
                id: "a0",
                metadata: FileMetadata(
                    name: "test.txt", mediaType: "text/plain", byteCount: 1022, date: DateTime("1969-07-21T02:56:15Z"),
                    explanation: "a & b")))
    }

    @Test("SP19 an offer of Spark is read")
    func spark() throws {
        let offer = try #require(StreamInitiation(try received(Self.sparkOffer)))
        #expect(offer.id == "jsi_1234567" && offer.methods == ["http://jabber.org/protocol/ibb"])
        #expect(offer.metadata.name == "a.png" && offer.metadata.byteCount == 20_480)
        #expect(offer.metadata.mediaType == "image/png" && offer.metadata.explanation == "Sending file")
    }

    static let sparkOffer = """
        <si xmlns='http://jabber.org/protocol/si' id='jsi_1234567' mime-type='image/png' \
        profile='http://jabber.org/protocol/si/profile/file-transfer'>\
        <file xmlns='http://jabber.org/protocol/si/profile/file-transfer' name='a.png' size='20480'><desc>Sending file</desc></file>\
        <feature xmlns='http://jabber.org/protocol/feature-neg'><x xmlns='jabber:x:data' type='form'>\
        <field var='stream-method' type='list-single'><option><value>http://jabber.org/protocol/ibb</value></option></field>\
        </x></feature></si>
        """

    @Test(
        "what lacks a part or has it twice is no offer",
        arguments: [
            "<file xmlns='http://jabber.org/protocol/si/profile/file-transfer' size='1'/>",
            "<file xmlns='http://jabber.org/protocol/si/profile/file-transfer' name='a'/>",
            "<file xmlns='http://jabber.org/protocol/si/profile/file-transfer' name='a' size='-1'/>",
            "<file xmlns='http://jabber.org/protocol/si/profile/file-transfer' name='a' size='99999999999999999999'/>",
            "<file xmlns='urn:other' name='a' size='1'/>",
            "<file xmlns='http://jabber.org/protocol/si/profile/file-transfer' name='a' size='1'/>"
                + "<file xmlns='http://jabber.org/protocol/si/profile/file-transfer' name='b' size='1'/>",
        ])
    func refused(_ content: String) throws {
        let start = "<si xmlns='http://jabber.org/protocol/si' id='a' profile='\(StreamInitiation.profile)'>"
        #expect(StreamInitiation(try received(start + content + "</si>")) == nil)
    }

    @Test("SP20 the answer names the way, and is read")
    func answers() throws {
        let answer = try received(StreamInitiation.accept("http://jabber.org/protocol/ibb").xml)
        #expect(StreamInitiation.chosen(answer) == "http://jabber.org/protocol/ibb")
        #expect(StreamInitiation.chosen(nil) == nil)
        #expect(StreamInitiation.chosen(try received("<si xmlns='http://jabber.org/protocol/si'/>")) == nil)
    }
}
