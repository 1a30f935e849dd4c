// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Cards of a session (XEP-0054 §3, XEP-0292 §4)", .timeLimit(.minutes(1)))
struct XMPPSessionVCardTests {
    @Test("OF37 B91 no card: an empty result, an empty card and both errors are the same")
    func none() async throws {
        let online = try await OnlineSession()
        let bo = try JID("bo@example.org/phone")
        for payload in ["", "<vCard xmlns='vcard-temp'/>"] {
            async let fetching = online.session.fetchVCard(of: bo)
            let get = await online.answer(payload)
            #expect(get?["to"] == "bo@example.org" && get?.children.first?.xml == "<vCard xmlns='vcard-temp'/>")
            #expect(try await fetching == nil)
        }
        for condition in ["item-not-found", "service-unavailable"] {
            async let fetching = online.session.fetchVCard(of: bo)
            await online.refuse(condition)
            #expect(try await fetching == nil)
        }
        async let forbidden = failureCode { _ = try await online.session.fetchVCard(of: bo) }
        await online.refuse("forbidden", "auth")
        #expect(await forbidden == .requestFailed)
        async let strange = failureCode { _ = try await online.session.fetchVCard(of: bo) }
        await online.answer("<query xmlns='jabber:iq:roster'><item jid='a@example.org'/></query>")
        #expect(await strange == .invalidReply)
        await online.end()
    }

    @Test("one's own card is asked for without an address")
    func own() async throws {
        let online = try await OnlineSession()
        async let fetching = online.session.fetchVCard(of: try JID("juliet@example.org"))
        let get = await online.answer("<vCard xmlns='vcard-temp'><FN>Juliet</FN></vCard>")
        #expect(get?["to"] == nil)
        #expect(try await fetching?.fullName == "Juliet")
        await online.end()
    }

    @Test("B91 a card that does not exist yet is begun")
    func begun() async throws {
        let online = try await OnlineSession()
        async let updating = online.session.updateVCard { $0.nicknames = ["jule"] }
        await online.refuse("item-not-found")
        let set = await online.answer()
        #expect(set?["type"] == "set" && set?["to"] == nil)
        #expect(set?.children.first?.xml == "<vCard xmlns='vcard-temp'><NICKNAME>jule</NICKNAME></vCard>")
        #expect(try await updating.nicknames == ["jule"])
        await online.end()
    }

    @Test("what does not change is not sent, and an error of the change ends it")
    func unchanged() async throws {
        let online = try await OnlineSession()
        async let same = online.session.updateVCard { $0.fullName = "Juliet" }
        await online.answer("<vCard xmlns='vcard-temp'><FN>Juliet</FN></vCard>")
        #expect(try await same.fullName == "Juliet")
        async let thrown = failureCode {
            try await online.session.updateVCard { _ in throw XMPPError(.invalidArgument, "no") }
        }
        await online.answer()
        #expect(await thrown == .invalidArgument)
        await online.settle()
        await online.end()
    }

    @Test("B90 a card that is too large is refused here")
    func tooLarge() async throws {
        let online = try await OnlineSession()
        async let large = failureCode {
            try await online.session.updateVCard { $0.note = String(repeating: "x", count: 250_000) }
        }
        await online.answer()
        #expect(await large == .invalidArgument)
        await online.settle()
        await online.end()
    }

    @Test("the newer format is published whole, for the audience that was asked for")
    func vCard4() async throws {
        let online = try await OnlineSession()
        async let updating = online.session.updateVCard(format: .vCard4, audience: .contacts) { $0.title = "Heroine" }
        let get = await online.answer(
            """
            <pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='urn:xmpp:vcard4'><item id='x'>\
            <vcard xmlns='urn:ietf:params:xml:ns:vcard-4.0'><fn><text>Juliet</text></fn><kind><text>individual</text></kind>\
            </vcard></item></items></pubsub>
            """)
        #expect(get?.xml.contains("max_items='1'") == true)
        let set = await online.answer()
        let xml = try #require(set?.xml)
        #expect(xml.contains("node='urn:xmpp:vcard4'") && xml.contains("<kind><text>individual</text></kind>"))
        #expect(xml.contains("<title><text>Heroine</text></title>") && xml.contains("<value>presence</value>"))
        #expect(try await updating.fullName == "Juliet")
        async let none = online.session.fetchVCard(of: try JID("bo@example.org"), format: .vCard4)
        await online.refuse("item-not-found")
        #expect(try await none == nil)
        await online.end()
    }
}
