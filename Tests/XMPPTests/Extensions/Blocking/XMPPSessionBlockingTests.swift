// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
import XMPP
import XMPPTesting

@Suite("Blocking of a session (XEP-0191, XEP-0377)", .timeLimit(.minutes(1)))
struct XMPPSessionBlockingTests {
    @Test("OF36 the list is fetched, a push is told and answered, then the result comes")
    func openfire() async throws {
        let told = Locked([BlockPush]())
        let online = try await OnlineSession {
            $0.modules.append(BlockingModule { push in told.withLock { $0.append(push) } })
        }
        let tybalt = try JID("tybalt@example.org")
        async let fetching = online.session.fetchBlockList()
        let get = await online.answer(
            "<blocklist xmlns=\"urn:xmpp:blocking\"><item jid=\"mal@example.net\"/><item jid='@'/></blocklist>")
        #expect(get?["to"] == nil && get?.children.first?.xml == "<blocklist xmlns='urn:xmpp:blocking'/>")
        var list = try await fetching
        #expect(list.addresses == [try JID("mal@example.net")])

        async let blocking: Void = online.session.block([tybalt])
        let set = await online.peer.expect("iq")
        #expect(
            set?.children.first?.xml == "<block xmlns='urn:xmpp:blocking'><item jid='tybalt@example.org'/></block>")
        online.peer.inject(
            "<iq type=\"set\" id=\"552-1\" to=\"juliet@example.org/balcony\"><block xmlns=\"urn:xmpp:blocking\">"
                + "<item jid=\"tybalt@example.org\"/></block></iq>")
        let answer = await online.peer.expect("iq")
        #expect(answer?["type"] == "result" && answer?["id"] == "552-1")
        online.peer.inject("<iq type='result' id='\(set?["id"] ?? "")'/>")
        try await blocking
        for push in told.withLock({ $0 }) { list.apply(push) }
        #expect(list.blocks(tybalt))
        await online.end()
    }

    @Test("T075 a block push of a contact or an own resource changes nothing and gets no answer")
    func forged() async throws {
        let online = try await OnlineSession {
            $0.modules.append(BlockingModule { _ in Issue.record("a forged push was told") })
        }
        for sender in ["mal@example.net/x", "juliet@example.org/phone", "example.org"] {
            online.peer.inject(
                "<iq type='set' id='x' from='\(sender)'><unblock xmlns='urn:xmpp:blocking'/></iq>")
        }
        await online.settle()
        #expect(!online.peer.writtenText.contains("id=\"x\""))
        await online.end()
    }

    @Test("nobody in particular is never everybody, and oneself is not blocked")
    func guarded() async throws {
        let online = try await OnlineSession()
        #expect(await failureCode { try await online.session.unblock([]) } == .invalidArgument)
        #expect(await failureCode { try await online.session.block([]) } == .invalidArgument)
        let own = try JID("juliet@example.org/phone")
        #expect(await failureCode { try await online.session.block([own]) } == .yourself)
        await online.settle()
        async let all: Void = online.session.unblockAll()
        let set = await online.answer()
        #expect(set?.children.first?.xml == "<unblock xmlns='urn:xmpp:blocking'/>")
        try await all
        let tybalt = try JID("tybalt@example.org")
        async let one: Void = online.session.unblock([tybalt])
        #expect(await online.answer()?.children.first?.children.first?["jid"] == "tybalt@example.org")
        try await one
        async let refused = failureCode { try await online.session.block([tybalt]) }
        await online.refuse("service-unavailable")
        #expect(await refused == .requestFailed)
        await online.end()
    }

    @Test("a report goes along where the server takes it, and the block goes in any case", arguments: [true, false])
    func report(_ isTaken: Bool) async throws {
        let online = try await OnlineSession()
        let spammer = try JID("spam@example.net")
        async let blocking = online.session.block(spammer, reporting: AbuseReport(.spam, text: "pills"))
        let question = await online.answer(
            "<query xmlns='http://jabber.org/protocol/disco#info'>"
                + (isTaken ? "<feature var='urn:xmpp:reporting:1'/>" : "") + "</query>")
        #expect(question?["to"] == "example.org")
        let set = await online.answer()
        let item = set?.children.first?.children.first
        #expect(item?["jid"] == "spam@example.net")
        #expect(item?.children.first.flatMap { AbuseReport($0) }?.text == (isTaken ? "pills" : nil))
        #expect(try await blocking == isTaken)
        await online.end()
    }
}
