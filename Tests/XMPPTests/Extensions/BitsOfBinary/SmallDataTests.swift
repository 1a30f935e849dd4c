// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Small data (XEP-0231)", .timeLimit(.minutes(1)))
struct SmallDataTests {
    static let data = SmallData([1, 2, 3], mediaType: "image/png", lifetime: .seconds(60))

    @Test("is written and read, and known by its hash")
    func roundTrips() throws {
        try roundTrip(Self.data)
        #expect(Self.data.cid == "sha1+7037807198c22a7d2b0807371d763779a84fdfcf@bob.xmpp.org")
    }

    @Test(
        "T144 bytes that are not those of the name, too many, or none, are refused",
        arguments: [
            "<data xmlns='urn:xmpp:bob' cid='sha1+7037807198c22a7d2b0807371d763779a84fdfcf@bob.xmpp.org'>AQIE</data>",
            "<data xmlns='urn:xmpp:bob' cid='sha1+7037807198c22a7d2b0807371d763779a84fdfcf@bob.xmpp.org'/>",
            "<data xmlns='urn:xmpp:bob' cid='md5+00@bob.xmpp.org'>AQID</data>",
            "<data xmlns='urn:xmpp:bob'>AQID</data>",
            "<data xmlns='urn:xmpp:bob' cid='@+'>AQID</data>", "<data xmlns='urn:xmpp:bob' cid='sha1+x@y'>%</data>",
        ])
    func refusal(_ xml: String) throws { #expect(SmallData(try received(xml)) == nil) }

    @Test("T144 more bytes than small data has are refused")
    func cap() throws {
        let large = SmallData([UInt8](repeating: 0, count: SmallData.byteCap + 1), mediaType: nil)
        #expect(SmallData(try received(large.element.xml)) == nil)
        try roundTrip(SmallData([UInt8](repeating: 0, count: SmallData.byteCap), mediaType: nil))
    }

    @Test("is fetched from whoever named it, and answered by whoever has it")
    func exchange() async throws {
        let online = try await OnlineSession { configuration in
            configuration.modules.append(SmallDataModule { cid, _ in cid == Self.data.cid ? Self.data : nil })
        }
        let bo = try JID("bo@example.org/p")
        async let fetched = online.session.smallData("cid:" + Self.data.cid, from: bo)
        let asked = await online.reply(Self.data.element.xml)
        #expect(asked["cid"] == Self.data.cid && asked.text.isEmpty)
        #expect(try await fetched == Self.data)
        async let other = failure { _ = try await online.session.smallData("sha1+00@bob.xmpp.org", from: bo) }
        await online.reply(Self.data.element.xml)
        #expect(await other?.code == .invalidReply)
        for (cid, type) in [(Self.data.cid, "result"), ("x", "error")] {
            online.peer.inject(
                "<iq type='get' id='q' from='bo@example.org/p'><data xmlns='urn:xmpp:bob' cid='\(cid)'/></iq>")
            #expect(await online.peer.expect("iq")?["type"] == type)
        }
        await online.end()
    }

    @Test("comes with a message")
    func inMessage() throws {
        let message = Message(to: nil, payloads: [Self.data.element])
        #expect(message.smallData == [Self.data])
    }
}
