// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatTesting
import Foundation
import Testing

@Suite struct ChatEventTests {
    private static let kinds: [(ChatEvent.Kind, String)] = [
        (.message(FakeChatClient.incoming(1)), "message"),
        (.messageChanged(FakeChatClient.incoming(1)), "message-changed"),
        (.contact(ContactSummary(account: "a@b", address: "c@d", presence: .init(.away, status: "s"))), "contact"),
        (.contactRemoved(account: "a@b", address: "c@d"), "contact-removed"),
        (.conversationRemoved(account: "a@b", address: "c@d"), "conversation-removed"),
        (.accountRemoved(account: "a@b"), "account-removed"),
        (.request(RequestSummary(account: "a@b", address: "c@d", text: "hi")), "request"),
        (.requestRemoved(account: "a@b", address: "c@d"), "request-removed"),
        (.typing(account: "a@b", address: "c@d", isTyping: true), "typing"),
        (
            .connection(AccountSummary(address: "a@b", connection: .init(.waiting, error: .init(.network, "gone")))),
            "connection"
        ),
        (
            .roomActivity(
                RoomActivityItem(
                    id: "1", account: "a@b", room: "c@d", position: 7, began: .init(milliseconds: 1),
                    ended: .init(milliseconds: 2),
                    people: [
                        .init(name: "n", change: .renamed, former: "m"),
                        .init(name: "k", change: .kicked, reason: "r"),
                    ], others: 2)), "room-activity"
        ),
        (
            .announcement(
                Announcement(
                    id: "conversation 1", reason: .mention, account: "a@b", address: "c@d", title: "C", count: 2)),
            "announcement"
        ),
        (.announcementRemoved(id: "conversation 1"), "announcement-removed"), (.unread(count: 3), "unread"),
        (.gap, "gap"), (.live, "live"),
    ]

    @Test(arguments: kinds.indices)
    func `every kind survives the way over the wire`(index: Int) throws {
        let (kind, name) = Self.kinds[index]
        let event = ChatEvent(kind, cursor: "17")
        let data = try JSONEncoder().encode(event)
        #expect(try JSONDecoder().decode(ChatEvent.self, from: data) == event)
        let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(object["type"] as? String == name)
        #expect(object["cursor"] as? String == "17")
    }

    @Test(arguments: [#"{"type":"nothing"}"#, #"{"type":"message"}"#, #"{"type":"typing","account":"a"}"#, "[]"])
    func `an event of an unknown kind or without its subject is refused`(json: String) {
        #expect(throws: (any Error).self) { try JSONDecoder().decode(ChatEvent.self, from: Data(json.utf8)) }
    }

    @Test func `states follow each other in their order, and failure reaches nothing`() {
        #expect(MessageState.delivered.reached(.acknowledged))
        #expect(!MessageState.written.reached(.acknowledged))
        #expect(MessageState.queued.reached(.queued))
        #expect(!MessageState.failed.reached(.queued))
        #expect(!MessageState.received.reached(.queued))
    }
}
