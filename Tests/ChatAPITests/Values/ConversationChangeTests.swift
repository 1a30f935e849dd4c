// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Foundation
import Testing

@Suite struct ConversationChangeTests {
    private func read(_ json: String) throws -> ConversationChange {
        try JSONDecoder().decode(ConversationChange.self, from: Data(json.utf8))
    }

    @Test func `an absent member changes nothing, and null ends the silence`() throws {
        let plain = try read(#"{"conversation":{"conversation":"c@d"}}"#)
        #expect(plain == ConversationChange(conversation: .init(conversation: "c@d")))
        let off = try read(#"{"conversation":{"conversation":"c@d"},"muted_until":null}"#)
        #expect(off.mute == .off)
    }

    @Test func `what is written is read again`() throws {
        let time = Timestamp(milliseconds: 1_800_000_000_000)
        for mute: ConversationChange.Mute? in [nil, .off, .until(time)] {
            let change = ConversationChange(
                conversation: .init(account: "a@b", conversation: "c@d"), isPinned: true, isArchived: false,
                level: NotificationLevel.none, mute: mute)
            let again = try JSONDecoder().decode(ConversationChange.self, from: JSONEncoder().encode(change))
            #expect(again == change)
        }
    }
}
