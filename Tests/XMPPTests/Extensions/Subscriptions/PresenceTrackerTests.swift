// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Who is online")
struct PresenceTrackerTests {
    var tracker = PresenceTracker()

    mutating func receive(_ from: String, _ type: String = "", _ content: String = "") throws {
        let type = type.isEmpty ? "" : "type='\(type)'"
        tracker.received(try receivedPresence("<presence from='\(from)' \(type)>\(content)</presence>"))
    }

    func best() throws -> ResourcePresence? { tracker.best(of: try JID("bo@example.org")) }

    @Test("B75 the best resource stands for the contact, and the next one when it leaves")
    mutating func priority() throws {
        try receive("bo@example.org/pc", "", "<priority>1</priority>")
        try receive("bo@example.org/phone", "", "<priority>0</priority><show>xa</show>")
        #expect(try best()?.jid.resource == "pc")
        #expect(try best()?.show == nil)
        try receive("bo@example.org/pc", "unavailable")
        #expect(try best()?.jid.resource == "phone")
        #expect(try best()?.show == .extendedAway)
        try receive("bo@example.org/phone", "unavailable", "<status>bye</status>")
        #expect(try best() == nil)
        #expect(tracker.farewell(of: try JID("bo@example.org")) == "bye")
    }

    @Test("B75 with equal priority the more reachable one, then the later one, comes first")
    mutating func availability() throws {
        try receive("bo@example.org/a", "", "<show>away</show>")
        try receive("bo@example.org/b")
        try receive("bo@example.org/c", "", "<show>dnd</show>")
        try receive("bo@example.org/d", "", "<show>xa</show>")
        try receive("bo@example.org/e", "", "<show>chat</show>")
        try receive("bo@example.org/f")
        let order = tracker.resources(of: try JID("bo@example.org")).compactMap(\.jid.resource)
        #expect(order == ["e", "f", "b", "a", "c", "d"])
        try receive("bo@example.org/d", "", "<priority>5</priority><show>xa</show>")
        #expect(try best()?.jid.resource == "d")
    }

    @Test("B76 a priority that is no number from -128 to 127 counts as 0", arguments: ["4000", "+", "", "1.5", "low"])
    mutating func oddPriority(_ text: String) throws {
        try receive("bo@example.org/a", "", "<priority>\(text)</priority>")
        #expect(try best()?.priority == 0)
    }

    @Test("B76 white space and a sign around a priority do not matter")
    mutating func signedPriority() throws {
        try receive("bo@example.org/a", "", "<priority>+1 </priority>")
        #expect(try best()?.priority == 1)
        try receive("bo@example.org/a", "", "<priority>-128</priority>")
        #expect(try best()?.priority == -128)
    }

    @Test("B77 an unknown or empty show is plainly available", arguments: ["invisible", "online", ""])
    mutating func oddShow(_ show: String) throws {
        try receive("bo@example.org/a", "", "<show>\(show)</show>")
        #expect(try best() != nil)
        #expect(try best()?.show == nil)
    }

    @Test("B78 an error means not available, and says why")
    mutating func error() throws {
        try receive("bo@example.org/a")
        try receive(
            "bo@example.org", "error",
            "<error type='wait'><resource-constraint xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>")
        #expect(try best() == nil)
        #expect(tracker.error(of: try JID("bo@example.org"))?.condition == .resourceConstraint)
        try receive("bo@example.org/a")
        #expect(tracker.error(of: try JID("bo@example.org")) == nil)
    }

    @Test("OF27 a farewell from a bare address that was never seen, and one's own reflected presence, are fine")
    mutating func openfire() throws {
        try receive("romeo@example.org", "unavailable", "<status>gone</status>")
        #expect(tracker.farewell(of: try JID("romeo@example.org")) == "gone")
        #expect(!tracker.isAvailable(try JID("romeo@example.org")))
        try receive("juliet@example.org/balcony")
        try receive("juliet@example.org/balcony")
        #expect(tracker.resources(of: try JID("juliet@example.org")).count == 1)
        try receive("bo@example.org/a")
        try receive("bo@example.org/b")
        try receive("bo@example.org", "unavailable")
        #expect(tracker.available.map(\.description) == ["juliet@example.org"])
    }

    @Test("B71 nobody is online while the connection is lost; a resumed session has them all again, a new one nobody")
    mutating func perSession() throws {
        let jid = try JID("ann@example.org/pc")
        try receive("bo@example.org/a")
        tracker.handle(.interrupted(XMPPError(.connectionLost, "cut"), retryIn: .zero))
        #expect(try best() == nil)
        #expect(tracker.available.isEmpty)
        tracker.handle(.online(jid, isResumed: true))
        #expect(try best() != nil)
        tracker.handle(.interrupted(XMPPError(.connectionLost, "cut"), retryIn: .zero))
        tracker.handle(.online(jid, isResumed: false))
        #expect(try best() == nil)
        try receive("bo@example.org/a")
        #expect(try best() != nil)
        tracker.handle(.ended(nil))
        #expect(try best() == nil)
    }

    @Test("subscription steps and presences from nobody change nothing")
    mutating func others() throws {
        for type in ["subscribe", "subscribed", "unsubscribe", "unsubscribed", "probe"] {
            #expect(tracker.received(try receivedPresence("<presence from='bo@example.org' type='\(type)'/>")) == nil)
        }
        #expect(tracker.received(try receivedPresence("<presence/>")) == nil)
        #expect(tracker == PresenceTracker())
    }

    @Test("the resources of one address are bounded")
    mutating func bounded() throws {
        for number in 0..<1000 { try receive("bo@example.org/\(number)") }
        #expect(tracker.resources(of: try JID("bo@example.org")).count == PresenceTracker.resourcesPerAddress)
    }

    @Test("B79 what we send: unavailable has no show or priority, available has no type")
    func sent() throws {
        let gone = Presence(.unavailable, show: .away, status: "bye", priority: 3)
        #expect(try written(gone).contains("type=\"unavailable\""))
        #expect(try !written(gone).contains("show"))
        #expect(try !written(gone).contains("priority"))
        let here = Presence(show: .doNotDisturb, priority: 3)
        #expect(try !written(here).contains("type="))
        #expect(try written(here).contains("dnd"))
    }
}
