// SPDX-License-Identifier: Apache-2.0
import Foundation
package import XMPP

/// profanity, a client for the terminal, in a terminal of its own (tmux): typed to and read from the screen.
package final class ProfanityClient: Sendable {
    private let folder: URL
    private let socket: String
    private let name: String

    /// Starts it and logs it in; waits until it says so.
    package init(_ account: Account, on server: TestServer) async throws {
        name = account.jid.bare.description
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-profanity-\(UUID().uuidString)")
        self.folder = folder
        socket = folder.appending(path: "tmux").path
        let data = folder.appending(path: "profanity")
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        // `trust`: TLS without a look at the certificate, which is of a made-up authority.
        let accounts = """
            [test]
            enabled=true
            jid=\(name)
            server=127.0.0.1
            port=\(server.port)
            tls.policy=trust
            resource=profanity
            password=secret

            """
        try accounts.write(to: data.appending(path: "accounts"), atomically: true, encoding: .utf8)
        let settings = """
            [connection]
            account=test
            [ui]
            splash=false
            wrap=false
            [notifications]
            message=false

            """
        try settings.write(to: data.appending(path: "profrc"), atomically: true, encoding: .utf8)
        try run([
            "new-session", "-d", "-x", "200", "-y", "50", "env", "HOME=\(folder.path)",
            "XDG_CONFIG_HOME=\(folder.path)",
            "XDG_DATA_HOME=\(folder.path)", "LANG=C.UTF-8", "TERM=screen", "profanity",
        ])
        try await screen(has: "logged in successfully")
    }

    deinit { end() }

    /// Its bare address.
    package var address: String { name }

    /// Types a line and ends it.
    package func type(_ line: String) throws {
        try run(["send-keys", "-l", line])
        try run(["send-keys", "Enter"])
    }

    /// Waits until the screen shows a text; gives the screen.
    @discardableResult
    package func screen(has text: String, within limit: Duration = .seconds(20)) async throws -> String {
        let clock = ContinuousClock()
        let end = clock.now + limit
        var screen = ""
        while clock.now < end {
            screen = try run(["capture-pane", "-p"])
            if screen.contains(text) { return screen }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw UnreadableText(description: "profanity never showed '\(text)', but:\n\(screen)")
    }

    /// Quits it.
    package func end() {
        // It outlives its terminal, and takes a whole processor then.
        let pane = (try? run(["display-message", "-p", "#{pane_pid}"])) ?? ""
        if let pid = Int32(pane.trimmingCharacters(in: .whitespacesAndNewlines)), pid > 1 { kill(pid, SIGKILL) }
        _ = try? run(["kill-server"])
        try? FileManager.default.removeItem(at: folder)
    }

    @discardableResult
    private func run(_ arguments: [String]) throws -> String {
        let process = Process()
        // What starts the terminal leaves a process behind, which must keep nothing open that tells of the first one's end.
        let closing =
            "for fd in /proc/self/fd/*; do fd=${fd##*/}; [ $fd -le 2 ] || eval \"exec $fd>&-\"; done; exec \"$@\""
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", closing, "bash", "/usr/bin/tmux", "-S", socket, "-f", "/dev/null"] + arguments
        let output = arguments.first == "new-session" ? nil : Pipe()
        if let output { process.standardOutput = output } else { process.standardOutput = FileHandle.nullDevice }
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = output?.fileHandleForReading.readDataToEndOfFile() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw UnreadableText(description: "tmux \(arguments.first ?? "") failed; are tmux and profanity there?")
        }
        return String(decoding: text, as: UTF8.self)
    }
}
