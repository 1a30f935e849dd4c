// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@testable import ChatKit

@Suite("RoomActivityBook")
struct RoomActivityBookTests {
    private let book = RoomActivityBook()
    private let room: JID
    private let ann: JID

    init() throws {
        room = try JID("tea@rooms.example.org")
        ann = try JID("ann@example.org")
    }

    @discardableResult
    private func note(_ news: RoomNews.Occupant, at position: Int64 = 1) -> Bool {
        book.note(news, in: room, account: ann, position: position, now: 1000)
    }

    private func told() -> [String] {
        book.all().map { line in
            line.people.map { person in
                switch person.change {
                case .came: "+\(person.name)"
                case .left: "-\(person.name)"
                case .renamed(let old): "\(old)>\(person.name)"
                case .kicked(let reason): "kick \(person.name) \(reason ?? "")"
                case .banned: "ban \(person.name)"
                case .excluded: "out \(person.name)"
                }
            }.joined(separator: " ") + (line.others > 0 ? " and \(line.others)" : "")
        }
    }

    @Test("what happens between two messages is one line, what follows another message is the next one")
    func fold() {
        #expect(note(.came("bo")) && note(.left("eli")) && note(.renamed(from: "fox", to: "fix")))
        #expect(note(.came("dee"), at: 2))
        #expect(told() == ["+bo -eli fox>fix", "+dee"])
        #expect(book.all().map(\.position) == [1, 2])
    }

    @Test("who comes and goes, or goes and comes back, leaves no trace")
    func nothingLeft() {
        note(.came("bo"))
        #expect(note(.left("bo")))
        #expect(told().isEmpty)
        note(.left("eli"))
        note(.came("eli"))
        #expect(told().isEmpty)
        note(.came("bo"))
        #expect(told() == ["+bo"])
    }

    @Test("nicknames are followed: who came is told by the last one, who is called as before is not told")
    func names() {
        note(.came("bo"))
        note(.renamed(from: "bo", to: "bob"))
        note(.renamed(from: "eli", to: "elias"))
        note(.renamed(from: "elias", to: "eli"))
        note(.renamed(from: "fox", to: "fix"))
        note(.renamed(from: "fix", to: "fax"))
        #expect(told() == ["+bob fox>fax"])
        note(.left("fax"))
        note(.left("bob"))
        #expect(told() == ["-fax"])
    }

    @Test("somebody who takes the name of one who went is told once, and nobody is counted for it")
    func takenName() throws {
        note(.left("bo"))
        note(.renamed(from: "eli", to: "bo"))
        let line = try #require(book.all().first)
        #expect(told() == ["eli>bo"] && line.others == 0)
    }

    @Test("who is put out is told, even where they had just come, and also when they come back")
    func putOut() {
        note(.came("bo"))
        note(.kicked("bo", reason: "enough"))
        note(.banned("eli", reason: nil))
        note(.excluded("fox"))
        note(.came("eli"))
        #expect(told() == ["kick bo enough ban eli out fox"])
    }

    @Test("a line names so many people, a room has so many lines, and a profile so many rooms")
    func bounds() throws {
        for number in 0..<500 { note(.came("n\(number)")) }
        let line = try #require(book.all().first)
        #expect(line.people.count == RoomActivity.maximum && line.others == 500 - RoomActivity.maximum)
        for number in 0..<Int64(RoomActivityBook.capacity + 10) { note(.came("bo"), at: number + 2) }
        #expect(book.all().count == RoomActivityBook.capacity && book.all().first?.position == 12)
        for number in 0..<RoomActivityBook.maximumRooms + 10 {
            let other = try JID("r\(number)@rooms.example.org")
            _ = book.note(.came("bo"), in: other, account: ann, position: 1, now: 1)
        }
        #expect(Set(book.all().map(\.room)).count == RoomActivityBook.maximumRooms)
        book.forget(account: ann)
        #expect(book.all().isEmpty)
    }
}
