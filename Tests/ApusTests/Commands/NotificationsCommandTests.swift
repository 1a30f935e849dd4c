// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import ChatTesting
import Testing

@testable import apus

/// What `apus notifications` changes, and what it prints.
@Suite struct NotificationsCommandTests {
    private let runner = CommandRunner()

    @Test func `what is announced is shown and nothing is changed`() async throws {
        #expect(
            try await runner.run("notifications")
                == "shown of a message: all\nquiet: never\nkeywords: none\nstrangers: off\nrequests: on\n")
        #expect(runner.core.calls.filter { $0 == "notifications" }.count == 1)
    }

    @Test func `quiet hours, keywords and the rest are changed together`() async throws {
        let json = try await runner.run(
            "notifications", "--quiet-hours", "22:00-07:00", "--time-zone", "Asia/Taipei", "--keyword", "tea",
            "--keyword",
            "cups", "--previews", "name", "--strangers", "on", "--requests", "off", "--json")
        #expect(json.contains(#""schema":"apus.notifications/1""#) && json.contains(#""quiet_from":"22:00""#))
        let wanted = NotificationSettings(
            previews: .name, strangers: true, requests: false, quietFrom: "22:00", quietUntil: "07:00",
            timeZone: "Asia/Taipei", keywords: ["tea", "cups"])
        #expect(runner.core.state.withLock { $0.notifications } == wanted)
        _ = try await runner.run("notifications", "--quiet-hours", "off", "--no-keywords", "--off")
        let after = runner.core.state.withLock { $0.notifications }
        #expect(after.quietFrom == nil && after.quietUntil == nil && after.keywords.isEmpty && !after.isOn)
    }

    @Test(arguments: [
        ["--previews", "some"], ["--strangers", "yes"], ["--quiet-hours", "22:00"], ["--on", "--off"],
    ])
    func `what is no answer is refused`(_ options: [String]) async throws {
        await #expect(throws: (any Error).self) {
            try await runner.run("notifications", options[0], options[1])
        }
        #expect(runner.core.state.withLock { $0.notifications } == NotificationSettings())
    }
}
