// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import XMPPTesting

/// The built program as a script runs it: each command is a process of its own, which connects anew.
@Suite("RealServer: commands", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(3)))
struct RealServerCommandsTests {
    private let runner: ProgramRunner
    private let unique = String(UUID().uuidString.lowercased().prefix(8))

    init() throws { runner = try ProgramRunner() }

    private func apus(_ line: String, as profile: String = "alice") async throws -> ProgramRunner.Run {
        try await runner.shell("timeout 60 \"$APUS\" \(line) --profile \(profile)")
    }

    private func address(_ name: String, _ server: TestServer) -> String { "\(name)-\(unique)@\(server.domain)" }

    private func register(_ name: String, _ server: TestServer, _ more: String = "") async throws -> ProgramRunner.Run {
        try await apus(
            "account register \(address(name, server)) --host 127.0.0.1 --port \(server.port)"
                + " --ca '\(server.authority)' --password-file <(echo secret-\(name)) -q \(more)", as: name)
    }

    private func object(_ run: ProgramRunner.Run) -> [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(run.output.utf8))) as? [String: Any] ?? [:]
    }

    @Test("each command is in its room again before it goes on; a name is that of a room", arguments: TestServer.all)
    func rooms(_ server: TestServer) async throws {
        let keep = server.saltsAnew ? "--keep-password" : ""
        #expect(try await register("alice", server, keep).status == 0)
        let name = "Tea \(unique)"
        let made = try await apus("rooms create '\(name)' --channel --json")
        let room = object(made)["conversation"] as? String ?? ""
        #expect(made.status == 0 && room.hasPrefix("tea-\(unique)@"), "\(made)")
        let lines = [
            "rooms change '\(name)' --topic Cups", "rooms change \(room) --nick Annie", "send '\(name)' hello",
        ]
        for line in lines {
            let run = try await apus(line)
            #expect(run.status == 0, "\(line): \(run)")
        }
        let shown = object(try await apus("rooms show '\(name)' --json"))
        #expect(shown["topic"] as? String == "Cups" && shown["nick"] as? String == "Annie")
        let history = object(try await apus("history \(room) --json"))["messages"] as? [[String: Any]]
        #expect(history?.last?["body"] as? String == "hello")
        #expect(try await apus("rooms leave '\(name)' -q").status == 0)
        let left = try await apus("rooms change \(room) --topic Plates")
        #expect(left.status == 9 && left.errors.contains("you are not in \(room)"), "\(left)")
    }

    @Test("joining makes no room, for nobody", arguments: TestServer.all)
    func typo(_ server: TestServer) async throws {
        let keep = server.saltsAnew ? "--keep-password" : ""
        for person in ["alice", "bob"] { #expect(try await register(person, server, keep).status == 0) }
        for person in ["alice", "bob", "alice"] {
            let run = try await apus("rooms join typo-\(unique)", as: person)
            #expect(run.status == 3 && run.errors.contains("apus rooms create"), "\(run)")
        }
        #expect(try await apus("rooms find --json").output.contains("typo-\(unique)") == false)
        #expect(object(try await apus("rooms --json"))["rooms"] as? [[String: String]] == [])
    }

    @Test("the password is kept only where the user says so, and its need is told", arguments: TestServer.all)
    func keptPassword(_ server: TestServer) async throws {
        let account = address("alice", server)
        let made = try await register("alice", server)
        #expect(made.status == 0 && made.errors.contains("salts the password anew") == server.saltsAnew, "\(made)")
        let ask = "rooms find -q"
        let again = try await apus(ask)
        #expect(again.status == (server.saltsAnew ? 4 : 0), "\(again)")
        if server.saltsAnew { #expect(again.errors.contains("--keep-password"), "\(again)") }
        #expect(try await stored().contains("secret-alice") == false)
        let password = "account password \(account) --local --password-file <(echo secret-alice) -q"
        #expect(try await apus("\(password) --keep-password").status == 0)
        #expect(try await stored().contains("secret-alice"))
        #expect(try await apus(ask).status == 0)
        #expect(try await apus("\(password) --keys-only").status == 0)
        #expect(try await stored().contains("secret-alice") == false)
        #expect(try await apus("\(password) --keys-only --keep-password").status == 2)
    }

    /// What is in the file of secrets, which only its owner may read.
    private func stored() async throws -> String {
        let run = try await runner.shell(
            "find \"$HOME\" -path '*alice*' -type f ! -perm 600; find \"$HOME\" -name 'secrets*' -exec cat {} +")
        #expect(run.status == 0 && run.output.hasPrefix("{"), "\(run)")
        return run.output
    }
}
