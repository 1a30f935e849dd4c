// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Cards (XEP-0054, XEP-0292)")
struct VCardTests {
    static let photo = "<PHOTO><TYPE>image/png</TYPE><BINVAL>\(SamplePictures.pixelText)</BINVAL></PHOTO>"

    func card(_ content: String) throws -> VCard {
        try #require(VCard(try received("<vCard xmlns='vcard-temp'>\(content)</vCard>")))
    }

    /// A card with everything in it.
    static func full() throws -> VCard {
        var card = VCard()
        card.fullName = "Juliet Capulet"
        card.name = VCard.PersonName(family: "Capulet", given: "Juliet", prefix: "Lady")
        card.nicknames = ["jule", "j & c"]
        card.photo = .picture(try Picture(SamplePictures.pixel))
        card.birthday = "1476-06-09"
        var address = VCard.PostalAddress()
        address.street = "Via Cappello 23"
        address.locality = "Verona"
        address.country = "Italy"
        address.places = [.home]
        address.isPreferred = true
        card.addresses = [address]
        card.phones = [
            VCard.Phone("+39-045-1", places: [.home], kinds: [.voice, .cell], isPreferred: true), VCard.Phone("12 34"),
        ]
        card.emails = [VCard.Email("juliet@example.org", places: [.work], isPreferred: true)]
        card.jids = [try JID("juliet@example.org")]
        card.title = "Daughter"
        card.role = "Heroine"
        card.organization = VCard.Organization("Capulet", units: ["Verona", "Balcony"])
        card.urls = ["https://example.org/~juliet"]
        card.note = "Wherefore?"
        return card
    }

    @Test("are written and read in both formats, and the values are the same")
    func roundTrips() throws {
        let card = try Self.full()
        try roundTrip(card)
        try roundTrip(VCard4(card))
        try roundTrip(VCard())
        var link = VCard()
        link.photo = .link("https://example.org/a.png")
        link.birthday = "around 1476"
        try roundTrip(link)
        try roundTrip(VCard4(link))
    }

    @Test("the old format says what its author meant")
    func temporary() throws {
        let element = try received(try Fixture.named("xep-0054/result.xml").xml)
        let card = try #require(element.children.first.flatMap { VCard($0) })
        #expect(card.fullName == "Peter Saint-Andre" && card.nicknames == ["stpeter"] && card.birthday == "1966-08-06")
        #expect(card.name?.family == "Saint-Andre" && card.name?.middle == "")
        #expect(card.organization == VCard.Organization("XMPP Standards Foundation"))
        #expect(card.phones.map(\.number) == ["303-308-3282", "303-555-1212"])
        #expect(card.phones.first?.places == [.work] && card.phones.first?.kinds == [.voice])
        #expect(card.addresses.map(\.locality) == ["Denver", "Denver"])
        #expect(card.emails == [VCard.Email("stpeter@jabber.org", isPreferred: true)])
        #expect(card.jids == [try JID("stpeter@jabber.org")])
        #expect(card.note?.hasPrefix("More information") == true)
    }

    @Test("the newer format says what its author meant")
    func vCard4() throws {
        func card(in element: Element) -> VCard? {
            VCard4(element)?.card ?? element.children.lazy.compactMap { card(in: $0) }.first
        }
        let card = try #require(card(in: try received(try Fixture.named("xep-0292/result.xml").xml)))
        #expect(card.fullName == "Peter Saint-Andre" && card.nicknames == ["stpeter", "psa"])
        #expect(card.name == VCard.PersonName(family: "Saint-Andre", given: "Peter"))
        #expect(card.birthday == "1966-08-06" && card.title == "Executive Director")
        #expect(
            card.phones.first == VCard.Phone("+1-303-308-3282", places: [.work], kinds: [.voice], isPreferred: true))
        #expect(card.emails.map(\.address) == ["psaintan@cisco.com", "stpeter@jabber.org"])
        #expect(card.jids == [try JID("psaintan@cisco.com"), try JID("stpeter@jabber.org")])
        #expect(card.addresses.map(\.postalCode) == ["80202", "80138"])
        #expect(card.urls == ["https://stpeter.im/"])
    }

    @Test("B83 SP18 a picture without a kind, or with a wrong one, is what its bytes are, line breaks or not")
    func photoKind() throws {
        let text = SamplePictures.pixelText
        let wrapped = "\n    " + text.prefix(40) + "\r\n" + text.dropFirst(40) + "\n"
        let picture = VCard.Photo.picture(try Picture(SamplePictures.pixel))
        #expect(try card("<PHOTO><BINVAL>\(text)</BINVAL></PHOTO>").photo == picture)
        #expect(try card("<PHOTO><TYPE>\n image/jpeg \n</TYPE><BINVAL>\(wrapped)</BINVAL></PHOTO>").photo == picture)
    }

    @Test("B84 a damaged picture is none, and the rest of the card is read")
    func damaged() throws {
        let card = try card("<PHOTO><BINVAL>%%%</BINVAL></PHOTO><FN>Bo</FN>")
        #expect(card.photo == nil && card.fullName == "Bo")
        #expect(try self.card("<PHOTO><BINVAL>PHN2Zy8+</BINVAL></PHOTO>").photo == nil)
    }

    @Test("what does not change stays as it was, known or not, in its place")
    func kept() throws {
        let original = try received(
            """
            <vCard xmlns='vcard-temp' version='2.0'><X-FIRST a='b'>1</X-FIRST><FN>Bo</FN>\
            <TEL><WORK/><MSG/><NUMBER>1</NUMBER></TEL><TEL><X400/><NUMBER/></TEL><TEL><HOME/><NUMBER>2</NUMBER></TEL>\
            <PHOTO><BINVAL>%%%</BINVAL></PHOTO><CATEGORIES><KEYWORD>k</KEYWORD></CATEGORIES></vCard>
            """)
        var card = try #require(VCard(original))
        let coding = VCardCoding(.temporary)
        #expect(coding.element(card, over: original).xml == original.xml)
        card.fullName = "Bob"
        card.phones = [card.phones[1], card.phones[0], VCard.Phone("3", kinds: [.fax])]
        let changed = coding.element(card, over: original)
        #expect(VCard(changed) == card)
        #expect(changed["version"] == "2.0")
        #expect(
            changed.children.map(\.localName) == [
                "X-FIRST", "FN", "TEL", "TEL", "TEL", "TEL", "PHOTO", "CATEGORIES",
            ])
        let xml = changed.xml
        #expect(xml.contains("<WORK/><MSG/><NUMBER>1</NUMBER>") && xml.contains("<X400/><NUMBER/>"))
        #expect(xml.contains("<BINVAL>%%%</BINVAL>") && xml.contains("<X-FIRST a='b'>1</X-FIRST>"))
        card.photo = .picture(try Picture(SamplePictures.pixel))
        #expect(!coding.element(card, over: original).xml.contains("%%%"))
    }

    @Test("the newer format keeps parts it has several values for, and groups")
    func kept4() throws {
        let original = try received(
            """
            <vcard xmlns='urn:ietf:params:xml:ns:vcard-4.0'><group name='g'><fn><text>other</text></fn></group>\
            <fn><text>Bo</text></fn><nickname><text>a</text><text>b</text></nickname><lang><language-tag>en</language-tag>\
            </lang></vcard>
            """)
        var card = try #require(VCard4(original)).card
        #expect(card.fullName == "Bo" && card.nicknames == [])
        card.nicknames = ["c"]
        let changed = VCardCoding(.vCard4).element(card, over: original)
        #expect(changed.children.map(\.localName) == ["group", "fn", "nickname", "nickname", "lang"])
        #expect(VCard4(changed)?.card == card)
    }

    @Test("another element is no card")
    func others() throws {
        #expect(VCard(try received("<vCard xmlns='urn:example'/>")) == nil)
        #expect(VCard4(try received("<vCard xmlns='vcard-temp'/>")) == nil)
        #expect(try card("<N><FAMILY/></N><ORG><ORGNAME/></ORG><ADR><HOME/></ADR><JABBERID>@</JABBERID>") == VCard())
    }
}
