// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Who is in a room (XEP-0045)")
struct RoomStateMachinePresenceTests {
    @Test("people come, change and go")
    func churn() throws {
        var room = try RoomScript()
        try room.join("bo")
        guard case .occupant(.came(let eli)) = try room.presence("eli", more: "<show>away</show><status>tea</status>")
        else {
            Issue.record("nobody came")
            return
        }
        #expect(eli.nickname == "eli" && eli.show == .away && eli.status == "tea")
        guard
            case .occupant(.changed(let now)) = try room.presence("eli", item: "affiliation='member' role='moderator'")
        else {
            Issue.record("nothing changed")
            return
        }
        #expect(now.role == .moderator && now.show == nil)
        #expect(try room.presence("eli", item: "affiliation='member' role='moderator'") == .none)
        let farewell = try room.presence("eli", type: "unavailable", item: "role='none'", more: "<status>bye</status>")
        #expect(farewell == .occupant(.left(now, .left("bye"))))
        #expect(try room.presence("eli", type: "unavailable", item: "role='none'") == .none)
    }

    @Test("others are kicked, banned and put out, each with who and why")
    func removals() throws {
        var room = try RoomScript()
        try room.join("bo", "eli", "mal", "kim")
        let why = RoomRemoval(actor: RoomActor(nickname: "bo", address: try JID("bo@example.org")), reason: "enough")
        let said = "<actor nick='bo' jid='bo@example.org'/><reason>enough</reason>"
        guard
            case .occupant(.left(_, let first)) = try room.presence(
                "eli", type: "unavailable", inItem: said, codes: 307),
            case .occupant(.left(_, let second)) = try room.presence(
                "mal", type: "unavailable", inItem: said, codes: 301),
            case .occupant(.left(_, let third)) = try room.presence("kim", type: "unavailable", codes: 322)
        else {
            Issue.record("somebody stayed")
            return
        }
        #expect(first == .kicked(why) && second == .banned(why) && third == .membersOnly)
        #expect(room.nicknames == ["ann", "bo"])
    }

    @Test("B134 a presence is never the same as an earlier one: whoever comes again came")
    func again() throws {
        var room = try RoomScript()
        try room.join()
        for _ in 0..<3 {
            guard case .occupant(.came) = try room.presence("bo") else {
                Issue.record("bo did not come")
                return
            }
            guard case .occupant(.left) = try room.presence("bo", type: "unavailable") else {
                Issue.record("bo did not go")
                return
            }
        }
    }

    @Test("OF48 a new nickname is the same occupant, oneself too, and the presence that follows says nothing new")
    func renaming() throws {
        var room = try RoomScript()
        try room.join("bo")
        let action = try room.presence(
            "bo", type: "unavailable", item: "affiliation='member' role='participant' nick='Bob'", codes: 303)
        guard case .occupant(.renamed(let old, let occupant)) = action else {
            Issue.record("\(action)")
            return
        }
        #expect(old == (try room.at("bo")) && occupant.nickname == "Bob" && room.nicknames == ["ann", "Bob"])
        #expect(try room.presence("Bob") == .none)

        let new = try room.at("Julia")
        _ = room.machine.handle(.wantsNickname(new, id: "n1"))
        let own = try room.presence(
            "ann", type: "unavailable", item: "affiliation='member' role='participant' nick='Julia'", codes: 303, 110)
        guard case .several(let actions) = own else {
            Issue.record("\(own)")
            return
        }
        #expect(actions.first == .moved(new) && room.machine.address == new && room.machine.isIn)
        #expect(try room.presence("Julia", codes: 110) == .none)
        #expect(room.nicknames == ["Julia", "Bob"] && room.machine.wish?.address == new)
    }

    @Test("a nickname that somebody has is refused, and the old one stays")
    func nicknameRefused() throws {
        var room = try RoomScript()
        try room.join("bo")
        let taken = try room.at("bo")
        _ = room.machine.handle(.wantsNickname(taken, id: "n1"))
        #expect(
            try room.refuses(RoomScript.error("conflict"), from: "bo", id: "n1") == .nicknameRefused(.nicknameInUse))
        #expect(room.machine.address?.resource == "ann" && room.machine.isIn)
    }

    @Test("B122 a new nickname beside the old one counts by 110, by one's own address, or by the id", arguments: 0..<4)
    func besideTheOld(_ kind: Int) throws {
        var room = try RoomScript()
        try room.join()
        let new = try room.at("ann2")
        _ = room.machine.handle(.wantsNickname(new, id: "n1"))
        let own = "affiliation='member' role='participant' jid='juliet@example.org/balcony'"
        let action: RoomStateMachine.Action
        switch kind {
        case 0: action = try room.presence("ann2", codes: 110)
        case 1: action = try room.presence("ann2", item: own)
        case 2: action = try room.presence("ann2", id: "n1")
        default:
            let foreign = "affiliation='member' role='participant' jid='other@example.org/x'"
            #expect(try room.presence("ann2", item: foreign) != .moved(new))
            #expect(room.machine.address?.resource == "ann")
            #expect(room.machine.handle(.nicknameTimedOut) == .nicknameRefused(.timedOut))
            return
        }
        guard case .several(let actions) = action else {
            Issue.record("\(action)")
            return
        }
        #expect(actions.first == .moved(new))
        #expect(room.nicknames == ["ann", "ann2"] && room.machine.me?.nickname == "ann2")
    }

    @Test("OF47 of several devices under one nickname one can go, and one is still in")
    func severalDevices() throws {
        var room = try RoomScript()
        try room.join("bo")
        let phone = "affiliation='member' role='participant' jid='juliet@example.org/phone'"
        _ = try room.presence("ann", item: phone, codes: 110)
        #expect(try room.presence("ann", type: "unavailable", item: phone, codes: 110) == .none)
        #expect(room.machine.isIn)
        let desk = "role='none' jid='juliet@example.org/balcony'"
        let action = try room.presence("ann", type: "unavailable", item: desk, codes: 110)
        guard case .several(let actions) = action else {
            Issue.record("\(action)")
            return
        }
        #expect(actions.first == .changed(.interrupted(.unexplained)))
        // A kick is for all of them.
        var other = try RoomScript()
        try other.join()
        #expect(
            try other.presence("ann", type: "unavailable", item: phone, codes: 307, 110)
                == .changed(.left(.kicked(RoomRemoval()))))
    }

    @Test("T133 what names an account counts only where the room says that it does so")
    func occupantIDs() throws {
        var room = try RoomScript()
        let id = "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='dd72'/>"
        try room.join()
        _ = try room.presence("bo", more: id)
        let bo = try room.at("bo")
        #expect(room.machine.occupants[bo]?.occupantID == nil)
        _ = room.machine.handle(.namesAccounts(true))
        #expect(room.machine.occupants[bo]?.occupantID == "dd72")
        _ = try room.presence("eli", more: id + id)
        #expect(room.machine.occupants[try room.at("eli")]?.occupantID == nil)
        let long = String(repeating: "x", count: 129)
        _ = try room.presence("kim", more: "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='\(long)'/>")
        #expect(room.machine.occupants[try room.at("kim")]?.occupantID == nil)
        _ = room.machine.handle(.namesAccounts(false))
        #expect(room.machine.occupants[bo]?.occupantID == nil)
    }

    @Test("T136 of a very large room so many are kept, the others counted, and oneself always")
    func cap() throws {
        var room = try RoomScript(limits: RoomLimits(occupants: 3))
        try room.enter()
        for nickname in ["a", "b", "c", "d", "e"] { _ = try room.presence(nickname) }
        #expect(try room.presence("ann", codes: 110) == .changed(.joined))
        #expect(room.nicknames == ["a", "b", "c", "ann"] && room.machine.leftOut == 2)
        #expect(try room.presence("f") == .none)
        #expect(try room.presence("d", type: "unavailable") == .none)
        #expect(room.machine.leftOut == 2)
        _ = try room.presence("a", type: "unavailable")
        _ = try room.presence("b", type: "unavailable")
        guard case .occupant(.came) = try room.presence("g") else {
            Issue.record("there is room for g")
            return
        }
    }

    @Test("B04 a room is the same in every spelling")
    func spelling() throws {
        var room = try RoomScript("TeaRoom@Rooms.example.org")
        try room.enter()
        let action = try room.hears(
            "<presence from='tearoom@rooms.example.org/ann'><x xmlns='http://jabber.org/protocol/muc#user'>"
                + "<item affiliation='none' role='participant'/><status code='110'/></x></presence>")
        #expect(action == .changed(.joined))
    }

    @Test("T132 what nobody can see in a nickname is shown, and never cut off from the address")
    func hidden() throws {
        var room = try RoomScript()
        try room.join()
        _ = try room.presence("admin ")
        _ = try room.presence("ad\u{200B}min")
        _ = try room.presence("\u{202E}nimda")
        _ = try room.presence("admin")
        #expect(room.machine.occupants.count == 5)
        let shown = Set(room.machine.occupants.values.map(\.visibleNickname))
        #expect(shown == ["ann", "admin‹U+0020›", "ad‹U+200B›min", "‹U+202E›nimda", "admin"])
        #expect(room.nicknames.contains("admin ") && room.nicknames.contains("ad\u{200B}min"))
        #expect(RoomOccupant.visible("Jürgen 👩‍💻 van der Berg") == "Jürgen 👩‍💻 van der Berg")
        #expect(RoomOccupant(address: try room.at("x"), occupantID: "dd72").colorSeed == "dd72")
    }

    @Test("B93 an old kind of capabilities in a presence does not make it unreadable")
    func oldCapabilities() throws {
        var room = try RoomScript()
        try room.join()
        let action = try room.presence(
            "bo", more: "<c xmlns='http://jabber.org/protocol/caps' node='https://example.org/old' ver='0.9'/>")
        guard case .occupant(.came) = action else {
            Issue.record("\(action)")
            return
        }
    }

    @Test("every number has its name, and every name its number")
    func statuses() {
        #expect(RoomStatus.defined.count == 20)
        for status in RoomStatus.defined {
            #expect(RoomStatus(code: status.code) == status)
            #expect((100...333).contains(status.code))
        }
        #expect(RoomStatus(code: 999) == .other(999) && RoomStatus.other(999).code == 999)
        #expect(RoomStatus.defined.filter(\.isWarning) == [.showsAddresses, .loggingEnabled, .nonAnonymous])
    }
}
