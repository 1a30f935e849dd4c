// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Foundation
import Testing
import XMPP

@testable import ChatKit

@Suite("ChatCore+Notifications", .timeLimit(.minutes(1)))
struct ChatCoreNotificationsTests {
    private func bodies(_ change: NotificationChange?) -> String? {
        guard case .post(let notification) = change else { return nil }
        return notification.body
    }

    @Test("what comes in is told, what is read elsewhere is taken away, and the badge follows")
    func feed() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        var rules = NotificationRules()
        rules.announcesStrangers = true
        try await fixture.core.setNotificationRules(rules)
        var reader = fixture.core.notifications().makeAsyncIterator()
        #expect(await reader.nextThat { $0 == .badge(0) } != nil)
        // Nothing that comes from now on is missed.
        try await link.receive("<message from='bo@example.net/p' id='1'><body>one</body></message>")
        var (isTold, isCounted) = (false, false)
        while !(isTold && isCounted), let change = await reader.next() {
            if bodies(change) == "one" { isTold = true }
            if change == .badge(1) { isCounted = true }
        }
        #expect(isTold && isCounted)
        let id = try await fixture.core.conversation(with: try JID("bo@example.net"), account: ann).id
        try await fixture.core.markRead(id)
        #expect(await reader.nextThat { $0 == .withdraw(.conversation(id)) } != nil)
        await fixture.core.close()
        #expect(await reader.nextThat { _ in false } == nil)
    }

    @Test(
        "a conversation that was muted until a moment is not any more when that has come, and lists and badge are told")
    func muteEnds() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let bo = try JID("bo@example.net")
        try await fixture.core.send(to: bo, text: "hello", account: ann)
        let id = try await fixture.core.conversation(with: bo, account: ann).id
        try await fixture.core.mute(id, until: Date(milliseconds: fixture.time.now + 50))
        try await link.receive("<message from='bo@example.net/p' id='1'><body>one</body></message>")
        let reader = fixture.core.notifications().makeAsyncIterator()
        #expect(await reader.nextThat { $0 == .badge(0) } != nil)
        fixture.time.advance(100)
        #expect(await reader.nextThat { $0 == .badge(1) } != nil)
        #expect(try await fixture.core.conversation(id).mutedUntil == nil)
    }

    @Test("rules are kept, and decide from now on")
    func rules() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        #expect(try await fixture.core.notificationRules() == NotificationRules())
        try await link.receive("<message from='bo@example.net/p' id='1'><body>one</body></message>")
        let id = try await fixture.core.conversation(with: try JID("bo@example.net"), account: ann).id
        let message = try #require(try await fixture.core.history(id).first)
        #expect(try await fixture.core.announces(message) == nil)
        var rules = NotificationRules()
        rules.announcesStrangers = true
        try await fixture.core.setNotificationRules(rules)
        #expect(try await fixture.core.notificationRules() == rules)
        #expect(try await fixture.core.announces(message) == .message)
    }
}

@Suite("Announcements for many readers")
struct AnnouncementBookTests {
    @Test("of many readers that ask for the same message one looks into the store")
    func once() async throws {
        let (book, looks) = (AnnouncementBook(), Locked(0))
        let id = ChatMessage.ID(rawValue: 1)
        await withTaskGroup { group in
            for _ in 1...20 {
                group.addTask {
                    let announcement = try? await book.value(of: id) {
                        looks.withLock { $0 += 1 }
                        await Task.yield()
                        return (.mention, .name)
                    }
                    #expect(announcement?.reason == .mention && announcement?.previews == .name)
                }
            }
        }
        #expect(looks.withLock { $0 } == 1)
    }
}

extension NotificationFeed.Iterator {
    /// The next change for which something holds; nil at the end.
    fileprivate func nextThat(_ holds: (NotificationChange) -> Bool) async -> NotificationChange? {
        var reader = self
        while let change = await reader.next() {
            if holds(change) { return change }
        }
        return nil
    }
}
