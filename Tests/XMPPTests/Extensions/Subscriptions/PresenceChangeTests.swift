// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Resources coming and going (RFC 6121 §4)")
struct PresenceChangeTests {
    var tracker = PresenceTracker()

    func presence(_ from: String, _ type: String? = nil, _ content: String = "") throws -> Presence {
        let type = type.map { "type='\($0)'" } ?? ""
        return try receivedPresence("<presence from='\(from)' \(type)>\(content)</presence>")
    }

    @Test("resources come, change and leave, and the same said again is nothing")
    mutating func changes() throws {
        guard case .came(let first)? = tracker.follow(try presence("bo@example.org/a")) else {
            Issue.record("nobody came")
            return
        }
        #expect(first.jid.resource == "a")
        #expect(tracker.follow(try presence("bo@example.org/a")) == nil)
        guard
            case .changed(let now, let before)? = tracker.follow(
                try presence("bo@example.org/a", nil, "<show>dnd</show>"))
        else {
            Issue.record("nothing changed")
            return
        }
        #expect(now.show == .doNotDisturb && before.show == nil)
        _ = tracker.follow(try presence("bo@example.org/b"))
        guard
            case .left(let gone, let words)? = tracker.follow(
                try presence("bo@example.org/a", "unavailable", "<status>bye</status>"))
        else {
            Issue.record("nobody left")
            return
        }
        #expect(gone.map(\.jid.resource) == ["a"] && words == "bye")
        #expect(tracker.follow(try presence("bo@example.org/a", "unavailable")) == nil)
    }

    @Test("OF27 a bare address that leaves takes all its resources, and one that was never there leaves words")
    mutating func bare() throws {
        _ = tracker.follow(try presence("bo@example.org/a"))
        _ = tracker.follow(try presence("bo@example.org/b"))
        guard case .left(let gone, nil)? = tracker.follow(try presence("bo@example.org", "unavailable")) else {
            Issue.record("nobody left")
            return
        }
        #expect(gone.count == 2)
        #expect(
            tracker.follow(try presence("romeo@example.org", "unavailable", "<status>gone</status>"))
                == .left([], farewell: "gone"))
    }

    @Test("B75 with the best resource gone the next one stands for the contact")
    mutating func best() throws {
        let bo = try JID("bo@example.org")
        _ = tracker.follow(try presence("bo@example.org/pc", nil, "<priority>1</priority>"))
        _ = tracker.follow(try presence("bo@example.org/phone", nil, "<show>xa</show>"))
        #expect(tracker.best(of: bo)?.show == nil)
        _ = tracker.follow(try presence("bo@example.org/pc", "unavailable"))
        #expect(tracker.best(of: bo)?.show == .extendedAway)
    }

    @Test("B78 an error is no presence, and probes and requests of others mean nothing")
    mutating func others() throws {
        let error =
            "<error type='wait'><resource-constraint xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>"
        guard case .failed(let reason)? = tracker.follow(try presence("bo@example.org", "error", error)) else {
            Issue.record("no error")
            return
        }
        #expect(reason.condition == .resourceConstraint)
        for type in ["probe", "subscribe", "subscribed", "unsubscribe", "unsubscribed"] {
            #expect(tracker.follow(try presence("bo@example.org/a", type)) == nil)
        }
        #expect(tracker.follow(try receivedPresence("<presence/>")) == nil)
        let probe = Presence.probe(of: try JID("bo@example.org/a"))
        #expect(try written(probe) == "<presence to=\"bo@example.org\" type=\"probe\"></presence>")
    }

    @Test("resources with a negative priority take no messages to the bare address")
    mutating func negative() throws {
        let bo = try JID("bo@example.org")
        _ = tracker.follow(try presence("bo@example.org/bot", nil, "<priority>-1</priority>"))
        #expect(tracker.isAvailable(bo) && tracker.receivers(of: bo).isEmpty)
        _ = tracker.follow(try presence("bo@example.org/a"))
        #expect(tracker.receivers(of: bo).map(\.jid.resource) == ["a"])
        tracker.forget(bo)
        #expect(!tracker.isAvailable(bo))
    }

    @Test("whoever was told one's presence by name is told of changes, until they leave or one goes offline")
    func directed() throws {
        var directed = DirectedPresences()
        let stranger = try JID("stranger@example.net/x")
        let room = try JID("tea@rooms.example.org/ann")
        directed.sent(Presence())
        #expect(directed.addresses.isEmpty)
        directed.sent(Presence(to: stranger))
        directed.sent(Presence(to: room))
        directed.sent(Presence(.subscribe, to: try JID("bo@example.org")))
        #expect(directed.addresses == [stranger, room])
        let away = directed.updates(Presence(show: .away))
        #expect(away.map(\.to) == [stranger, room] && away.allSatisfy { $0.show == .away })
        #expect(directed.updates(Presence(.unavailable)).isEmpty)
        directed.received(try presence("stranger@example.net/x"))
        #expect(directed.addresses.count == 2)
        directed.received(try presence("stranger@example.net/x", "unavailable"))
        directed.sent(Presence(.unavailable, to: room))
        #expect(directed.addresses.isEmpty)
        directed.sent(Presence(to: room))
        directed.sent(Presence(.unavailable))
        #expect(directed.addresses.isEmpty)
    }
}
