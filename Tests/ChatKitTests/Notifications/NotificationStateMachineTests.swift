// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import XMPP

@testable import ChatKit

@Suite("NotificationStateMachine")
struct NotificationStateMachineTests {
    /// Noon in UTC.
    private static let noon = Date(timeIntervalSince1970: 1_800_014_400)
    private static var calendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }

    private func conversation(
        unread: Int = 1, mentions: Int = 0, level: Conversation.Level = .all, mutedUntil: Date? = nil,
        isStranger: Bool = false, picture: PictureHash? = nil, id: Int64 = 1
    ) throws -> Conversation {
        Conversation(
            id: .init(rawValue: id), account: try JID("ann@example.org"), peer: try JID("bo\(id)@example.net"),
            kind: .chat, name: "Bo", lastMessage: nil, unread: unread, mentions: mentions, draft: nil, isPinned: false,
            isArchived: false, level: level, mutedUntil: mutedUntil, readThrough: nil, picture: picture,
            isStranger: isStranger, room: nil, lastActivity: Self.noon)
    }

    private func message(
        _ id: Int64 = 1, _ body: String = "hello", isMention: Bool = false, sent: Date = Self.noon,
        isDelayed: Bool = false,
        retracted: Date? = nil, direction: ChatMessage.Direction = .incoming
    ) throws -> ChatMessage {
        ChatMessage(
            id: .init(rawValue: id), account: try JID("ann@example.org"), conversation: .init(rawValue: 1),
            peer: try JID("bo1@example.net"), direction: direction, sender: try JID("bo1@example.net/p"), body: body,
            subject: nil, state: .received, sent: sent, received: sent, isDelayed: isDelayed, originID: nil,
            archiveID: nil, protection: .none, mayBeDuplicated: false, idempotencyKey: nil, position: id,
            senderName: nil, edited: nil, retracted: retracted, moderation: nil, isMention: isMention,
            isChanging: false, replyID: nil, replyAuthor: nil)
    }

    private func machine(_ change: (inout NotificationRules) -> Void = { _ in }) -> NotificationStateMachine {
        var rules = NotificationRules()
        change(&rules)
        return NotificationStateMachine(rules: rules, calendar: Self.calendar)
    }

    private func posts(_ changes: [NotificationChange]) -> [ChatNotification] {
        changes.compactMap { if case .post(let notification) = $0 { notification } else { nil } }
    }

    @Test("a message is announced under its conversation; the next one takes its place and counts both")
    func message() throws {
        var machine = machine()
        let first = posts(machine.take(.message(try message(1), try conversation()), at: Self.noon))
        #expect(first.map(\.body) == ["hello"])
        #expect(first.map(\.title) == ["Bo"])
        #expect(first.map(\.reason) == [.message])
        #expect(first.map(\.id) == [.conversation(.init(rawValue: 1))])
        let second = posts(machine.take(.message(try message(2, "more"), try conversation(unread: 2)), at: Self.noon))
        #expect(second.map(\.count) == [2])
        #expect(second.map(\.id) == first.map(\.id))
        #expect(machine.take(.message(try message(2, "more"), try conversation(unread: 2)), at: Self.noon).isEmpty)
    }

    @Test("what was read elsewhere of what was told does not count in the next one")
    func countOfUnread() throws {
        var machine = machine()
        for number in 1...3 {
            _ = machine.take(.message(try message(Int64(number)), try conversation(unread: number)), at: Self.noon)
        }
        _ = machine.take(.conversations([try conversation(unread: 1)]), at: Self.noon)
        let next = posts(machine.take(.message(try message(4), try conversation(unread: 2)), at: Self.noon))
        #expect(next.map(\.count) == [2])
    }

    @Test(
        "where only mentions are told, one that was read goes, whatever follows it unread; so does what is no mention")
    func readMention() throws {
        let told = ChatNotification.ID.conversation(.init(rawValue: 1))
        var machine = machine()
        let room = try conversation(unread: 1, mentions: 1, level: .mentions)
        #expect(!machine.take(.message(try message(1, isMention: true), room), at: Self.noon).isEmpty)
        #expect(machine.take(.conversations([room]), at: Self.noon) == [.badge(1)])
        let rest = try conversation(unread: 5, mentions: 0, level: .mentions)
        #expect(machine.take(.conversations([rest]), at: Self.noon).contains(.withdraw(told)))
        var other = self.machine()
        _ = other.take(.message(try message(1), try conversation()), at: Self.noon)
        #expect(other.take(.conversations([rest]), at: Self.noon).contains(.withdraw(told)))
    }

    @Test("level and mute decide; a mention passes the level of mentions, but no mute")
    func level() throws {
        let later = Self.noon.addingTimeInterval(60)
        let (plain, mention) = (try message(1), try message(2, isMention: true))
        func reason(_ message: ChatMessage, _ conversation: Conversation) -> ChatNotification.Reason? {
            NotificationRules().reason(for: message, in: conversation, at: Self.noon, calendar: Self.calendar)
        }
        #expect(reason(plain, try conversation()) == .message)
        #expect(reason(mention, try conversation()) == .mention)
        #expect(reason(plain, try conversation(level: .mentions)) == nil)
        #expect(reason(mention, try conversation(level: .mentions)) == .mention)
        #expect(reason(mention, try conversation(level: .none)) == nil)
        #expect(reason(mention, try conversation(mutedUntil: later)) == nil)
        #expect(reason(plain, try conversation(mutedUntil: Self.noon.addingTimeInterval(-1))) == .message)
    }

    @Test("what is read already, ours, taken back, empty or old history is not announced")
    func unwanted() throws {
        let rules = NotificationRules()
        func reason(_ message: ChatMessage, _ conversation: Conversation) -> ChatNotification.Reason? {
            rules.reason(for: message, in: conversation, at: Self.noon, calendar: Self.calendar)
        }
        #expect(reason(try message(), try conversation(unread: 0)) == nil)
        #expect(reason(try message(direction: .outgoing), try conversation()) == nil)
        #expect(reason(try message(retracted: Self.noon), try conversation()) == nil)
        #expect(reason(try message(1, ""), try conversation()) == nil)
        let old = Self.noon.addingTimeInterval(-NotificationRules.maximumAge - 1)
        #expect(reason(try message(sent: old, isDelayed: true), try conversation()) == nil)
        #expect(reason(try message(sent: old.addingTimeInterval(2), isDelayed: true), try conversation()) == .message)
        // A clock that is wrong hides nothing that comes live.
        #expect(reason(try message(sent: old), try conversation()) == .message)
    }

    @Test(
        "quiet hours, also over midnight",
        arguments: [
            (720, 721, true), (700, 720, false), (1320, 720, false), (1320, 721, true), (720, 720, false),
            (719, 60, true),
        ])
    func quietHours(begin: Int, end: Int, isQuiet: Bool) throws {
        var machine = machine { $0.quietHours = .init(begin: begin, end: end) }
        let changes = machine.take(.message(try message(), try conversation()), at: Self.noon)
        #expect(changes.isEmpty == isQuiet)
    }

    @Test("strangers are neither announced nor counted when the rules say so")
    func strangers() throws {
        var machine = machine { $0.announcesStrangers = false }
        let stranger = try conversation(isStranger: true)
        #expect(machine.take(.message(try message(), stranger), at: Self.noon).isEmpty)
        #expect(machine.take(.conversations([stranger]), at: Self.noon) == [.badge(0)])
        #expect(!posts(machine.take(.message(try message(), try conversation()), at: Self.noon)).isEmpty)
    }

    @Test("nothing is told of the conversation that the user looks at, and what was told of it goes")
    func focus() throws {
        var machine = machine()
        let id = Conversation.ID(rawValue: 1)
        _ = machine.take(.message(try message(1), try conversation()), at: Self.noon)
        #expect(machine.take(.focus(id), at: Self.noon) == [.withdraw(.conversation(id))])
        #expect(machine.take(.message(try message(2), try conversation()), at: Self.noon).isEmpty)
        #expect(machine.take(.focus(nil), at: Self.noon).isEmpty)
        #expect(!machine.take(.message(try message(3), try conversation()), at: Self.noon).isEmpty)
    }

    @Test("what is read elsewhere, muted or gone is taken away, once")
    func withdrawn() throws {
        let id = ChatNotification.ID.conversation(.init(rawValue: 1))
        for list in [[try conversation(unread: 0)], [try conversation(level: .none)], []] {
            var machine = machine()
            _ = machine.take(.conversations([try conversation()]), at: Self.noon)
            _ = machine.take(.message(try message(), try conversation()), at: Self.noon)
            #expect(machine.take(.conversations([try conversation()]), at: Self.noon).isEmpty)
            #expect(machine.take(.conversations(list), at: Self.noon).contains(.withdraw(id)))
            #expect(!machine.take(.conversations(list), at: Self.noon).contains(.withdraw(id)))
        }
    }

    @Test("a text that was changed is put right without a sound, and one that was taken back goes")
    func changed() throws {
        var machine = machine()
        _ = machine.take(.message(try message(1), try conversation()), at: Self.noon)
        let corrected = posts(machine.take(.changed(try message(1, "better")), at: Self.noon))
        #expect(corrected.map(\.body) == ["better"])
        #expect(corrected.map(\.isSilent) == [true])
        #expect(machine.take(.changed(try message(1, "better")), at: Self.noon).isEmpty)
        #expect(machine.take(.changed(try message(9, "another")), at: Self.noon).isEmpty)
        let gone = machine.take(.changed(try message(1, "", retracted: Self.noon)), at: Self.noon)
        #expect(gone == [.withdraw(.conversation(.init(rawValue: 1)))])
    }

    @Test("the badge counts what is announced: all, mentions only, or nothing; it is told when it changes")
    func badge() throws {
        var machine = machine()
        let list = [
            try conversation(unread: 3, id: 1), try conversation(unread: 5, mentions: 2, level: .mentions, id: 2),
            try conversation(unread: 7, level: .none, id: 3),
        ]
        #expect(machine.take(.conversations(list), at: Self.noon) == [.badge(5)])
        #expect(machine.take(.conversations(list), at: Self.noon).isEmpty)
        #expect(machine.take(.conversations([list[0]]), at: Self.noon) == [.badge(3)])
    }

    @Test("a text is hidden when the rules say so, and shortened")
    func text() throws {
        var hidden = machine { $0.previews = .name }
        #expect(posts(hidden.take(.message(try message(), try conversation()), at: Self.noon)).map(\.body) == [nil])
        var shown = machine()
        let long = String(repeating: "é", count: 1000)
        let body = posts(shown.take(.message(try message(1, long), try conversation()), at: Self.noon)).first?.body
        #expect(body?.count == ChatNotification.maximumLength + 1)
        var nameless = machine { $0.previews = .none }
        let post = try #require(posts(nameless.take(.message(try message(), try conversation()), at: Self.noon)).first)
        #expect(post.title == nil && post.body == nil)
    }

    @Test("a picture is shown where the name is, and nowhere else")
    func picture() throws {
        let hash = try #require(PictureHash(String(repeating: "a1", count: 20)))
        for (previews, expected) in [(NotificationRules.Previews.all, hash), (.name, hash), (.none, nil)] {
            var machine = machine { $0.previews = previews }
            let conversation = try conversation(picture: hash)
            let told = posts(machine.take(.message(try message(), conversation), at: Self.noon))
            #expect(told.map(\.picture) == [expected])
        }
    }

    @Test("a message with a keyword counts as one that names the user")
    func keywords() throws {
        var machine = machine { $0.keywords = ["tea"] }
        let quiet = try conversation(level: .mentions)
        #expect(posts(machine.take(.message(try message(1, "steam"), quiet), at: Self.noon)).isEmpty)
        let named = posts(machine.take(.message(try message(2, "more TEA?"), quiet), at: Self.noon))
        #expect(named.map(\.reason) == [.mention])
    }

    @Test("quiet hours are those of the user's own day")
    func timeZone() throws {
        var machine = machine {
            $0.quietHours = .init(begin: 1200, end: 1260)
            $0.timeZone = "Asia/Taipei"
        }
        // Noon here is eight in the evening there.
        #expect(machine.take(.message(try message(), try conversation()), at: Self.noon).isEmpty)
        var other = machine
        _ = other.take(.rules(NotificationRules()), at: Self.noon)
        #expect(!posts(other.take(.message(try message(2), try conversation()), at: Self.noon)).isEmpty)
    }

    @Test("a request is announced once and goes when it is answered; switched off, everything goes")
    func request() throws {
        var machine = machine()
        let id = Contact.ID(account: try JID("ann@example.org"), jid: try JID("eve@example.net"))
        let request = ContactRequest(id: id, nickname: "Eve", text: "hello", received: Self.noon)
        #expect(posts(machine.take(.request(request), at: Self.noon)).map(\.reason) == [.request])
        #expect(machine.take(.request(request), at: Self.noon).isEmpty)
        #expect(machine.take(.requestGone(id), at: Self.noon) == [.withdraw(.request(id))])
        _ = machine.take(.request(request), at: Self.noon)
        _ = machine.take(.conversations([]), at: Self.noon)
        var off = NotificationRules()
        off.isOn = false
        #expect(machine.take(.rules(off), at: Self.noon) == [.withdraw(.request(id))])
        #expect(machine.take(.message(try message(), try conversation()), at: Self.noon).isEmpty)
    }

    @Test("rules are kept as JSON in which what is missing is as usual")
    func rules() throws {
        var rules = NotificationRules()
        rules.quietHours = .init(begin: 1320, end: 420)
        rules.previews = .name
        let data = try JSONEncoder().encode(rules)
        #expect(try JSONDecoder().decode(NotificationRules.self, from: data) == rules)
        #expect(try JSONDecoder().decode(NotificationRules.self, from: Data("{}".utf8)) == NotificationRules())
        let wild = Data(#"{"quiet_hours":{"begin":-5,"end":99999}}"#.utf8)
        #expect(try JSONDecoder().decode(NotificationRules.self, from: wild).quietHours == .init(begin: 0, end: 1439))
    }
}
