// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("What one's own presence says about one's picture (XEP-0153 §4)")
struct AvatarAnnouncerTests {
    var announcer = AvatarAnnouncer()
    let own: JID
    let mine = PictureHash(of: [1])
    let other = PictureHash(of: [2])

    init() throws { own = try JID("ann@example.org/pc") }

    func presence(_ from: String, _ x: String) throws -> Presence {
        try receivedPresence("<presence from='\(from)'>\(x)</presence>")
    }

    func update(_ photo: String) -> String { "<x xmlns='vcard-temp:x:update'>\(photo)</x>" }

    @Test("a picture is announced once it is in the card")
    mutating func usual() {
        #expect(announcer.announced == .notReady)
        #expect(announcer.cardFetched(nil) == .announce(.noPicture))
        #expect(announcer.published(mine) == .announce(.picture(mine)))
        #expect(announcer.published(mine) == nil)
        #expect(announcer.published(nil) == .announce(.noPicture))
    }

    @Test("B85 one's own reflection changes nothing, whatever it says")
    mutating func reflection() throws {
        _ = announcer.published(mine)
        for photo in ["", "<photo/>", "<photo>\(other)</photo>"] {
            #expect(announcer.received(try presence("ann@example.org/pc", update(photo)), own: own) == nil)
        }
        #expect(announcer.received(try presence("ann@example.org/pc", ""), own: own) == nil)
        #expect(announcer.announced == .picture(mine))
    }

    @Test("B85 another program's change is followed once, and nothing is uploaded")
    mutating func otherProgram() throws {
        _ = announcer.published(mine)
        let change = try presence("ann@example.org/phone", update("<photo>\(other)</photo>"))
        #expect(announcer.received(change, own: own) == .fetchCard)
        #expect(announcer.announced == .notReady)
        #expect(announcer.received(change, own: own) == nil)
        #expect(announcer.cardFetched(other) == .announce(.picture(other)))
        #expect(announcer.received(change, own: own) == nil)
        // A card that does not hold what was announced is no reason to begin again either.
        let wrong = try presence("ann@example.org/phone", update("<photo>\(PictureHash(of: [3]))</photo>"))
        #expect(announcer.received(wrong, own: own) == .fetchCard)
        #expect(announcer.cardFetched(other) == .announce(.picture(other)))
        #expect(announcer.received(wrong, own: own) == nil)
        let removed = try presence("ann@example.org/phone", update("<photo/>"))
        #expect(announcer.received(removed, own: own) == .fetchCard)
        #expect(announcer.cardFetched(nil) == .announce(.noPicture))
    }

    @Test("a program that is not ready is left alone; one that knows nothing of this makes the announcement unsure")
    mutating func unaware() throws {
        _ = announcer.published(mine)
        #expect(announcer.received(try presence("ann@example.org/phone", update("")), own: own) == nil)
        #expect(announcer.received(try presence("bo@example.org/phone", ""), own: own) == nil)
        #expect(announcer.received(try presence("ann@example.org/old", ""), own: own) == .announce(.notReady))
        #expect(announcer.received(try presence("ann@example.org/old", ""), own: own) == nil)
    }

    @Test("OF38 where the server announces, the program never does")
    mutating func server() throws {
        announcer = AvatarAnnouncer(isServerDriven: true)
        #expect(announcer.published(mine) == nil)
        #expect(announcer.cardFetched(other) == nil)
        #expect(
            announcer.received(try presence("ann@example.org/phone", update("<photo>\(other)</photo>")), own: own)
                == nil)
        #expect(announcer.announced == .notReady)
    }
}
