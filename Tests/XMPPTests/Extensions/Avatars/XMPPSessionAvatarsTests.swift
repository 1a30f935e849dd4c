// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import XMPP
import XMPPTesting

@Suite("Avatars of a session (XEP-0084, XEP-0153, XEP-0398)", .timeLimit(.minutes(1)))
struct XMPPSessionAvatarsTests {
    static let conversion = "urn:xmpp:pep-vcard-conversion:0"
    let picture: Picture

    init() throws { picture = try Picture(SamplePictures.pixel) }

    func published(_ iq: Element?) -> (node: String?, item: Element?, options: DataForm?) {
        let pubsub = "http://jabber.org/protocol/pubsub"
        let publish = iq?.children.first?.child(XMLName("publish", pubsub))
        let options = iq?.children.first?.child(XMLName("publish-options", pubsub))?.child(DataForm.name)
        return (publish?["node"], publish?.children.first, options.flatMap { DataForm($0) })
    }

    @Test("a server that keeps both kinds alike gets the data, then the metadata, and no card")
    func converted() async throws {
        let online = try await OnlineSession { $0.initialPresence = Presence() }
        await online.peer.expect("presence")
        async let publishing: Void = online.session.publishAvatar(picture)
        let question = await online.tellAccount([Self.conversion])
        #expect(question?["to"] == "juliet@example.org")
        let data = published(await online.answer())
        #expect(data.node == "urn:xmpp:avatar:data" && data.item?["id"] == picture.hash.description)
        #expect(data.item?.children.first?.text == SamplePictures.pixelText)
        #expect(data.options?["pubsub#access_model"]?.values == ["open"])
        let metadata = published(await online.answer())
        #expect(metadata.node == "urn:xmpp:avatar:metadata" && metadata.item?["id"] == picture.hash.description)
        #expect(metadata.item?.children.first.flatMap { AvatarMetadata($0) }?.infos == [AvatarInfo(picture)])
        try await publishing
        await online.settle()
        #expect(!online.peer.writtenText.contains("vcard-temp"))
        await online.end()
    }

    @Test("B88 a server that does not gets the card, too, and each presence says so once")
    func separate() async throws {
        let online = try await OnlineSession { $0.initialPresence = Presence(status: "here") }
        await online.peer.expect("presence")
        async let publishing: Void = online.session.publishAvatar(picture)
        await online.tellAccount([])
        await online.answer()
        await online.answer()
        await online.answer("<vCard xmlns='vcard-temp'><FN>Juliet</FN><X-A>kept</X-A></vCard>")
        let set = await online.answer()
        let card = try #require(set?.children.first)
        #expect(VCard(card)?.photo == .picture(picture))
        #expect(card.xml.contains("<X-A>kept</X-A>") && card.xml.contains("Juliet"))
        let element = try #require(await online.peer.expect("presence"))
        var decoder = StanzaDecoder()
        let presence = try decoder.presence(element)
        #expect(presence.avatar == .picture(picture.hash) && presence.status == "here")
        try await publishing
        try await online.session.announceAvatar(.picture(picture.hash))
        await online.settle()
        // Every presence from now on says it, and once.
        try await online.session.setPresence(Presence(show: .away))
        let away = await online.peer.expect("presence")
        #expect(away?.xml.components(separatedBy: "vcard-temp:x:update").count == 2)
        // One that has a word of its own about the picture keeps it.
        var hidden = Presence()
        hidden.avatar = .noPicture
        try await online.session.setPresence(hidden)
        let own = try decoder.presence(try #require(await online.peer.expect("presence")))
        #expect(own.avatar == .noPicture)
        try await online.session.setPresence(nil)
        #expect(await online.peer.expect("presence")?.xml.contains("vcard-temp:x:update") == false)
        await online.end()
    }

    @Test("an avatar for contacts only stays out of the card, which everybody can read")
    func contactsOnly() async throws {
        let online = try await OnlineSession()
        async let publishing: Void = online.session.publishAvatar(picture, audience: .contacts)
        await online.tellAccount([])
        #expect(published(await online.answer()).options?["pubsub#access_model"]?.values == ["presence"])
        await online.answer()
        try await publishing
        async let hopeless = failureCode { try await online.session.publishAvatar(picture, audience: .contacts) }
        await online.tellAccount([], isPersonalNode: false)
        #expect(await hopeless == .notSupported)
        await online.settle()
        await online.end()
    }

    @Test("OF41 a node that has another audience is configured anew, and the item published once more")
    func reconfigured() async throws {
        let online = try await OnlineSession()
        async let publishing: Void = online.session.publishAvatar(picture)
        await online.tellAccount([Self.conversion])
        await online.refuse(
            "conflict", detail: "<precondition-not-met xmlns='http://jabber.org/protocol/pubsub#errors'/>")
        let configuration = await online.answer()
        #expect(configuration?.children.first?.namespace == "http://jabber.org/protocol/pubsub#owner")
        #expect(published(await online.answer()).node == "urn:xmpp:avatar:data")
        #expect(published(await online.answer()).node == "urn:xmpp:avatar:metadata")
        try await publishing
        await online.end()
    }

    @Test("B90 a picture that servers would close the stream for is refused before anything is sent")
    func tooLarge() async throws {
        let online = try await OnlineSession()
        let large = try Picture(SamplePictures.png(64, 64, filler: 200_000))
        #expect(await failureCode { try await online.session.publishAvatar(large) } == .pictureTooLarge)
        await online.settle()
        await online.end()
    }

    @Test("taking it back empties the metadata and the card, and says so")
    func removed() async throws {
        let online = try await OnlineSession { $0.initialPresence = Presence() }
        await online.peer.expect("presence")
        async let removing: Void = online.session.removeAvatar()
        await online.tellAccount([])
        let metadata = published(await online.answer())
        #expect(metadata.item?.children.first.flatMap { AvatarMetadata($0) }?.infos == [])
        await online.answer("<vCard xmlns='vcard-temp'>\(VCardTests.photo)<FN>J</FN></vCard>")
        let set = await online.answer()
        #expect(set?.children.first?.children.map(\.localName) == ["FN"])
        let presence = await online.peer.expect("presence")
        #expect(presence?.xml.contains("<photo/>") == true)
        try await removing
        await online.end()
    }

    @Test("a picture is fetched from the account once, then taken from the cache")
    func fetched() async throws {
        let online = try await OnlineSession()
        let cache = MemoryPictureCache()
        let request = AvatarRequest(jid: try JID("bo@example.org"), hash: picture.hash, source: .node)
        async let fetching = online.session.fetchAvatar(request, cache: cache)
        let get = await online.answer(
            """
            <pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='urn:xmpp:avatar:data'>\
            <item id='\(picture.hash)'><data xmlns='urn:xmpp:avatar:data'>\(SamplePictures.pixelText)</data></item>\
            </items></pubsub>
            """)
        #expect(get?["to"] == "bo@example.org" && get?["type"] == "get")
        #expect(get?.xml.contains("<item id='\(picture.hash)'/>") == true)
        #expect(try await fetching == picture)
        #expect(try await online.session.fetchAvatar(request, cache: cache) == picture)
        await online.settle()
        await online.end()
    }

    @Test("a picture of a card comes from the bare address, and that of an occupant through the room")
    func cards() async throws {
        let online = try await OnlineSession()
        let occupant = try JID("tea@rooms.example.org/bo")
        for (jid, source, asked) in [
            (try JID("bo@example.org/x"), AvatarRequest.Source.card, "bo@example.org"),
            (occupant, .occupantCard, "tea@rooms.example.org/bo"),
        ] {
            let request = AvatarRequest(jid: jid, hash: nil, source: source)
            async let fetching = online.session.fetchAvatar(request)
            let get = await online.answer("<vCard xmlns='vcard-temp'>\(VCardTests.photo)</vCard>")
            #expect(get?["to"] == asked)
            #expect(try await fetching == picture)
        }
        async let none = online.session.fetchAvatar(
            AvatarRequest(jid: occupant, hash: picture.hash, source: .occupantCard))
        await online.refuse("item-not-found")
        #expect(try await none == nil)
        await online.end()
    }

    @Test("T144 another picture, a drawing and one whose announced size is too much are refused")
    func refused() async throws {
        let online = try await OnlineSession()
        let jid = try JID("bo@example.org")
        func fetch(_ hash: PictureHash, bytes: Int? = nil) async -> XMPPError.Code? {
            await failureCode {
                _ = try await online.session.fetchAvatar(
                    AvatarRequest(jid: jid, hash: hash, source: .card, byteCount: bytes))
            }
        }
        #expect(await fetch(picture.hash, bytes: 50_000_000) == .pictureTooLarge)
        let other = PictureHash(of: [1])
        async let mismatch = fetch(other)
        await online.answer("<vCard xmlns='vcard-temp'>\(VCardTests.photo)</vCard>")
        #expect(await mismatch == .pictureMismatch)
        let drawing = Array("<svg/>".utf8)
        async let notAcceptable = fetch(PictureHash(of: drawing))
        await online.answer("<vCard xmlns='vcard-temp'><PHOTO><BINVAL>PHN2Zy8+</BINVAL></PHOTO></vCard>")
        #expect(await notAcceptable == .pictureNotAcceptable)
        await online.settle()
        await online.end()
    }

    @Test("T143 an answer of another node or with another item is not what was asked for")
    func otherItem() async throws {
        let online = try await OnlineSession()
        let request = AvatarRequest(jid: try JID("bo@example.org"), hash: picture.hash, source: .node)
        async let first = online.session.fetchAvatar(request)
        await online.answer(
            """
            <pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='urn:xmpp:avatar:data'><item id='other'>\
            <data xmlns='urn:xmpp:avatar:data'>\(SamplePictures.pixelText)</data></item></items></pubsub>
            """)
        #expect(try await first == nil)
        async let second = failureCode { _ = try await online.session.fetchAvatar(request) }
        await online.answer("<pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='urn:other'/></pubsub>")
        #expect(await second == .invalidReply)
        await online.end()
    }
}
