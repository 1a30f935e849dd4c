// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import Testing
import XMPP

@testable import ChatKit

@Suite("Two accounts in one room")
struct TwoAccountsTests {
    @Test("two accounts of one profile in one room each have what is said there")
    func both() async throws {
        let fixture = try await StoreFixture.make()
        let (room, kim) = (try JID("tearoom@rooms.example.org"), try JID("kim@example.org"))
        let first = fixture.account
        let second = try await fixture.store.write { transaction in
            let second = try transaction.addAccount(jid: kim.description, settings: AccountSettings())
            for account in [first, second] {
                try transaction.wantRoom(account: account, room: room, nick: "n\(account)", password: nil, name: nil)
            }
            return second
        }
        let other = AccountSessionStore(store: fixture.store, account: second, jid: kim)
        let said =
            "<message from='\(room)/eli' type='groupchat' id='1'><body>tea</body>"
            + "<stanza-id xmlns='urn:xmpp:sid:0' by='\(room)' id='s1'/></message>"
        try await fixture.receive(said)
        try await other.commit(
            SessionCommit(received: [try StoreFixture.stanza(said)], state: SessionState(streamID: "s1")))
        #expect(try await fixture.count("message") == 2)
        // The room's archive finds each account's own.
        guard case .message(let message) = try StoreFixture.stanza(said) else {
            Issue.record("no message")
            return
        }
        let page = CatchUpPage(
            messages: [CatchUpMessage(id: "s1", stamp: fixture.time.now, message: message)], isComplete: true)
        for session in [fixture.session, other] {
            try await session.take(page, of: ArchiveScope(room: room))
            #expect(try await session.anchor(ArchiveScope(room: room))?.lastID == "s1")
        }
        #expect(try await fixture.count("message") == 2)
        let archived: Int? = try await fixture.store.read {
            try $0.value("SELECT count(DISTINCT account) FROM message WHERE is_archived = 1")
        }
        #expect(archived == 2)
    }
}
