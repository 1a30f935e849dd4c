// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Testing

@testable import ApusDesktop

/// Run again inside a session of its own, with a keyring that is open: `dbus-run-session` and `gnome-keyring-daemon`.
@Suite("SecretService", .serialized, .timeLimit(.minutes(1)))
struct SecretServiceTests {
    private static let isInside = ProcessInfo.processInfo.environment["APUS_TEST_KEYRING"] != nil

    @Test("what is kept in the keyring comes back, is replaced and forgotten", .enabled(if: isInside))
    func inside() throws {
        let service = try #require(SecretService.find())
        #expect(try service.secret(of: "ann@example.org", profile: "p") == nil)
        try service.keep("first ünï", of: "ann@example.org", profile: "p")
        #expect(try service.secret(of: "ann@example.org", profile: "p") == "first ünï")
        #expect(try service.secret(of: "ann@example.org", profile: "q") == nil)
        try service.keep("second", of: "ann@example.org", profile: "p")
        #expect(try service.secret(of: "ann@example.org", profile: "p") == "second")
        try service.forget("ann@example.org", profile: "p")
        try service.forget("ann@example.org", profile: "p")
        #expect(try service.secret(of: "ann@example.org", profile: "p") == nil)
    }

    @Test("an answer that does not come is not waited for, and its call is cancelled")
    func silent() async throws {
        let (ended, ending) = AsyncStream.makeStream(of: Bool.self)
        let began = ContinuousClock.now
        let reply = await Task.detached {
            SecretService.ask(within: .milliseconds(100)) { stop in
                while !stop.isNow, ContinuousClock.now - began < .seconds(20) { sched_yield() }
                ending.yield(stop.isNow)
                return 1
            }
        }.value
        #expect(reply == nil && ContinuousClock.now - began < .seconds(10))
        for await isCancelled in ended {
            #expect(isCancelled)
            break
        }
    }

    @Test("without a bus there is no keyring", .enabled(if: !isInside))
    func outside() {
        guard ProcessInfo.processInfo.environment["DBUS_SESSION_BUS_ADDRESS"] == nil else { return }
        #expect(SecretService.find() == nil)
    }
}
