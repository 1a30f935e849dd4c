// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Going in and out of a room (XEP-0045)")
struct RoomStateMachineTests {
    @Test("one is in when the room says so, after everybody else, and nobody is told of one by one")
    func flood() throws {
        var room = try RoomScript()
        try room.enter()
        #expect(try room.presence("bo") == .none)
        #expect(try room.presence("eli", item: "affiliation='owner' role='moderator'") == .none)
        #expect(room.machine.state == .joining && !room.machine.isIn)
        #expect(try room.presence("ann", codes: 110) == .changed(.joined))
        #expect(room.nicknames == ["ann", "bo", "eli"] && room.machine.me?.nickname == "ann")
        #expect(room.machine.occupants[try room.at("eli")]?.role == .moderator)
        #expect(room.machine.occupants[try room.at("eli")]?.affiliation == .owner)
    }

    @Test("the name that the room gives is one's own, and the one to come back with")
    func rewritten() throws {
        var room = try RoomScript()
        try room.enter()
        #expect(try room.presence("ann-2", codes: 110, 210) == .changed(.joined))
        #expect(room.machine.address?.resource == "ann-2" && room.machine.wish?.address.resource == "ann-2")
        #expect(room.machine.notices.contains(.nicknameAssigned))
    }

    @Test("OF43 a room that is made says so in any position, first its 110, and never sends 210")
    func created() throws {
        var room = try RoomScript("garden@conference.example.org")
        try room.enter("Jule", mayCreate: true)
        let action = try room.presence(
            "Jule", item: "jid='juliet@example.org/balcony' affiliation='owner' role='moderator'",
            codes: 110, 100, 170, 201)
        #expect(action == .several([.changed(.joined), .unlock]))
        #expect(room.machine.notices.contains(.loggingEnabled) && room.machine.notices.contains(.showsAddresses))
    }

    @Test("a room that was not to be made is given up at once; one that vanished while one was in it is made again")
    func undone() throws {
        var room = try RoomScript()
        try room.enter()
        let action = try room.presence("ann", item: "affiliation='owner' role='moderator'", codes: 110, 201)
        #expect(action == .several([.undo(try room.at("ann")), .changed(.left(.refused(.notFound)))]))
        #expect(room.machine.occupants.isEmpty && room.machine.wish == nil && !room.machine.takesPart)
        // A service that was started anew has forgotten it.
        var known = try RoomScript()
        try known.join()
        _ = known.machine.handle(.offline)
        let own = try #require(RoomScript.own)
        _ = known.machine.handle(.online(own: own, isResumed: false))
        _ = known.machine.handle(.turn)
        #expect(try known.presence("ann", codes: 110, 201) == .several([.changed(.joined), .unlock]))
    }

    @Test(
        "B119 a nickname in use is a refusal and nobody's presence, by its number alone too", arguments: [true, false])
    func conflict(hasCondition: Bool) throws {
        var room = try RoomScript()
        try room.enter()
        let error = hasCondition ? RoomScript.error("conflict", code: 409) : "<error code='409' type='cancel'/>"
        #expect(try room.refuses(error) == .changed(.left(.refused(.nicknameInUse))))
        #expect(room.machine.occupants.isEmpty && room.machine.wish == nil)
    }

    @Test("OF47 every refusal to let one in has its reason")
    func refusals() throws {
        let table: [(String, RoomRefusal)] = [
            ("not-authorized", .passwordRequired), ("registration-required", .membersOnly), ("forbidden", .banned),
            ("conflict", .nicknameInUse), ("service-unavailable", .full), ("item-not-found", .notFound),
            ("not-allowed", .creationForbidden), ("jid-malformed", .invalidNickname), ("gone", .gone(nil)),
            ("remote-server-not-found", .unreachable), ("remote-server-timeout", .unreachable),
            ("resource-constraint", .busy),
        ]
        for (condition, refusal) in table {
            var room = try RoomScript()
            try room.enter()
            #expect(try room.refuses(RoomScript.error(condition)) == .changed(.left(.refused(refusal))))
        }
        for (code, refusal) in [
            (401, RoomRefusal.passwordRequired), (403, .banned), (404, .notFound), (405, .creationForbidden),
            (407, .membersOnly), (503, .full), (400, .invalidNickname),
        ] {
            var room = try RoomScript()
            try room.enter()
            #expect(try room.refuses("<error code='\(code)'/>") == .changed(.left(.refused(refusal))))
        }
    }

    @Test("B120 after a loss one's own ghost may have the nickname: a few tries, and never for ever")
    func ghost() throws {
        var room = try RoomScript()
        try room.join("bo")
        _ = room.machine.handle(.offline)
        #expect(
            room.machine.handle(.online(own: try JID("juliet@example.org/new"), isResumed: false))
                == .several([.changed(.joining), .queue]))
        for attempt in 1...4 {
            _ = room.machine.handle(.turn)
            let action = try room.refuses(RoomScript.error("conflict"))
            let waiting = RoomState.interrupted(.refused(.nicknameInUse))
            guard case .several(let actions) = action, actions.first == .changed(waiting),
                case .retry(let wait)? = actions.last
            else {
                Issue.record("try \(attempt): \(action)")
                return
            }
            #expect(wait >= .seconds(2) && wait <= .seconds(60))
            #expect(room.machine.handle(.retryDue) == .several([.changed(.joining), .queue]))
        }
        _ = room.machine.handle(.turn)
        #expect(try room.refuses(RoomScript.error("conflict")) == .changed(.left(.refused(.nicknameInUse))))
    }

    @Test("B124 without any 110 one's own nickname and the history or subject after it show that one is in")
    func noSelfPresence() throws {
        var room = try RoomScript()
        try room.enter()
        #expect(
            try room.says("bo", "<body>too early</body><delay xmlns='urn:xmpp:delay' stamp='2031-03-04T05:06:07Z'/>")
                == .none)
        #expect(try room.presence("bo") == .none)
        #expect(try room.presence("ann") == .none)
        #expect(try room.says("bo", "<body>live in another room?</body>") == .none)
        let history = try room.says(
            "bo", "<body>old</body><delay xmlns='urn:xmpp:delay' stamp='2031-03-04T05:06:07Z'/>")
        #expect(history == .several([.changed(.joined), .message(.history)]))

        var other = try RoomScript()
        try other.enter()
        _ = try other.presence("ann")
        let subject = RoomSubject(text: "tea", author: try other.at("bo"))
        #expect(try other.says("bo", "<subject>tea</subject>") == .several([.changed(.joined), .subject(subject)]))
    }

    @Test("B125 while leaving only the last word counts, and there is one end, with its reason")
    func leaving() throws {
        var room = try RoomScript()
        try room.join("bo")
        #expect(room.machine.handle(.leave) == .sayLeave(try room.at("ann")))
        #expect(try room.presence("ann", codes: 110) == .none)
        #expect(try room.presence("cy") == .none)
        #expect(try room.presence("bo", type: "unavailable") == .none)
        #expect(try room.presence("ann", type: "unavailable", codes: 110) == .changed(.left(.left)))
        #expect(try room.presence("ann", type: "unavailable", codes: 110) == .none)
        #expect(room.machine.handle(.leave) == .none)

        var kicked = try RoomScript()
        try kicked.join()
        _ = kicked.machine.handle(.leave)
        let removal = RoomRemoval(actor: RoomActor(nickname: "bo"), reason: "enough")
        let action = try kicked.presence(
            "ann", type: "unavailable", item: "role='none'", inItem: "<actor nick='bo'/><reason>enough</reason>",
            codes: 307, 110)
        #expect(action == .changed(.left(.kicked(removal))))
        #expect(kicked.machine.handle(.leaveTimedOut) == .none)
    }

    @Test(
        "B126 T129 a technical removal of others is a departure, and of oneself a while: 307 beside 333 does not count")
    func technical() throws {
        for codes in [[333], [333, 110], [333, 307, 110]] {
            var room = try RoomScript()
            try room.join("bo")
            let other = try room.hears(
                "<presence type='unavailable' from='tearoom@rooms.example.org/bo'><x xmlns='http://jabber.org/protocol/muc#user'>"
                    + "<item affiliation='none' role='none'/><status code='333'/></x></presence>")
            guard case .occupant(.left(let gone, .undeliverable)) = other else {
                Issue.record("\(other)")
                return
            }
            #expect(gone.nickname == "bo" && room.nicknames == ["ann"])
            let action = try room.hears(
                "<presence type='unavailable' from='tearoom@rooms.example.org/ann'><x xmlns='http://jabber.org/protocol/muc#user'>"
                    + "<item role='none'/>" + codes.map { "<status code='\($0)'/>" }.joined() + "</x></presence>")
            #expect(action == .several([.changed(.interrupted(.undeliverable)), .retry(after: .seconds(3.75))]))
            #expect(room.machine.handle(.retryDue) == .several([.changed(.joining), .queue]))
        }
    }

    @Test("B126 B127 T129 a kick, a ban, a lost membership and members-only are the end, whatever the item says")
    func removals() throws {
        let nobody = RoomRemoval()
        let table: [(Int, RoomExit)] = [
            (307, .kicked(nobody)), (301, .banned(nobody)), (321, .affiliationLost(nobody)), (322, .membersOnly),
        ]
        for (code, exit) in table {
            for isFirst in [true, false] {
                var room = try RoomScript()
                try room.join("bo")
                let codes = isFirst ? "<status code='110'/><status code='\(code)'/>" : "<status code='\(code)'/>"
                let action = try room.hears(
                    "<presence type='unavailable' from='tearoom@rooms.example.org/ann'>"
                        + "<x xmlns='http://jabber.org/protocol/muc#user'><item affiliation='owner' role='moderator'/>"
                        + "\(codes)</x></presence>")
                #expect(action == .changed(.left(exit)))
                #expect(room.machine.occupants.isEmpty && room.machine.wish == nil)
                #expect(room.machine.handle(.retryDue) == .none)
                #expect(room.machine.handle(.online(own: room.machine.room, isResumed: false)) == .none)
            }
        }
    }

    @Test("T129 a service that stops lets one back in when it runs again, each try a longer while after the last")
    func backOff() throws {
        var room = try RoomScript()
        try room.join()
        var waits: [Duration] = []
        var action = try room.presence("ann", type: "unavailable", item: "role='none'", codes: 332, 110)
        for _ in 0..<8 {
            guard case .several(let actions) = action, case .retry(let wait)? = actions.last else {
                Issue.record("\(action)")
                return
            }
            waits.append(wait)
            _ = room.machine.handle(.retryDue)
            _ = room.machine.handle(.turn)
            action = try room.refuses(RoomScript.error("remote-server-timeout", "wait"))
        }
        #expect(waits == waits.sorted() && waits.first == .seconds(3.75) && waits.last == .seconds(225))
        _ = room.machine.handle(.retryDue)
        _ = room.machine.handle(.turn)
        #expect(try room.presence("ann", codes: 110) == .changed(.joined))
        #expect(room.machine.failures == 0)
    }

    @Test("OF48 T138 a destroyed room is the end, without 110 too, and the place to go instead is only told")
    func destroyed() throws {
        var room = try RoomScript()
        try room.join("bo")
        let action = try room.presence(
            "ann", type: "unavailable", item: "affiliation='none' role='none'",
            inX: "<destroy jid='garden@rooms.example.org'><reason>too small</reason></destroy>")
        let destruction = RoomDestruction(alternative: try JID("garden@rooms.example.org"), reason: "too small")
        #expect(action == .changed(.left(.destroyed(destruction))))
    }

    @Test("B128 where the room wants the reserved nickname one goes in with it, once")
    func reserved() throws {
        let refusal = RoomScript.error("not-acceptable", "modify")
        var room = try RoomScript()
        try room.enter()
        #expect(try room.refuses(refusal) == .askReserved)
        let address = try room.at("Ann of old")
        #expect(
            room.machine.handle(.reserved(address, chance: 0.5)) == .enter(address, password: nil, history: .standard))
        #expect(try room.refuses(refusal, from: "Ann of old") == .changed(.left(.refused(.reservedNicknameRequired))))

        var other = try RoomScript()
        try other.enter()
        _ = try other.refuses(refusal)
        #expect(
            other.machine.handle(.reserved(nil, chance: 0.5))
                == .changed(.left(.refused(.reservedNicknameRequired))))
    }

    @Test(
        "B132 T134 a presence of a room that one never went into means nothing, with 110 and the role of an owner too")
    func untracked() throws {
        var room = try RoomScript()
        let item = "affiliation='owner' role='moderator' jid='juliet@example.org/balcony'"
        #expect(try room.presence("ann", item: item, codes: 110) == .none)
        #expect(try room.presence(nil, item: item, codes: 110) == .none)
        #expect(room.machine.state == .outside && room.machine.occupants.isEmpty && room.machine.address == nil)
        #expect(try room.says("bo", "<body>you are in</body>") == .none)
        try room.join()
        // Another room does not speak for this one.
        let foreign =
            "<presence from='attic@rooms.example.org/ann' type='unavailable'>"
            + "<x xmlns='http://jabber.org/protocol/muc#user'><item role='none'/><status code='110'/></x></presence>"
        #expect(try room.hears(foreign) == .none)
        #expect(room.machine.isIn)
    }

    @Test("T127 a room that was left, or that the connection was lost to, says nothing more")
    func afterwards() throws {
        var room = try RoomScript()
        try room.join("bo")
        _ = room.machine.handle(.offline)
        #expect(try room.says("bo", "<body>x</body>") == .none)
        #expect(try room.says("bo", "<subject>mine now</subject>") == .none)
        #expect(room.machine.subject == nil)
        #expect(try room.presence("eli") == .none)
    }

    @Test("a join that takes too long is over, and the presence is taken back")
    func timeout() throws {
        var room = try RoomScript()
        try room.enter()
        _ = try room.presence("bo")
        #expect(
            room.machine.handle(.joinTimedOut(chance: 0))
                == .several([.sayLeave(try room.at("ann")), .changed(.left(.refused(.timedOut)))]))
        #expect(try room.presence("ann", codes: 110) == .none)

        var bookmark = try RoomScript()
        try bookmark.enter(persists: true)
        #expect(
            bookmark.machine.handle(.joinTimedOut(chance: 0))
                == .several([
                    .sayLeave(try bookmark.at("ann")),
                    .several([
                        .changed(.interrupted(.refused(.timedOut))), .retry(after: .seconds(2.5)),
                    ]),
                ]))
    }

    @Test("a stream that is resumed finds everybody as they were, and the room is asked whether it knows one")
    func resumed() throws {
        var room = try RoomScript()
        try room.join("bo", "eli")
        #expect(room.machine.handle(.offline) == .changed(.interrupted(.connectionLost)))
        #expect(
            room.machine.handle(.online(own: try #require(RoomScript.own), isResumed: true))
                == .several([.changed(.joined), .ping(try room.at("ann"))]))
        #expect(room.nicknames == ["ann", "bo", "eli"])
    }

    @Test("another stream finds nobody until one has gone in again")
    func anotherStream() throws {
        var room = try RoomScript()
        try room.join("bo", "eli")
        _ = room.machine.handle(.offline)
        let own = try JID("juliet@example.org/again")
        #expect(room.machine.handle(.online(own: own, isResumed: false)) == .several([.changed(.joining), .queue]))
        #expect(room.machine.occupants.isEmpty)
        _ = room.machine.handle(.turn)
        #expect(try room.presence("ann", codes: 110) == .changed(.joined))
        #expect(room.nicknames == ["ann"])
    }

    @Test("whoever is not available to anybody is in no room until that changes")
    func unavailable() throws {
        var room = try RoomScript()
        try room.join("bo")
        #expect(room.machine.handle(.available(false)) == .changed(.interrupted(.unavailable)))
        #expect(try room.presence("ann", type: "unavailable", codes: 110) == .none)
        #expect(room.machine.handle(.available(true)) == .several([.changed(.joining), .queue]))
        #expect(room.machine.handle(.ended) == .changed(.left(.sessionEnded)))
    }

    @Test("B135 T128 every answer to a ping of oneself means what the specification says")
    func selfPing() throws {
        func answer(_ condition: StanzaError.Condition?) -> SelfPing {
            condition.map { SelfPing(XMPPError.request(StanzaError($0))) } ?? SelfPing(nil)
        }
        #expect(answer(nil) == .joined)
        for condition in [StanzaError.Condition.serviceUnavailable, .featureNotImplemented, .itemNotFound] {
            #expect(answer(condition) == .joined)
        }
        for condition in [StanzaError.Condition.notAcceptable, .notAllowed, .badRequest] {
            #expect(answer(condition) == .notJoined)
        }
        for condition in [StanzaError.Condition.remoteServerNotFound, .remoteServerTimeout] {
            #expect(answer(condition) == .unknown)
        }
        #expect(SelfPing(XMPPError(.timedOut, "no answer")) == .unknown)

        var room = try RoomScript()
        try room.join("bo")
        let own = try room.at("ann")
        #expect(room.machine.handle(.doubt) == .ping(own))
        #expect(room.machine.handle(.pinged(.joined)) == .none)
        #expect(room.machine.handle(.pinged(.unknown)) == .none)
        #expect(
            room.machine.handle(.pinged(.notJoined))
                == .several([
                    .changed(.interrupted(.forgotten)), .several([.changed(.joining), .queue]),
                ]))
        #expect(room.machine.occupants.isEmpty)
    }

    @Test("B135 nobody is asked while a nickname changes or there is no stream")
    func noPing() throws {
        var room = try RoomScript()
        try room.join("bo")
        let new = try room.at("ann2")
        #expect(room.machine.handle(.wantsNickname(new, id: "n1")) == .sendNickname(new, id: "n1"))
        #expect(room.machine.handle(.doubt) == .none)
        _ = room.machine.handle(.nicknameTimedOut)
        #expect(room.machine.handle(.doubt) == .ping(try room.at("ann")))
        _ = room.machine.handle(.offline)
        #expect(room.machine.handle(.doubt) == .none)
        #expect(room.machine.handle(.pinged(.notJoined)) == .none)
    }
}
