// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

/// A room as its machine sees it; the room speaks XML.
struct RoomScript {
    static let own = try? JID("juliet@example.org/balcony")
    let room: JID
    var machine: RoomStateMachine

    init(_ room: String = "tearoom@rooms.example.org", limits: RoomLimits = RoomLimits()) throws {
        self.room = try JID(room)
        machine = RoomStateMachine(room: self.room, own: try #require(Self.own), limits: limits)
    }

    func at(_ nickname: String) throws -> JID { try room.with(resource: nickname) }

    /// Wants to be in, and sends the presence.
    mutating func enter(_ nickname: String = "ann", persists: Bool = false, mayCreate: Bool = false) throws {
        let wish = RoomStateMachine.Wish(try at(nickname), persists: persists, mayCreate: mayCreate)
        #expect(machine.handle(.wants(wish)) == .several([.changed(.joining), .queue]))
        #expect(machine.handle(.turn) == .enter(try at(nickname), password: nil, history: .standard))
    }

    /// Is in, with these others.
    mutating func join(_ others: String..., own: String = "ann") throws {
        try enter(own)
        for other in others { _ = try presence(other) }
        #expect(try presence(own, codes: 110) == .changed(.joined))
    }

    mutating func presence(
        _ nickname: String?, type: String? = nil, item: String = "affiliation='member' role='participant'",
        inItem: String = "", codes: Int..., id: String? = nil, more: String = "", inX: String = ""
    ) throws -> RoomStateMachine.Action {
        let from = room.description + (nickname.map { "/\($0)" } ?? "")
        let statuses = codes.map { "<status code='\($0)'/>" }.joined()
        return try hears(
            "<presence from='\(from)' \(type.map { "type='\($0)'" } ?? "") \(id.map { "id='\($0)'" } ?? "")>\(more)"
                + "<x xmlns='http://jabber.org/protocol/muc#user'><item \(item)>\(inItem)</item>\(inX)\(statuses)</x>"
                + "</presence>")
    }

    mutating func hears(_ xml: String) throws -> RoomStateMachine.Action {
        let presence = try #require(RoomPresence(try receivedPresence(xml)))
        return machine.handle(.presence(presence))
    }

    mutating func refuses(_ error: String, from nickname: String? = "ann", id: String? = nil) throws
        -> RoomStateMachine.Action
    {
        let from = room.description + (nickname.map { "/\($0)" } ?? "")
        return try hears(
            "<presence from='\(from)' type='error' \(id.map { "id='\($0)'" } ?? "")>"
                + "<x xmlns='http://jabber.org/protocol/muc'/>\(error)</presence>")
    }

    static func error(_ condition: String, _ type: String = "cancel", code: Int? = nil) -> String {
        "<error type='\(type)' \(code.map { "code='\($0)'" } ?? "")>"
            + "<\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>"
    }

    mutating func says(_ nickname: String?, _ content: String, type: String = "groupchat", id: String = "m1") throws
        -> RoomStateMachine.Action
    {
        let from = room.description + (nickname.map { "/\($0)" } ?? "")
        let message = try receivedMessage("<message from='\(from)' type='\(type)' id='\(id)'>\(content)</message>")
        return machine.handle(.message(try #require(RoomMessageFacts(message))))
    }

    var nicknames: Set<String> { Set(machine.occupants.values.map(\.nickname)) }
}

extension OnlineSession {
    static let room = "tearoom@rooms.example.org"

    /// Answers what the room says about itself; an empty list is a room that does not exist.
    func answerInformation(_ features: [String], of room: String = room) async {
        let iq = await peer.expect("iq")
        #expect(iq?["to"] == room && iq?.children.first?.namespace == "http://jabber.org/protocol/disco#info")
        let id = iq?["id"] ?? ""
        if features.isEmpty {
            peer.inject(
                "<iq type='error' id='\(id)' from='\(room)'>\(RoomScript.error("item-not-found"))</iq>")
            return
        }
        peer.inject(
            "<iq type='result' id='\(id)' from='\(room)'><query xmlns='http://jabber.org/protocol/disco#info'>"
                + "<identity category='conference' type='text' name='Tea'/>"
                + features.map { "<feature var='\($0)'/>" }.joined() + "</query></iq>")
    }

    func roomPresence(
        _ nickname: String, type: String? = nil, item: String = "affiliation='member' role='participant'",
        codes: [Int] = [], room: String = room, more: String = "", inX: String = "", id: String? = nil
    ) {
        let statuses = codes.map { "<status code='\($0)'/>" }.joined()
        peer.inject(
            "<presence from='\(room)/\(nickname)' \(type.map { "type='\($0)'" } ?? "") "
                + "\(id.map { "id='\($0)'" } ?? "")>\(more)<x xmlns='http://jabber.org/protocol/muc#user'>"
                + "<item \(item)/>\(inX)\(statuses)</x></presence>")
    }

    /// So many occupants say something of themselves, one after another.
    func crowd(_ count: Int, _ type: String, _ role: String, room: String = room) {
        for start in stride(from: 0, to: count, by: 500) {
            let text = (start..<min(start + 500, count)).map { number in
                "<presence from='\(room)/n\(number)' \(type)><x xmlns='http://jabber.org/protocol/muc#user'>"
                    + "<item affiliation='none' role='\(role)'/></x></presence>"
            }
            peer.inject(text.joined())
        }
    }

    func says(
        _ nickname: String?, _ content: String, id: String = "m1", type: String = "groupchat", room: String = room
    ) {
        let from = room + (nickname.map { "/\($0)" } ?? "")
        peer.inject("<message from='\(from)' type='\(type)' id='\(id)'>\(content)</message>")
    }

    /// Is in the room, with these others, as a server lets one in.
    func join(
        _ others: String..., features: [String] = ["http://jabber.org/protocol/muc", "muc_open"],
        as nickname: String = "ann", room: String = room, history: RoomHistory = .standard
    ) async throws -> Room {
        let jid = try JID(room)
        async let joined = session.rooms.join(jid, as: nickname, history: history)
        await answerInformation(features, of: room)
        let presence = await peer.expect("presence")
        #expect(presence?["to"] == "\(room)/\(nickname)")
        #expect(presence?.child(XMLName("x", "http://jabber.org/protocol/muc")) != nil)
        for other in others { roomPresence(other, room: room) }
        roomPresence(nickname, codes: [110], room: room)
        says(nil, "<subject/>", id: "subject", room: room)
        return try await joined
    }
}
