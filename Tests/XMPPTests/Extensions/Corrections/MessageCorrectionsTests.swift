// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Corrections, retractions and their authors (XEP-0308, XEP-0424)")
struct MessageCorrectionsTests {
    static func own() throws -> JID { try JID("ann@example.org/pc") }

    static func chat(
        _ content: String, id: String = "m1", from: String = "bo@example.org/p", to: String = "ann@example.org"
    )
        throws -> Message
    {
        try receivedMessage("<message from='\(from)' to='\(to)' type='chat' id='\(id)'>\(content)</message>")
    }

    static func room(_ content: String, id: String = "m1", from: String = "eli", occupant: String? = nil) throws
        -> Message
    {
        let occupant = occupant.map { "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='\($0)'/>" } ?? ""
        return try receivedMessage(
            "<message from='tearoom@rooms.example.org/\(from)' type='groupchat' id='\(id)'>\(content)\(occupant)</message>"
        )
    }

    static func correction(_ id: String) -> String {
        "<body>fixed</body><replace xmlns='urn:xmpp:message-correct:0' id='\(id)'/>"
    }

    @Test("a correction names the first message or an earlier correction of it")
    func corrects() throws {
        let original = try Self.chat("<body>frist</body>")
        let correction = try Self.chat(Self.correction("m1"), id: "m2", from: "bo@example.org/phone")
        #expect(correction.correctedID == "m1")
        #expect(try correction.corrects(original, account: Self.own()))
        let again = try Self.chat(Self.correction("m2"), id: "m3")
        #expect(try again.corrects(correction, account: Self.own()) && !again.corrects(original, account: Self.own()))
        let first = try Self.chat(Self.correction("m1"), id: "m4")
        #expect(try first.corrects(correction, account: Self.own()))
    }

    @Test(
        "T115 B114 nobody else corrects a message, nor in another conversation, nor by the same id alone",
        arguments: [
            ("mal@example.net/x", "ann@example.org", correction("m1"), "chat"),
            ("ann@example.org/pc", "bo@example.org", correction("m1"), "chat"),
            ("bo@example.org/p", "ann@example.org", "<body>same id</body>", "chat"),
            ("bo@example.org/p", "ann@example.org", correction("other"), "chat"),
            ("bo@example.org/p", "ann@example.org", correction("m1"), "error"),
            ("bo@example.org/p", "ann@example.org", correction("m1"), "groupchat"),
        ])
    func refused(_ from: String, _ to: String, _ content: String, _ type: String) throws {
        let original = try Self.chat("<body>first</body>")
        let forged = try receivedMessage(
            "<message from='\(from)' to='\(to)' type='\(type)' id='m1'>\(content)</message>")
        #expect(try !forged.corrects(original, account: Self.own()))
    }

    @Test("T117 a plain message does not stand in the place of an encrypted one")
    func protection() throws {
        let mark = "<encryption xmlns='urn:xmpp:eme:0' namespace='urn:xmpp:omemo:2'/>"
        let wrap = "<encrypted xmlns='eu.siacs.conversations.axolotl'/>"
        let plain = try Self.chat(Self.correction("m1"), id: "m2")
        let hidden = try Self.chat(Self.correction("m1") + wrap, id: "m2")
        for content in [mark, wrap] {
            let original = try Self.chat("<body>x</body>\(content)")
            #expect(try !plain.corrects(original, account: Self.own()))
            #expect(try hidden.corrects(original, account: Self.own()))
        }
        #expect(try hidden.corrects(Self.chat("<body>x</body>"), account: Self.own()))
    }

    @Test("own messages are corrected by own ones, also those without sender")
    func own() throws {
        let to = try JID("bo@example.org")
        let sent = Message.chat(to: to, "frist", id: "m1")
        var fixed = Message.chat(to: to, "first", id: "m2")
        fixed.correctedID = "m1"
        #expect(try fixed.corrects(sent, account: Self.own()))
        let copy = try Self.chat(Self.correction("m1"), id: "m2", from: "ann@example.org/phone", to: "bo@example.org/p")
        #expect(try copy.corrects(sent, account: Self.own()))
        let elsewhere = try Self.chat(
            Self.correction("m1"), id: "m2", from: "ann@example.org/phone", to: "cy@example.org")
        #expect(try !elsewhere.corrects(sent, account: Self.own()))
    }

    @Test("T115 in a room the occupant counts, not the nickname, where the room tells occupants apart")
    func rooms() throws {
        let plain = try Self.room("<body>x</body>")
        #expect(try Self.room(Self.correction("m1")).corrects(plain, account: Self.own()))
        #expect(try !Self.room(Self.correction("m1"), from: "mal").corrects(plain, account: Self.own()))
        let known = try Self.room("<body>x</body>", occupant: "o1")
        #expect(
            try Self.room(Self.correction("m1"), from: "renamed", occupant: "o1").corrects(known, account: Self.own()))
        #expect(try !Self.room(Self.correction("m1"), occupant: "o2").corrects(known, account: Self.own()))
        #expect(try !Self.room(Self.correction("m1")).corrects(known, account: Self.own()))
        #expect(try !Self.room(Self.correction("m1"), occupant: "o1").corrects(plain, account: Self.own()))
        #expect(try !Self.chat(Self.correction("m1")).corrects(plain, account: Self.own()))
    }

    @Test("private messages of a room belong to the occupant")
    func privateMessages() throws {
        let mark = "<x xmlns='http://jabber.org/protocol/muc#user'/>"
        let original = try Self.chat("<body>x</body>\(mark)", from: "tearoom@rooms.example.org/eli")
        let other = try Self.chat(Self.correction("m1") + mark, from: "tearoom@rooms.example.org/mal")
        #expect(try !other.corrects(original, account: Self.own()))
        let same = try Self.chat(Self.correction("m1") + mark, from: "tearoom@rooms.example.org/eli")
        #expect(try same.corrects(original, account: Self.own()))
    }

    @Test("a retraction is read in both forms, and counts only from the author")
    func retractions() throws {
        let original = try Self.chat("<body>x</body>")
        let new = "<retract xmlns='urn:xmpp:message-retract:1' id='m1'/>"
        let old = "<apply-to xmlns='urn:xmpp:fasten:0' id='m1'><retract xmlns='urn:xmpp:message-retract:0'/></apply-to>"
        for content in [new, old] {
            #expect(try Self.chat(content, id: "m2").retracts(original, account: Self.own()))
            #expect(
                try !Self.chat(content, id: "m2", from: "mal@example.net/x").retracts(original, account: Self.own()))
        }
        let moderated =
            "<apply-to xmlns='urn:xmpp:fasten:0' id='m1'><moderated xmlns='urn:xmpp:message-moderate:0' by='x@y'/></apply-to>"
        #expect(try Self.chat(moderated).retractedID == nil)
        #expect(try Self.chat("<retract xmlns='urn:xmpp:message-retract:1'/>").retractedID == nil)
    }

    @Test("in a room a message is taken back by the identifier that the room gave, not by its id")
    func roomRetraction() throws {
        let stamp = "<stanza-id xmlns='urn:xmpp:sid:0' id='s1' by='tearoom@rooms.example.org'/>"
        let original = try Self.room("<body>x</body>\(stamp)")
        func retraction(_ id: String) throws -> Message {
            try Self.room("<retract xmlns='urn:xmpp:message-retract:1' id='\(id)'/>", id: "m2")
        }
        #expect(try retraction("s1").retracts(original, account: Self.own()))
        #expect(try !retraction("m1").retracts(original, account: Self.own()))
    }

    @Test("a retraction to send has a text for others, and is kept")
    func send() throws {
        let message = Message.retraction(of: "m1", to: try JID("bo@example.org"))
        let read = try receivedMessage(try written(message))
        #expect(read.retractedID == "m1" && read.hints == .store && read.id?.isEmpty == false)
        #expect(read.isOnlyFallback(for: ["urn:xmpp:message-retract:1"]))
        try roundTrip(Tombstone(retractionID: "m2", stamp: DateTime("2031-03-04T05:06:07Z")))
        #expect(
            try Self.chat("<retracted xmlns='urn:xmpp:message-retract:0' stamp='2031-03-04T05:06:07Z'/>").tombstone
                == Tombstone(retractionID: nil, stamp: DateTime("2031-03-04T05:06:07Z")))
    }

    @Test("are written and read, and refused without id")
    func roundTrips() throws {
        try roundTrip(Correction(id: "m1"))
        try roundTrip(Retraction(id: "m1"))
        try roundTrip(OccupantID(id: "o"))
        #expect(Correction(try received("<replace xmlns='urn:xmpp:message-correct:0' id=''/>")) == nil)
        #expect(OccupantID(try received("<occupant-id xmlns='urn:xmpp:occupant-id:0'/>")) == nil)
    }

    @Test(
        "T119 nobody but the author takes a message of a room back, and a tombstone speaks of the message it is in only",
        arguments: [
            "tearoom@rooms.example.org/mal", "attic@rooms.example.org", "attic@rooms.example.org/eli",
            "mal@example.net/x",
        ])
    func foreignRetraction(_ from: String) throws {
        let mark = "<stanza-id xmlns='urn:xmpp:sid:0' by='tearoom@rooms.example.org' id='s1'/>"
        let original = try Self.room("<body>x</body>" + mark)
        for content in [
            "<retract xmlns='urn:xmpp:message-retract:1' id='s1'/>",
            "<apply-to xmlns='urn:xmpp:fasten:0' id='s1'><retract xmlns='urn:xmpp:message-retract:0'/></apply-to>",
            "<retract xmlns='urn:xmpp:message-retract:1' id='s1'><moderated xmlns='urn:xmpp:message-moderate:1'/></retract>",
        ] {
            for type in ["groupchat", "chat"] {
                let forged = try receivedMessage(
                    "<message from='\(from)' to='ann@example.org' type='\(type)' id='r1'>\(content)</message>")
                #expect(try !forged.retracts(original, account: Self.own()), "\(type) \(content)")
            }
        }
        let grave = try receivedMessage(
            "<message from='\(from)' type='groupchat' id='m1'><retracted xmlns='urn:xmpp:message-retract:1' id='s1'/></message>"
        )
        #expect(grave.tombstone != nil && grave.retractedID == nil)
        #expect(try !grave.retracts(original, account: Self.own()))
    }
}
