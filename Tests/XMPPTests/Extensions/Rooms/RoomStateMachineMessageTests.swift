// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("What is said in a room (XEP-0045)")
struct RoomStateMachineMessageTests {
    func delay(_ from: String? = nil, _ stamp: String = "2031-03-04T08:10:02.5Z") -> String {
        "<delay xmlns='urn:xmpp:delay' stamp='\(stamp)' \(from.map { "from='\($0)'" } ?? "")/>"
    }

    @Test("B106 of two delays that of the room counts, and the message is history")
    func twoDelays() throws {
        var room = try RoomScript()
        try room.join()
        let message = try receivedMessage(
            "<message from='tearoom@rooms.example.org/bo' type='groupchat'><body>x</body>\(delay())"
                + "\(delay("tearoom@rooms.example.org", "2031-03-04T08:11:13.25Z"))</message>")
        let facts = try #require(RoomMessageFacts(message))
        #expect(facts.roomDelay?.description == "2031-03-04T08:11:13.25Z")
        #expect(room.machine.handle(.message(facts)) == .message(.history))
    }

    @Test("OF46 before the end of the join a delay of anybody is history; the subject is its end, an empty one too")
    func endOfJoin() throws {
        var room = try RoomScript("garden@conference.example.org")
        try room.join("Rom", own: "Jule")
        #expect(try room.says("Rom", "<body>1</body>\(delay("romeo@example.org/orchard"))") == .message(.history))
        #expect(
            try room.says("Rom", "<body>2</body>\(delay("garden@conference.example.org/Rom"))") == .message(.history))
        #expect(try room.says("Rom", "<body>3</body>\(delay())") == .message(.history))
        let empty = RoomSubject(text: "", author: room.room)
        #expect(try room.says(nil, "<subject/>") == .subject(empty))
        #expect(try room.says("Rom", "<body>4</body>\(delay("romeo@example.org/orchard"))") == .message(.live))
    }

    @Test("T122 later an occupant's own delay says nothing, and the room's still does")
    func forgedDelay() throws {
        var room = try RoomScript()
        try room.join("mal")
        _ = try room.says("mal", "<body>first live word</body>")
        #expect(try room.says("mal", "<body>x</body>\(delay())") == .message(.live))
        #expect(try room.says("mal", "<body>x</body>\(delay("tearoom@rooms.example.org/mal"))") == .message(.live))
        #expect(try room.says("bo", "<body>x</body>\(delay("tearoom@rooms.example.org"))") == .message(.history))
    }

    @Test("where the room sends no subject, a live word or the time ends the history")
    func noSubject() throws {
        var room = try RoomScript()
        try room.join("mal")
        _ = room.machine.handle(.historyEnded)
        #expect(try room.says("mal", "<body>x</body>\(delay())") == .message(.live))
    }

    @Test("B130 an empty subject takes it away, a missing one leaves it, and one is in without any")
    func subject() throws {
        var room = try RoomScript()
        try room.join("bo")
        #expect(room.machine.isIn && room.machine.subject == nil)
        _ = try room.says("bo", "<subject>tea</subject>")
        #expect(room.machine.subject?.text == "tea" && room.machine.subject?.author.resource == "bo")
        _ = try room.says("bo", "<body>no subject</body>")
        #expect(room.machine.subject?.text == "tea")
        _ = try room.says("bo", "<subject>/</subject><body>is a message with a title</body>")
        _ = try room.says("bo", "<subject>is part of</subject><thread>a conversation</thread>")
        #expect(room.machine.subject?.text == "tea")
        _ = try room.says("bo", "<subject></subject>")
        #expect(room.machine.subject?.text.isEmpty == true)
    }

    @Test("B133 one's own words come back as a reflection, and later, with a delay, as history")
    func reflection() throws {
        var room = try RoomScript()
        try room.join("bo")
        #expect(try room.says("ann", "<body>hi</body>", id: "w12") == .message(.reflection))
        #expect(try room.says("bo", "<body>hi</body>", id: "w12") == .message(.live))
        #expect(
            try room.says("ann", "<body>hi</body>\(delay("tearoom@rooms.example.org"))", id: "w12")
                == .message(.history))
    }

    @Test("OF47 whose words they are, the room's name for the account says where there is one")
    func reflectionByID() throws {
        var room = try RoomScript()
        _ = room.machine.handle(.namesAccounts(true))
        try room.enter()
        let mine = "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='mine'/>"
        let theirs = "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='theirs'/>"
        #expect(try room.presence("ann", codes: 110, more: mine) == .changed(.joined))
        #expect(try room.says("ann", "<body>x</body>\(mine)") == .message(.reflection))
        #expect(try room.says("ann", "<body>x</body>\(theirs)") == .message(.live))
        #expect(try room.says("phone", "<body>x</body>\(mine)") == .message(.reflection))
    }

    @Test("T138 only the room itself speaks by numbers")
    func notices() throws {
        var room = try RoomScript()
        try room.join("mal")
        let logged = "<x xmlns='http://jabber.org/protocol/muc#user'><status code='170'/><status code='172'/></x>"
        #expect(try room.says("mal", logged) == .message(.live))
        #expect(try room.says(nil, logged) == .notices([.loggingEnabled, .nonAnonymous]))
        let configured = "<x xmlns='http://jabber.org/protocol/muc#user'><status code='104'/><status code='x'/></x>"
        #expect(try room.says(nil, configured) == .notices([.configurationChanged]))
    }

    @Test("OF45 the room's word on a change has no text, and a private message is no word to all")
    func others() throws {
        var room = try RoomScript()
        try room.join("bo")
        #expect(
            try room.says("bo", "<body>psst</body><x xmlns='http://jabber.org/protocol/muc#user'/>", type: "chat")
                == .message(.live))
        #expect(try room.says("bo", "<subject>x</subject>", type: "chat") == .message(.live))
        #expect(room.machine.subject == nil)
    }

    @Test("T137 of many rooms a few are entered at a time, in order")
    func turns() throws {
        var queue = RoomJoinQueue(width: 2)
        let rooms = try (0..<200).map { try JID("r\($0)@rooms.example.org") }
        let started = rooms.filter { queue.request($0) }
        #expect(started == Array(rooms.prefix(2)))
        #expect(queue.request(rooms[5]) == false)
        var entered = started
        var index = 0
        while index < entered.count {
            if let next = queue.finished(entered[index]) { entered.append(next) }
            #expect(queue.running.count <= 2)
            index += 1
        }
        #expect(entered == rooms && queue.running.isEmpty)
    }
}
