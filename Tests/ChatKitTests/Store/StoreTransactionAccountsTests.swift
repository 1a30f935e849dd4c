// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import Testing
import XMPP

@testable import ChatKit

@Suite("StoreTransaction+Accounts")
struct StoreTransactionAccountsTests {
    /// An account with two conversations, by their numbers.
    private func add(_ store: ChatStore, _ jid: String) async throws -> (account: Int64, conversations: [Int64]) {
        try await store.write { transaction in
            let account = try transaction.addAccount(jid: jid, settings: AccountSettings())
            return (
                account,
                try ["bo@example.net", "eli@example.net"].map {
                    try transaction.makeConversation(account: account, peer: $0).id
                }
            )
        }
    }

    @Test("numbers of accounts and conversations are never given twice, also not after the profile was closed")
    func numbers() async throws {
        let folder = try TemporaryFolder()
        var store = try await ChatStore(.file(folder.file("chat.db")))
        let ann = try await add(store, "ann@example.org")
        let kim = try await add(store, "kim@example.org")
        try await store.write { try $0.removeAccount(kim.account) }
        await store.close()
        store = try await ChatStore(.file(folder.file("chat.db")))
        let leo = try await add(store, "leo@example.org")
        #expect(leo.account > kim.account && kim.account > ann.account)
        #expect(try #require(leo.conversations.min()) > #require(kim.conversations.max()))
        // The others, which are lower, change nothing about that.
        try await store.write { transaction in
            try transaction.removeAccount(leo.account)
            try transaction.removeAccount(ann.account)
        }
        let eve = try await add(store, "eve@example.org")
        #expect(eve.account > leo.account)
        #expect(try #require(eve.conversations.min()) > #require(leo.conversations.max()))
        await store.close()
    }

    @Test("what somebody holds of an account that is gone leads to nobody else's conversation")
    func face() async throws {
        let fixture = try await CoreFixture.make()
        let (ann, kim) = (try #require(JID(wire: "ann@example.org")), try #require(JID(wire: "kim@example.org")))
        let bo = try #require(JID(wire: "bo@example.net"))
        try await fixture.core.addAccount(ann, password: "x")
        let old = try await fixture.core.send(to: bo, text: "hi", account: ann).message.conversation
        try await fixture.core.removeAccount(ann)
        try await fixture.core.addAccount(kim, password: "x")
        let new = try await fixture.core.send(to: bo, text: "hi", account: kim).message.conversation
        #expect(new != old)
        await #expect(throws: ChatError.self) { try await fixture.core.conversation(old) }
        #expect(try await fixture.core.history(old).isEmpty)
    }
}
