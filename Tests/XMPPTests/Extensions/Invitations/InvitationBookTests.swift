// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import XMPP
import XMPPTesting

@Suite("Invitations given out by a program (XEP-0379)")
struct InvitationBookTests {
    var book = InvitationBook()
    let own: JID
    let now = DateTime(seconds: 1_900_000_000)

    init() throws { own = try JID("romeo@montague.net/orchard") }

    func request(_ from: String, _ token: String?, type: String = "subscribe") throws -> Presence {
        let preauth = token.map { "<preauth xmlns='urn:xmpp:pars:0' token='\($0)'/>" } ?? ""
        return try receivedPresence("<presence from='\(from)' type='\(type)'>\(preauth)</presence>")
    }

    func token(_ invitation: Invitation) throws -> String {
        guard case .addContact(let introduction) = invitation.link.action else { throw UnexpectedLink() }
        return try #require(introduction.token)
    }

    struct UnexpectedLink: Error {}

    @Test("an invitation is a link with a token of its own and an end")
    mutating func given() throws {
        let first = book.give(from: own, name: "Romeo", now: now)
        let second = book.give(from: own, now: now)
        #expect(try token(first) != token(second))
        #expect(try token(first).utf8.count >= 20)
        #expect(first.link.jid == own.bare && first.expires?.seconds == now.seconds + 604_800)
        #expect(XMPPLink(first.link.description) == first.link)
    }

    @Test("it is good once, in its time, for whom it was meant; everything else goes the usual way")
    mutating func redeemed() throws {
        let good = try token(book.give(from: own, now: now))
        #expect(try book.redeem(request("juliet@example.net", good), now: now))
        #expect(try !book.redeem(request("juliet@example.net", good), now: now))
        let late = try token(book.give(from: own, now: now, lifetime: .seconds(60)))
        #expect(try !book.redeem(request("juliet@example.net", late), now: DateTime(seconds: now.seconds + 60)))
        #expect(try book.redeem(request("juliet@example.net", late), now: DateTime(seconds: now.seconds + 59)))
        let juliet = try JID("juliet@example.net/balcony")
        let personal = try token(book.give(from: own, to: juliet, now: now))
        #expect(try !book.redeem(request("mal@example.net", personal), now: now))
        #expect(try !book.redeem(request("juliet@example.net", personal, type: "subscribed"), now: now))
        #expect(try book.redeem(request("juliet@example.net/x", personal), now: now))
        #expect(try !book.redeem(request("juliet@example.net", "guess"), now: now))
        #expect(try !book.redeem(request("juliet@example.net", nil), now: now))
    }

    @Test("T080 without a token, or with one that nobody gave, a request still waits for the user")
    mutating func strangers() throws {
        var inbox = SubscriptionInbox()
        let stranger = try request("mal@example.net", "guess")
        #expect(try !book.redeem(request("mal@example.net", "guess"), now: now))
        #expect(inbox.received(stranger, own: own) != nil)
    }

    @Test("whoever's invitation was accepted is expected once, for a time")
    mutating func expected() throws {
        let romeo = try JID("romeo@montague.net")
        book.expect(romeo, now: now, lifetime: .seconds(60))
        let asked = try request("romeo@montague.net", nil)
        #expect(try !book.isExpected(request("mal@example.net", nil), now: now))
        #expect(book.isExpected(asked, now: DateTime(seconds: now.seconds + 61)) == false)
        #expect(book.isExpected(asked, now: now) == true)
        #expect(book.isExpected(asked, now: now) == false)
    }

    @Test("the book is bounded, and survives being kept")
    mutating func kept() throws {
        var tokens: [String] = []
        for number in 0..<InvitationBook.capacity + 10 {
            tokens.append(try token(book.give(from: own, now: now, lifetime: .seconds(1000 + number))))
        }
        let data = try JSONEncoder().encode(book)
        var again = try JSONDecoder().decode(InvitationBook.self, from: data)
        #expect(again == book)
        let (first, last) = (try #require(tokens.first), try #require(tokens.last))
        #expect(try !again.redeem(request("a@example.net", first), now: now))
        #expect(try again.redeem(request("a@example.net", last), now: now))
    }

    @Test("a token is written and read, and stands only in a request")
    func element() throws {
        try roundTrip(InvitationToken("abc"))
        #expect(InvitationToken(try received("<preauth xmlns='urn:xmpp:pars:0' token=''/>")) == nil)
        var presence = Presence(.subscribe, to: own)
        presence.invitationToken = "abc"
        #expect(presence.invitationToken == "abc")
        #expect(try request("a@example.net", "abc", type: "unsubscribe").invitationToken == nil)
    }
}
