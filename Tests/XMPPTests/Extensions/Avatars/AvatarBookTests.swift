// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Which avatar is shown for whom (XEP-0084, XEP-0153)")
struct AvatarBookTests {
    var book = AvatarBook()
    let bo: JID
    let first: Picture
    let second: Picture

    init() throws {
        bo = try JID("bo@example.org")
        first = try Picture(SamplePictures.png(10, 10))
        second = try Picture(SamplePictures.png(20, 20))
    }

    mutating func next() throws -> AvatarRequest {
        let request = book.next()
        return try #require(request)
    }

    func presence(_ from: String, _ photo: String) throws -> Presence {
        try receivedPresence("<presence from='\(from)'><x xmlns='vcard-temp:x:update'>\(photo)</x></presence>")
    }

    func photo(_ picture: Picture) -> String { "<photo>\(picture.hash)</photo>" }

    @Test("what is announced is fetched once, and then shown")
    mutating func usual() throws {
        #expect(try book.received(presence("bo@example.org/a", photo(first))))
        let request = try next()
        #expect(request == AvatarRequest(jid: bo, hash: first.hash, source: .card))
        #expect(book[bo] == nil)
        #expect(book.finished(request, first) == true)
        #expect(book[bo] == first.hash)
        #expect(book.next() == nil)
    }

    @Test("B87 one request per address and name, however often it is announced; what was not there stays away")
    mutating func once() throws {
        for number in 0..<10 { book.received(try presence("bo@example.org/\(number)", photo(first))) }
        let request = try next()
        #expect(book.next() == nil)
        book.received(try presence("bo@example.org/a", photo(first)))
        #expect(book.next() == nil)
        #expect(book.finished(request, nil) == false)
        #expect(try !book.received(presence("bo@example.org/a", photo(first))))
        #expect(book.next() == nil)
        for room in ["tea@rooms.example.org/bo", "wine@rooms.example.org/bo"] {
            #expect(try book.received(presence(room, photo(first)), isOccupant: true))
            #expect(try !book.received(presence(room, photo(first)), isOccupant: true))
            #expect(book.next()?.source == .occupantCard)
            #expect(book.next() == nil)
        }
        #expect(try book.received(presence("bo@example.org/a", photo(second))))
        #expect(book.next()?.hash == second.hash)
    }

    @Test("B89 a new name is fetched anew; the old picture stays until then, and what comes too late is left out")
    mutating func changes() throws {
        book.received(try presence("bo@example.org/a", photo(first)))
        let old = try next()
        #expect(book.finished(old, first) == true)
        #expect(try book.received(presence("bo@example.org/a", photo(second))))
        #expect(book[bo] == first.hash)
        let new = try next()
        #expect(book.finished(new, first) == false)
        #expect(book[bo] == first.hash)
        #expect(try !book.received(presence("bo@example.org/a", photo(second))))
        #expect(try !book.received(presence("bo@example.org/a", photo(first))))
        #expect(try book.received(presence("bo@example.org/a", photo(second))))
        let third = try next()
        book.received(try presence("bo@example.org/a", photo(first)))
        #expect(book.finished(third, second) == false)
        #expect(book[bo] == first.hash)
    }

    @Test("B86 what is no digest starts nothing")
    mutating func noDigest() throws {
        #expect(try !book.received(presence("bo@example.org/a", "<photo>current</photo>")))
        #expect(book == AvatarBook())
    }

    @Test("B92 not ready leaves the picture; none asks the card once and believes it")
    mutating func empty() throws {
        book.received(try presence("bo@example.org/a", photo(first)))
        let known = try next()
        book.finished(known, first)
        #expect(try !book.received(presence("bo@example.org/a", "")))
        #expect(book[bo] == first.hash)
        #expect(book.next() == nil)
        #expect(try book.received(presence("bo@example.org/a", "<photo/>")))
        let check = try next()
        #expect(check.hash == nil && check.source == .card)
        #expect(book.finished(check, nil) == true)
        #expect(book[bo] == nil)
        #expect(try !book.received(presence("bo@example.org/a", "<photo/>")))
    }

    @Test("OF38 a server that writes no picture for everybody takes none away, and is asked once")
    mutating func openfire() throws {
        #expect(try !book.received(presence("bo@example.org/a", "<photo/>")))
        book.received(try presence("bo@example.org/a", "<photo>\(second.hash)\(first.hash)</photo>"))
        let known = try next()
        book.finished(known, first)
        #expect(book[bo] == first.hash)
        book.received(try presence("bo@example.org/a", "<photo/>"))
        let doubted = try next()
        #expect(book.finished(doubted, first) == false)
        #expect(book[bo] == first.hash)
        #expect(try !book.received(presence("bo@example.org/b", "<photo/>")))
        #expect(book.next() == nil)
    }

    @Test("what an account publishes counts more than what a presence says")
    mutating func node() throws {
        book.received(try presence("bo@example.org/a", photo(second)))
        let request = try next()
        book.finished(request, nil)
        let change = AvatarChange(jid: bo, forms: [AvatarInfo(second)])
        #expect(book.received(change) == true)
        let published = try next()
        #expect(published.source == .node && published.byteCount == second.bytes.count)
        book.finished(published, second)
        #expect(try !book.received(presence("bo@example.org/a", photo(first))))
        #expect(try !book.received(presence("bo@example.org/a", "<photo/>")))
        #expect(book.received(change) == false)
        #expect(book[bo] == second.hash)
        #expect(book.received(AvatarChange(jid: bo, forms: [])) == true)
        #expect(book[bo] == nil)
        #expect(book.next() == nil)
        #expect(book.received(AvatarChange(jid: bo, forms: [])) == false)
    }

    @Test("T145 10 000 notifications after login are one fetch for each address, and addresses are bounded")
    mutating func flood() throws {
        for number in 0..<10_000 {
            let info = AvatarInfo(
                hash: PictureHash(of: [UInt8(number & 255), 1]), byteCount: 9, mediaType: "image/png")
            book.received(AvatarChange(jid: bo, forms: [info]))
        }
        // It waits once, as if only the last of them had come.
        var once = AvatarBook()
        once.received(
            AvatarChange(
                jid: bo,
                forms: [AvatarInfo(hash: PictureHash(of: [15, 1]), byteCount: 9, mediaType: "image/png")]))
        #expect(book == once)
        #expect(book.next() != nil)
        #expect(book.next() == nil)
        let info = AvatarInfo(first)
        for number in 0..<AvatarBook.capacity + 500 {
            book.received(AvatarChange(jid: try JID("c\(number)@example.net"), forms: [info]))
        }
        var requests = 0
        while book.next() != nil { requests += 1 }
        #expect(requests == AvatarBook.capacity - 1)
    }

    @Test("a fetch that a lost connection ended waits again, and an occupant who left is forgotten")
    mutating func postponed() throws {
        book.received(AvatarChange(jid: bo, forms: [AvatarInfo(first)]))
        let request = try next()
        book.postponed(request)
        #expect(book.next() == request)
        book.forget(bo)
        #expect(book.finished(request, first) == false)
        #expect(book[bo] == nil)
    }
}
