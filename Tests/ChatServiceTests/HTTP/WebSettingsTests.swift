// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatTesting
import Foundation
import Testing

@testable import ChatService

@Suite struct WebSettingsTests {
    @Test(
        "Settings are the same for all browsers, what a browser keeps for itself is its own, and both outlast a restart"
    )
    func settings() async throws {
        try await WebFixture.with { fixture in
            let (first, second) = (try await fixture.browser(), try await fixture.browser())
            let change =
                #"{"previews":"name","quiet_from":"22:00","quiet_until":"07:00","browser":{"theme":"dark","x":"1"}}"#
            #expect(try await first.write("PATCH", "/api/v1/settings", change).status == 200)
            #expect(
                try await second.get("/api/v1/settings").body
                    == #"{"browser":{},"previews":"name","quiet_from":"22:00","quiet_until":"07:00","strangers":"silent"}"#
            )
            #expect(
                try await first.write("PATCH", "/api/v1/settings", #"{"quiet_until":null,"browser":{"x":null}}"#).body
                    == #"{"browser":{"theme":"dark"},"previews":"name","quiet_from":"22:00","strangers":"silent"}"#)
            let stored = WebSettingsFile(folder: fixture.directory.path + "/web")
            #expect(stored.settings.previews == .name && stored.settings.quietUntil == nil)
            #expect(TemporaryDirectory.mode(fixture.directory.path + "/web/settings.json") == 0o600)
        }
    }

    @Test(
        "What is no setting is refused and changes nothing",
        arguments: [
            #"{"previews":"some"}"#, #"{"quiet_from":"25:00"}"#, #"{"quiet_from":"9:00"}"#,
            #"{"time_zone":"Moon/Sea"}"#,
            #"{"browser":{"":"x"}}"#, #"{"browser":{"a":1}}"#, "[]",
        ])
    func refused(_ body: String) async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            #expect(try await browser.write("PATCH", "/api/v1/settings", body).status == 400)
            #expect(
                try await browser.get("/api/v1/settings").body
                    == #"{"browser":{},"previews":"all","strangers":"silent"}"#)
        }
    }

    @Test("A browser keeps few and short values here")
    func bounded() async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            let many = (0...WebSettingsFile.browserLimit).map { #""n\#($0)":"1""# }.joined(separator: ",")
            #expect(try await browser.write("PATCH", "/api/v1/settings", #"{"browser":{\#(many)}}"#).status == 413)
            let long = String(repeating: "x", count: WebSettingsFile.valueBytes + 1)
            #expect(
                try await browser.write("PATCH", "/api/v1/settings", #"{"browser":{"a":"\#(long)"}}"#).status == 413)
        }
    }

    @Test(
        "Quiet hours may pass midnight, and are those of the user's own day",
        arguments: [
            ("22:00", "07:00", "2026-01-31T21:59:00Z", false), ("22:00", "07:00", "2026-01-31T22:00:00Z", true),
            ("22:00", "07:00", "2026-02-01T06:59:00Z", true), ("22:00", "07:00", "2026-02-01T07:00:00Z", false),
            ("12:00", "13:00", "2026-01-31T12:30:00Z", true), ("12:00", "13:00", "2026-01-31T13:00:00Z", false),
            ("12:00", "12:00", "2026-01-31T12:00:00Z", false),
        ])
    func quiet(_ from: String, _ until: String, _ time: String, _ isQuiet: Bool) throws {
        var settings = WebSettings()
        (settings.quietFrom, settings.quietUntil, settings.timeZone) = (from, until, "UTC")
        let time = try #require(Timestamp(time))
        #expect(settings.isQuiet(at: time) == isQuiet)
        settings.quietUntil = nil
        #expect(!settings.isQuiet(at: time))
    }

    @Test("A notification says as much as the user wants, and nothing of strangers unless it is wanted")
    func notifications() {
        let item = FakeChatClient.incoming(1, "secret")
        var conversation = ConversationSummary(account: "a@b", conversation: "bo@example.org", name: "Bo")
        #expect(PushWatch.note(item, in: conversation, .all, unread: 1).body == "secret")
        let named = PushWatch.note(item, in: conversation, .name, unread: 1)
        #expect(named.body.isEmpty && named.name == "Bo")
        #expect(PushWatch.note(item, in: conversation, .none, unread: 1).name == nil)
        #expect(PushWatch.isWanted(item, in: conversation, now: .now))
        conversation.isStranger = true
        #expect(!PushWatch.isWanted(item, in: conversation, now: .now))
        var settings = WebSettings()
        settings.strangers = .notify
        #expect(PushWatch.isWanted(item, in: conversation, settings, now: .now))
        (settings.quietFrom, settings.quietUntil, settings.timeZone) = ("00:00", "23:59", "UTC")
        let noon = Timestamp(milliseconds: 12 * 3_600_000)
        #expect(!PushWatch.isWanted(item, in: conversation, settings, now: noon))
    }
}
