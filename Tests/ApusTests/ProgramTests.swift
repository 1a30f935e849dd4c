// SPDX-License-Identifier: Apache-2.0
import ChatTesting
import Foundation
import Glibc
import Testing

/// The built program, run as its users run it, without a server.
@Suite struct ProgramTests {
    private let runner: ProgramRunner
    private var directory: TemporaryDirectory { runner.directory }

    init() throws { runner = try ProgramRunner() }

    private func shell(
        _ script: String, environment: [String: String] = [:]
    ) async throws -> ProgramRunner.Run {
        try await runner.shell(script, environment: environment)
    }

    @Test(arguments: [
        ("version", 0), ("--help", 0), ("send --help", 0), ("", 2), ("dance", 2), ("send", 2),
        ("status --profile ../x", 2),
        ("send bo@example.org hi", 3), ("history bo@example.org --account ana@example.org", 3), ("contacts", 0),
        ("connect", 2), ("account add ana@127.0.0.1 --host 127.0.0.1 --port 1 --password-file <(echo pw)", 5),
        ("account add ana@127.0.0.1 --host 127.0.0.1 --port 1", 2),
        ("account add ana@127.0.0.1 --password-file /nowhere", 3), ("account add @ --password-file <(echo pw)", 2),
        ("account remove ana@example.org", 3), ("listen", 3),
    ])
    func `the exit status tells a script what happened`(arguments: String, status: Int32) async throws {
        let run = try await shell("\"$APUS\" \(arguments)")
        #expect(run.status == status, "\(arguments): \(run.errors)")
        if status == 0 { return }
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("apus: "))
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(run.errors.contains("; "), "no next step: \(run.errors)")
    }

    @Test(arguments: [
        "account add ana@127.0.0.1 --host 127.0.0.1 --port 1 --password-file",
        "account add ana@127.0.0.1 --host 127.0.0.1 --port 1 --proxy socks5://127.0.0.1:1 --proxy-login-file",
    ])
    func `a pipe that nobody writes into holds the program up until it is interrupted`(arguments: String) async throws {
        let run = try await shell(
            "mkfifo \"$HOME/pipe\"; timeout -s TERM -k 8 1 \"$APUS\" \(arguments) \"$HOME/pipe\"")
        // 137: it had to be killed.
        #expect(run.status == 124, "\(run.errors)")
    }

    @Test func `with --json the error is an object too`() async throws {
        let run = try await shell("\"$APUS\" send bo@example.org hi --json")
        #expect(run.status == 3)
        #expect(run.output.contains(#""code":"unknown-account""#))
        #expect(run.output.contains(#""schema":"apus.error/1""#))
        #expect(run.errors.hasPrefix("apus: the profile default has no account"))
    }

    @Test func `files of a profile are private`() async throws {
        _ = try await shell("umask 0; \"$APUS\" status --profile work")
        let profile = directory.path + "/.local/share/apus/work"
        #expect(TemporaryDirectory.mode(profile) == 0o700)
        for file in try FileManager.default.contentsOfDirectory(atPath: profile) {
            #expect(TemporaryDirectory.mode(profile + "/" + file) == 0o600, "\(file)")
        }
        #expect(TemporaryDirectory.mode(directory.path + "/apus") == 0o700)
    }

    @Test func `a reader that goes away ends it quietly`() async throws {
        let run = try await shell("(\"$APUS\" --help; echo \"status $?\" >&2) | true")
        // The pipe may take the whole help before its reader is gone.
        #expect(run.errors == "status 141\n" || run.errors == "status 0\n")
        let full = try await shell("\"$APUS\" version > /dev/full; echo $?")
        #expect(full.output == "1\n" && full.errors.contains("No space left on device"))
    }

    @Test func `closed standard descriptors are no trouble`() async throws {
        let run = try await shell("\"$APUS\" status <&- 2>&- >&-; echo $?")
        #expect(run.output == "0\n")
        let send = try await shell("\"$APUS\" send bo@example.org <&-")
        #expect(send.status == 2)
    }

    @Test(arguments: [("INT", 130), ("TERM", 143), ("HUP", 129)])
    func `a signal ends it with the signal's status`(name: String, status: Int32) async throws {
        // No prompt is answered: it waits for standard input, which the shell keeps open.
        let script = """
            mkfifo "$HOME/in"; exec 9<>"$HOME/in"
            "$APUS" account add ana@example.org --password-file - <&9 & child=$!
            until grep -q 'SigCgt:.*[1-9a-f]' /proc/$child/status && [ "$(ls /proc/$child/task | wc -l)" -gt 3 ]; do :; done
            while kill -\(name) $child 2>/dev/null; do read -t 0.2 <&9; done
            wait $child; echo $?
            """
        let run = try await shell("set -m\n" + script)
        #expect(run.output.hasSuffix("\(status)\n"), "\(run)")
        #expect(!run.errors.contains("apus:"))
    }

    @Test func `serve holds the profile, others attach, and SIGTERM ends it in order`() async throws {
        let script = """
            "$APUS" serve > "$HOME/serve.out" & server=$!
            until [ -S "$XDG_RUNTIME_DIR/apus/default.sock" ]; do kill -0 $server || exit 9; done
            stat -c %a "$XDG_RUNTIME_DIR/apus/default.sock"
            "$APUS" status --json
            "$APUS" serve; echo "second $?"
            kill -TERM $server; wait $server; echo "served $?"
            [ -e "$XDG_RUNTIME_DIR/apus/default.sock" ] && echo left || echo gone
            """
        let run = try await shell(script)
        let lines = run.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 5, "\(run)")
        #expect(lines[0] == "600")
        #expect(lines[1].contains(#""role":"serve""#))
        #expect(lines[2...] == ["second 8", "served 0", "gone"])
        #expect(run.errors.contains("'apus serve' holds the profile already"))
    }

    @Test func `a holder that was killed leaves nothing in the way`() async throws {
        let script = """
            "$APUS" serve -q & server=$!
            until [ -S "$XDG_RUNTIME_DIR/apus/default.sock" ]; do kill -0 $server || exit 9; done
            kill -KILL $server; wait $server
            "$APUS" status; echo $?
            """
        let run = try await shell(script)
        #expect(run.output.hasPrefix("profile default: not running\n"))
        #expect(run.output.hasSuffix("0\n"))
    }

    @Test func `no colour where there is no terminal`() async throws {
        let run = try await shell("\"$APUS\" status", environment: ["TERM": "xterm", "CLICOLOR_FORCE": "1"])
        #expect(!run.output.contains("\u{1B}"))
    }
}
