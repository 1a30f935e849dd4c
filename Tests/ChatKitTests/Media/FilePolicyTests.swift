// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@testable import ChatKit

@Suite("FilePolicy")
struct FilePolicyTests {
    private func file(_ size: Int?, inline: Bool? = nil) -> FileDescription {
        var file = FileDescription(url: "https://files.example.net/a.jpg")
        file.metadata.byteCount = size
        file.isInline = inline
        return file
    }

    @Test("T149 strangers and rooms make nobody fetch, contacts only up to the limit")
    func senders() {
        func permits(_ sender: AutomaticFetch.Sender, _ size: Int?, limit: Int = 100) -> Bool {
            FilePolicy(sender: sender, maximumBytes: limit).permits(file(size))
        }
        #expect(permits(.contact, 100) && permits(.ownAccount, 100))
        #expect(!permits(.stranger, 1) && !permits(.room, 1) && !permits(.stranger, nil))
        #expect(!permits(.contact, 101) && !permits(.contact, 0))
        // It is cut off at the limit when it comes.
        #expect(permits(.contact, nil))
        #expect(!permits(.contact, 1, limit: 0))
    }

    @Test("what its sender wants only offered is not fetched")
    func attachment() {
        #expect(!FilePolicy(sender: .contact, maximumBytes: 100).permits(file(1, inline: false)))
    }

    @Test("T149 who sends is told by the list of contacts")
    func classes() async throws {
        let fixture = try await StoreFixture.make()
        try await fixture.contact("bo@example.net", .both)
        try await fixture.contact("eve@example.net", .from)
        let account = fixture.account
        for (peer, sender) in [
            ("bo@example.net", AutomaticFetch.Sender.contact), ("eve@example.net", .stranger), ("x@y.z", .stranger),
        ] {
            let found = try await fixture.store.write { transaction in
                let conversation = try transaction.makeConversation(account: account, peer: peer)
                return try transaction.filePolicy(for: .peer, in: conversation, AccountSettings()).sender
            }
            #expect(found == sender, "\(peer)")
        }
    }
}
