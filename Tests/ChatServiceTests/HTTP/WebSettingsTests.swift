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
                    == #"{"browser":{"theme":"dark"},"previews":"name","strangers":"silent"}"#)
            // One end alone brings the other.
            #expect(
                try await second.write("PATCH", "/api/v1/settings", #"{"quiet_from":"23:00"}"#).body
                    == #"{"browser":{},"previews":"name","quiet_from":"23:00","quiet_until":"07:00","strangers":"silent"}"#
            )
            #expect(WebSettingsFile(folder: fixture.directory.path + "/web").browser("").isEmpty)
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

    @Test("Rules of an earlier version's file go to the core once, and replace none that it has")
    func former() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/settings.json"
        func write() throws {
            let text = """
                {"browsers":{"s":{"theme":"dark"}},"settings":{"previews":"name","strangers":"notify",
                "quiet_from":"22:00","quiet_until":"07:00","time_zone":"Asia/Taipei"}}
                """
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        }
        try write()
        let client = FakeChatClient()
        try await WebSettingsFile(folder: directory.path).handOver(to: client)
        let expected = NotificationSettings(
            previews: .name, strangers: true, quietFrom: "22:00", quietUntil: "07:00", timeZone: "Asia/Taipei")
        #expect(try await client.notifications(NotificationsRequest()) == expected)
        // What the user changes later stays, and what the browsers keep stays in the file.
        _ = try await client.notifications(NotificationsRequest(settings: NotificationSettings()))
        try await WebSettingsFile(folder: directory.path).handOver(to: client)
        #expect(try await client.notifications(NotificationsRequest()) == NotificationSettings())
        #expect(WebSettingsFile(folder: directory.path).browser("s") == ["theme": "dark"])
        let own = NotificationSettings(isOn: false)
        _ = try await client.notifications(NotificationsRequest(settings: own))
        try write()
        try await WebSettingsFile(folder: directory.path).handOver(to: client)
        #expect(try await client.notifications(NotificationsRequest()) == own)
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

    @Test("A notification says as much as the user wants")
    func notifications() {
        let item = FakeChatClient.incoming(1, "secret")
        let conversation = ConversationSummary(account: "a@b", conversation: "bo@example.org", name: "Bo")
        #expect(PushWatch.note(item, in: conversation, NotifyItem(.message), unread: 1).body == "secret")
        let named = PushWatch.note(item, in: conversation, NotifyItem(.message, .name), unread: 1)
        #expect(named.body.isEmpty && named.name == "Bo")
        #expect(PushWatch.note(item, in: conversation, NotifyItem(.message, .none), unread: 1).name == nil)
    }
}
