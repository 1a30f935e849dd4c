// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Who is blocked (XEP-0191)")
struct BlockListTests {
    let own: JID

    init() throws { own = try JID("juliet@example.org/balcony") }

    func push(_ content: String, from: String? = nil, type: String = "set") throws -> BlockPush? {
        let from = from.map { "from='\($0)'" } ?? ""
        return try receivedIQ("<iq type='\(type)' id='p1' \(from)>\(content)</iq>").blockPush(for: own)
    }

    @Test("OF36 a push comes without a sender or from the own bare address")
    func pushes() throws {
        let block = "<block xmlns='urn:xmpp:blocking'><item jid='tybalt@example.org'/></block>"
        let tybalt = try JID("tybalt@example.org")
        #expect(try push(block) == .blocked([tybalt]))
        #expect(try push(block, from: "juliet@example.org") == .blocked([tybalt]))
        #expect(
            try push("<unblock xmlns='urn:xmpp:blocking'><item jid='tybalt@example.org'/></unblock>")
                == .unblocked([tybalt]))
        #expect(try push("<unblock xmlns='urn:xmpp:blocking'/>") == .unblockedAll)
    }

    @Test(
        "T075 nobody but the own account changes who is blocked",
        arguments: ["mal@example.net/x", "example.org", "juliet@example.org/phone", "juliet@example.com"])
    func forged(_ sender: String) throws {
        #expect(
            try push("<block xmlns='urn:xmpp:blocking'><item jid='a@example.org'/></block>", from: sender) == nil)
        #expect(try push("<unblock xmlns='urn:xmpp:blocking'/>", from: sender) == nil)
    }

    @Test("an unblock whose items cannot be read unblocks nobody, and an empty block is none")
    func unreadable() throws {
        #expect(try push("<unblock xmlns='urn:xmpp:blocking'><item jid='@'/></unblock>") == nil)
        #expect(try push("<unblock xmlns='urn:xmpp:blocking'><item/></unblock>") == nil)
        #expect(try push("<block xmlns='urn:xmpp:blocking'/>") == nil)
        #expect(try push("<block xmlns='urn:xmpp:blocking'><item jid='a@b'/></block>", type: "get") == nil)
    }

    @Test("changes are followed, and an address stands for what belongs to it")
    func list() throws {
        func jid(_ text: String) throws -> JID { try JID(text) }
        var list = BlockList([try jid("a@example.org"), try jid("b@example.org/phone"), try jid("bad.example")])
        #expect(try list.blocks(jid("a@example.org")) && list.blocks(jid("a@example.org/any")))
        #expect(list.blocks(try jid("b@example.org/phone")))
        #expect(try !list.blocks(jid("b@example.org")) && !list.blocks(jid("b@example.org/pc")))
        for text in ["bad.example", "x@bad.example", "x@bad.example/r", "bad.example/r"] {
            #expect(list.rule(for: try jid(text))?.description == "bad.example")
        }
        #expect(!list.blocks(try jid("very.bad.example")))
        list.apply(.blocked([try jid("c@example.org"), try jid("a@example.org")]))
        #expect(list.addresses.count == 4)
        list.apply(.unblocked([try jid("a@example.org"), try jid("nobody@example.org")]))
        #expect(!list.blocks(try jid("a@example.org")) && list.addresses.count == 3)
        list.apply(.unblockedAll)
        #expect(list == BlockList())
        list.apply(.blocked([try jid("bad.example/r")]))
        #expect(try list.blocks(jid("bad.example/r")) && !list.blocks(jid("x@bad.example/r")))
    }

    @Test("OF36 a message of ours that came back says that we block, with or without the element for it")
    func bounced() throws {
        func error(_ content: String) throws -> StanzaError? {
            try receivedMessage(
                "<message type='error' from='tybalt@example.org'><error type='cancel'>\(content)</error></message>"
            ).error
        }
        let plain = try #require(try error("<not-acceptable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>"))
        let marked = try #require(
            try error(
                "<not-acceptable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/><blocked xmlns='urn:xmpp:blocking:errors'/>"
            ))
        let tybalt = try JID("tybalt@example.org")
        #expect(marked.isBlocked && !plain.isBlocked)
        #expect(BlockList().explains(marked, from: nil))
        #expect(BlockList([tybalt]).explains(plain, from: tybalt) && !BlockList().explains(plain, from: tybalt))
        #expect(!BlockList([tybalt]).explains(StanzaError(.serviceUnavailable), from: tybalt))
    }

    @Test("a report is written and read, and needs a reason")
    func report() throws {
        try roundTrip(AbuseReport(.spam))
        try roundTrip(
            AbuseReport(
                .abuse, text: "Never came trouble to my house like this.", language: "en",
                messages: [StanzaID(id: "1", by: try JID("romeo@example.net"))], permitsOrigin: true,
                permitsThirdParties: true))
        #expect(AbuseReport(try received("<report xmlns='urn:xmpp:reporting:1'/>")) == nil)
        let example = try received(try Fixture.named("xep-0377/messages.xml").xml)
        let item = try #require(example.children.first?.children.first)
        let report = try #require(item.children.first.flatMap { AbuseReport($0) })
        #expect(report.reason == .spam && report.messages.count == 2 && report.language == "en")
        #expect(report.text?.hasPrefix("Never came trouble") == true && !report.permitsOrigin)
    }
}
