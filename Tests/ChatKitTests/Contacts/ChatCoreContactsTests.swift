// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@testable import ChatKit

@Suite("ChatCore+Contacts", .timeLimit(.minutes(1)))
struct ChatCoreContactsTests {
    private func push(_ item: String) -> String {
        "<iq type='set' id='1'><query xmlns='jabber:iq:roster'>\(item)</query></iq>"
    }

    @Test("adding somebody sets the roster item, then asks to see their presence")
    func add() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let bo = try JID("bo@example.net")
        try await fixture.core.addContact(
            try bo.with(resource: "p"), account: ann, name: "Bo", groups: ["g"], text: "please")
        let request = try #require(link.requests.last { $0.kind == .set })
        let item = try #require(request.payload?.children.first { _ in true })
        #expect(item["jid"] == "bo@example.net")
        #expect(item["name"] == "Bo")
        #expect(item.children.map(\.text) == ["g"])
        let presence = try #require(link.presences.last)
        #expect(presence.kind == .subscribe)
        #expect(presence.to == bo)
        #expect(presence.status == "please")
        // The list is what the server says.
        #expect(try await fixture.core.contacts(account: ann).isEmpty)
    }

    @Test("yourself, a contact, one that was asked, and an invalid address are refused each with its own error")
    func refusals() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        try await link.receive(
            push("<item jid='bo@example.net' subscription='both'/>"),
            push("<item jid='eve@example.net' subscription='none' ask='subscribe'/>"))
        let core = fixture.core
        func refusal(_ jid: JID) async -> ChatError? {
            await #expect(throws: ChatError.self) { try await core.addContact(jid, account: ann) }
        }
        #expect(await refusal(try ann.with(resource: "x"))?.code == .cannotAddYourself)
        #expect(await refusal(try JID("bo@example.net"))?.code == .alreadyContact)
        let asked = await refusal(try JID("eve@example.net"))
        #expect(asked?.code == .alreadyContact)
        #expect(asked?.description.contains("asked already") == true)
        #expect(link.requests.allSatisfy { $0.payload?.children.contains { $0["jid"] != nil } != true })
        let invalid = #expect(throws: ChatError.self) { try core.contactAddress("a b@@x", account: ann) }
        #expect(invalid?.code == .invalidAddress)
        #expect(throws: ChatError.self) { try core.contactAddress("  ", account: ann) }
        let unknown = await #expect(throws: ChatError.self) {
            try await core.removeContact(try JID("none@example.net"), account: ann)
        }
        #expect(unknown?.code == .unknownContact)
    }

    @Test("a bare name is completed with the account's domain")
    func defaultDomain() async throws {
        let (fixture, ann, _) = try await CoreFixture.online()
        #expect(try fixture.core.contactAddress(" Bo ", account: ann).description == "bo@example.org")
        #expect(try fixture.core.contactAddress("bo@x.example/p", account: ann).description == "bo@x.example")
    }

    @Test("offline, nothing is asked, and the error says so")
    func offline() async throws {
        let (fixture, ann, _) = try await CoreFixture.online()
        try await fixture.core.disconnect(ann)
        let error = await #expect(throws: ChatError.self) {
            try await fixture.core.addContact(try JID("bo@example.net"), account: ann)
        }
        #expect(error?.code == .notConnected)
        #expect(error?.isRetryable == true)
    }

    @Test("a server's refusal keeps its words")
    func refused() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        link.script { $0.answers = { _ in throw XMPPError(.requestFailed, "the request was refused: not acceptable") } }
        let error = await #expect(throws: ChatError.self) {
            try await fixture.core.addContact(try JID("bo@example.net"), account: ann)
        }
        #expect(error?.code == .requestFailed)
        #expect(error?.xmppError != nil)
        #expect(!link.presences.contains { $0.kind == .subscribe })
    }

    @Test("the list tells who is online, by the best resource, as it changes")
    func livePresence() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        try await link.receive(push("<item jid='bo@example.net' name='Bo' subscription='both'/>"))
        var updates = fixture.core.contactUpdates(account: ann).makeAsyncIterator()
        let first = try #require(try await updates.next())
        #expect(first.inserted.map(\.presence.availability) == [.offline])
        try await link.receive("<presence from='bo@example.net/pc'><priority>1</priority></presence>")
        #expect(try await updates.next()?.updated.map(\.presence.availability) == [.online])
        try await link.receive("<presence from='bo@example.net/phone'><show>xa</show></presence>")
        let both = try #require(try await updates.next())
        #expect(both.rows.first?.presence.best?.name == "pc")
        #expect(both.rows.first?.presence.resources.count == 2)
        try await link.receive("<presence from='bo@example.net/pc' type='unavailable'/>")
        #expect(try await updates.next()?.updated.map(\.presence.availability) == [.extendedAway])
        try await fixture.core.disconnect(ann)
        #expect(try await updates.next()?.updated.map(\.presence.availability) == [.unknown])
    }

    @Test("the programs of a contact's devices are asked for; those that do not tell, or not in time, are left out")
    func programs() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let bo = try JID("bo@example.net")
        try await link.receive(push("<item jid='bo@example.net' subscription='both'/>"))
        let (pc, silent) = (try bo.with(resource: "pc"), try bo.with(resource: "silent"))
        link.script { $0.programs = [pc: "Gajim", silent: ""] }
        for name in ["pc", "phone"] { try await link.receive("<presence from='bo@example.net/\(name)'/>") }
        #expect(await fixture.core.programs(of: bo, account: ann) == ["pc": "Gajim"])
        for name in ["pc", "phone"] {
            try await link.receive("<presence from='bo@example.net/\(name)' type='unavailable'/>")
        }
        try await link.receive("<presence from='bo@example.net/silent'/>")
        #expect(await fixture.core.programs(of: bo, account: ann, within: .zero).isEmpty)
    }

    @Test("accepting answers, empties the inbox, and adds back")
    func accept() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let bo = try JID("bo@example.net")
        try await link.receive("<presence type='subscribe' from='bo@example.net'><status>hi</status></presence>")
        #expect(try await fixture.core.requests().map(\.text) == ["hi"])
        try await fixture.core.acceptRequest(from: bo, account: ann)
        #expect(try await fixture.core.requests().isEmpty)
        #expect(link.presences.filter { $0.to == bo }.map(\.kind) == [.subscribed, .subscribe])
        let again = await #expect(throws: ChatError.self) {
            try await fixture.core.acceptRequest(from: bo, account: ann)
        }
        #expect(again?.code == .unknownRequest)
    }

    @Test("declining answers once and empties the inbox")
    func decline() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let bo = try JID("bo@example.net")
        try await link.receive("<presence type='subscribe' from='bo@example.net'/>")
        try await fixture.core.declineRequest(from: bo, account: ann)
        #expect(try await fixture.core.requests().isEmpty)
        #expect(link.presences.filter { $0.to == bo }.map(\.kind) == [.unsubscribed])
    }

    @Test("withdrawing takes back an open question only")
    func withdraw() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        try await link.receive(push("<item jid='bo@example.net' subscription='none' ask='subscribe'/>"))
        try await fixture.core.withdrawRequest(to: try JID("bo@example.net"), account: ann)
        #expect(link.presences.last?.kind == .unsubscribe)
        let error = await #expect(throws: ChatError.self) {
            try await fixture.core.withdrawRequest(to: try JID("eve@example.net"), account: ann)
        }
        #expect(error?.code == .unknownContact)
    }

    @Test("an accepting policy answers by itself on the wire")
    func policy() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        try await fixture.core.setSubscriptionPolicy(.acceptAllAndAddBack, account: ann)
        let signal = fixture.core.store.hub.subscribe { _ in true }
        try await link.receive("<presence type='subscribe' from='bo@example.net'/>")
        let bo = try JID("bo@example.net")
        while link.presences.filter({ $0.to == bo }).count < 2 { await Task.yield() }
        #expect(link.presences.filter { $0.to == bo }.map(\.kind) == [.subscribed, .subscribe])
        #expect(try await fixture.core.requests().isEmpty)
        withExtendedLifetime(signal) {}
    }
}
