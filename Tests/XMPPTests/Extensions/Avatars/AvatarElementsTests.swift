// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import XMPP
import XMPPTesting

@Suite("The elements of avatars (XEP-0084 §4, XEP-0153 §4.1)")
struct AvatarElementsTests {
    let hash = PictureHash(of: [1])

    @Test("are written and read")
    func roundTrips() throws {
        let info = AvatarInfo(
            hash: hash, byteCount: 12345, mediaType: "image/png", width: 64, height: 48,
            url: "https://example.org/a.png")
        try roundTrip(info)
        try roundTrip(AvatarInfo(hash: hash, byteCount: 1, mediaType: "image/gif"))
        try roundTrip(AvatarMetadata(infos: [info]))
        try roundTrip(AvatarMetadata(infos: []))
        try roundTrip(AvatarAnnouncement.notReady)
        try roundTrip(AvatarAnnouncement.noPicture)
        try roundTrip(AvatarAnnouncement.picture(hash))
    }

    @Test(
        "a form without a name, a size or a kind is none, and a list of such forms is no statement",
        arguments: [
            "bytes='1' type='image/png'", "id='HASH' type='image/png'", "id='HASH' bytes='1'",
            "id='current' bytes='1' type='image/png'", "id='HASH' bytes='-1' type='image/png'",
        ])
    func refused(_ attributes: String) throws {
        let attributes = attributes.replacing("HASH", with: hash.description)
        let info = "<info xmlns='urn:xmpp:avatar:metadata' \(attributes)/>"
        #expect(AvatarInfo(try received(info)) == nil)
        #expect(AvatarMetadata(try received("<metadata xmlns='urn:xmpp:avatar:metadata'>\(info)</metadata>")) == nil)
    }

    @Test("a form of an accepted kind on the account comes before others; one on the web is left to others")
    func preferred() throws {
        let jid = try JID("bo@example.org")
        let drawing = AvatarInfo(hash: PictureHash(of: [2]), byteCount: 9, mediaType: "image/svg+xml")
        let web = AvatarInfo(
            hash: PictureHash(of: [3]), byteCount: 9, mediaType: "image/png", url: "https://example.org/a.png")
        let picture = AvatarInfo(hash: hash, byteCount: 9, mediaType: "image/webp")
        #expect(AvatarChange(jid: jid, forms: [web, drawing, picture]).preferred == picture)
        #expect(AvatarChange(jid: jid, forms: [web]).preferred == nil)
    }

    @Test("B88 a presence has one announcement, the last one")
    func single() throws {
        var presence = try receivedPresence(
            "<presence><x xmlns='vcard-temp:x:update'/><x xmlns='vcard-temp:x:update'><photo/></x></presence>")
        presence.avatar = .picture(hash)
        presence.avatar = .picture(hash)
        let text = try written(presence)
        #expect(text.components(separatedBy: "vcard-temp:x:update").count == 2)
        #expect(presence.avatar == .picture(hash))
        presence.avatar = nil
        #expect(presence.avatar == nil)
    }

    @Test("B92 OF38 B86 what an announcement says")
    func announcements() throws {
        func avatar(_ x: String) throws -> AvatarAnnouncement? {
            try receivedPresence("<presence><x xmlns='vcard-temp:x:update'>\(x)</x></presence>").avatar
        }
        #expect(try avatar("") == .notReady)
        #expect(try avatar("<photo/>") == .noPicture)
        #expect(try avatar("<photo> \(hash.description.uppercased()) </photo>") == .picture(hash))
        #expect(try avatar("<photo>\(PictureHash(of: [9]))\(hash)</photo>") == .picture(hash))
        #expect(try avatar("<photo>current</photo>") == nil)
        #expect(
            try receivedPresence("<presence type='unavailable'><x xmlns='vcard-temp:x:update'/></presence>").avatar
                == nil)
    }
}
