// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@testable import ChatKit

@Suite("PresenceBook")
struct PresenceBookTests {
    private let book = PresenceBook()
    private let ann: JID
    private let bo: JID

    init() throws {
        ann = try JID("ann@example.org")
        bo = try JID("bo@example.net")
        book.open(ann)
    }

    private func apply(_ xml: String) throws {
        guard case .presence(let presence) = try StoreFixture.stanza(xml) else { return }
        _ = book.apply(presence, account: ann)
    }

    private var presence: ContactPresence { book.presence(of: bo, account: ann) }

    @Test("B75 the best resource is the one with the highest priority; the next best when it leaves")
    func best() throws {
        try apply("<presence from='bo@example.net/pc'><priority>1</priority></presence>")
        try apply("<presence from='bo@example.net/phone'><show>xa</show></presence>")
        #expect(presence.availability == .online)
        try apply("<presence from='bo@example.net/pc' type='unavailable'/>")
        #expect(presence.availability == .extendedAway)
        try apply("<presence from='bo@example.net/phone' type='unavailable'/>")
        #expect(presence.availability == .offline)
    }

    @Test("at one priority the more reachable resource wins, then the newer one")
    func ties() throws {
        try apply("<presence from='bo@example.net/a'><show>dnd</show></presence>")
        try apply("<presence from='bo@example.net/b'><show>chat</show></presence>")
        try apply("<presence from='bo@example.net/c'/>")
        try apply("<presence from='bo@example.net/d'/>")
        #expect(presence.resources.map(\.name) == ["b", "d", "c", "a"])
    }

    @Test("B76 B77 an odd priority or show reads as plainly available")
    func odd() throws {
        for content in [
            "<priority>4000</priority>", "<priority></priority>", "<show>invisible</show>", "<show>online</show>",
            "<show/>",
        ] {
            try apply("<presence from='bo@example.net/p'>\(content)</presence>")
            #expect(presence.availability == .online)
            #expect(presence.best?.priority == 0)
        }
    }

    @Test("B78 an error presence means that the contact cannot be reached")
    func error() throws {
        try apply("<presence from='bo@example.net/p'/>")
        try apply(
            """
            <presence from='bo@example.net' type='error'><error type='wait'>
            <resource-constraint xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></presence>
            """)
        #expect(presence.availability == .offline)
    }

    @Test("B05 one contact has two resources that differ in case only")
    func resourceCase() throws {
        try apply("<presence from='Bo@example.net/Phone'/>")
        try apply("<presence from='bo@EXAMPLE.net/phone'/>")
        #expect(Set(presence.resources.map(\.name)) == ["Phone", "phone"])
    }

    @Test("T080 nobody fills the memory with resources")
    func bound() throws {
        for number in 0..<200 { try apply("<presence from='bo@example.net/r\(number)'/>") }
        #expect(presence.resources.count == PresenceBook.maximumResources)
    }

    @Test("B71 without a session nothing is known")
    func unknown() throws {
        try apply("<presence from='bo@example.net/p'/>")
        book.reset(ann, isOnline: false)
        #expect(presence.availability == .unknown)
        book.open(ann)
        #expect(presence.availability == .offline)
    }
}
