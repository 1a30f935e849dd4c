// SPDX-License-Identifier: Apache-2.0
import ChatTesting
import Foundation
import Glibc
import Testing
import XMPPTesting

/// The built program with two people on a real server, each with a process that holds their profile.
private struct TwoPeople {
    let runner: ProgramRunner
    let server: TestServer
    let alice: String
    let bob: String

    init(_ server: TestServer) async throws {
        runner = try ProgramRunner()
        self.server = server
        let unique = UUID().uuidString.lowercased().prefix(8)
        alice = "alice-\(unique)@\(server.domain)"
        bob = "bob-\(unique)@\(server.domain)"
        for (name, address) in [("alice", alice), ("bob", bob)] {
            try await apus(
                name,
                "account register \(address) --host 127.0.0.1 --port \(server.port) --ca '\(server.authority)'"
                    + " --password-file <(echo secret-\(name)) -q\(server.saltsAnew ? " --keep-password" : "")")
            try await serve(name)
        }
        try await apus("alice", "contacts add \(bob) -q")
        try await until("bob is asked") {
            try await json("bob", "requests").contains { ($0["address"] as? String) == alice }
        }
        try await apus("bob", "requests accept \(alice) -q")
        for (name, peer) in [("alice", bob), ("bob", alice)] {
            try await until("\(name) has a contact") {
                try await json("\(name)", "contacts").contains {
                    ($0["address"] as? String) == peer && ($0["subscription"] as? String) == "both"
                }
            }
        }
    }

    /// Starts the process that holds a profile, and waits until others find it.
    func serve(_ name: String) async throws {
        // It has no descriptor of whoever waits for the shell to end.
        let script = #"""
            rm -f "$XDG_RUNTIME_DIR/apus/\#(name).sock"
            (
                for file in /proc/$BASHPID/fd/*; do
                    number=${file##*/}
                    if [ "$number" -gt 2 ]; then eval "exec $number>&-"; fi
                done
                exec "$APUS" serve --profile \#(name)
            ) >"$HOME/\#(name).log" 2>&1 &
            echo $! >"$HOME/\#(name).pid"
            for try in $(seq 100); do
                if [ -S "$XDG_RUNTIME_DIR/apus/\#(name).sock" ]; then exit 0; fi
                sleep 0.1
            done
            exit 1
            """#
        let run = try await runner.shell(script)
        guard run.status == 0 else { throw Failure(text: "serve: \(run.errors)") }
    }

    /// Runs a command, which has to succeed, and gives what it printed.
    @discardableResult
    func apus(_ profile: String, _ line: String) async throws -> String {
        let run = try await runner.shell("timeout 40 \"$APUS\" \(line) --profile \(profile)")
        guard run.status == 0 else { throw Failure(text: "apus \(line): \(run.status) \(run.errors)") }
        return run.output
    }

    /// The rows that a command prints as JSON.
    func json(_ profile: String, _ line: String) async throws -> [[String: Any]] {
        let whole = try await object(profile, line)
        return whole.values.lazy.compactMap { $0 as? [[String: Any]] }.first ?? []
    }

    func object(_ profile: String, _ line: String) async throws -> [String: Any] {
        let text = try await apus(profile, line + " --json")
        return try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
    }

    /// The files of the newest message with somebody.
    func newest(_ profile: String, with peer: String) async throws -> (id: String, body: String, file: [String: Any]) {
        let message = try await json(profile, "history \(peer) --limit 1").last ?? [:]
        let file = (message["attachments"] as? [[String: Any]])?.first ?? [:]
        return (message["id"] as? String ?? "", message["body"] as? String ?? "", file)
    }

    func until(_ what: String, _ condition: () async throws -> Bool) async throws {
        for _ in 0..<60 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(250))
        }
        throw Failure(text: "never: \(what)")
    }

    func end() async throws {
        _ = try await runner.shell("for p in alice bob; do kill $(cat \"$HOME/$p.pid\"); done; sleep 1")
    }

    struct Failure: Error, CustomStringConvertible {
        let text: String
        var description: String { text }
    }
}

@Suite("RealServer: files", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(4)))
struct RealServerFilesTests {
    @Test(
        "a picture sent by file sharing and one sent the tutorials' way both show with a thumbnail on the other side",
        arguments: TestServer.all)
    func pictures(_ server: TestServer) async throws {
        let media = try MediaTestServer()
        defer { media.stop() }
        let people = try await TwoPeople(server)
        let (alice, bob) = (people.alice, people.bob)
        let picture = people.runner.directory.path + "/cup.png"
        try Data(Self.png(700, 500)).write(to: URL(fileURLWithPath: picture))

        // The servers of these tests are on this machine.
        for (name, address) in [("alice", alice), ("bob", bob)] {
            let settings = try await people.object(name, "account media \(address) --host localhost --host 127.0.0.1")
            #expect(settings["hosts"] as? [String] == ["localhost", "127.0.0.1"])
        }
        let sent = try await people.object("alice", "upload '\(picture)' \(bob) --caption 'my cup'")
        #expect((sent["message"] as? [String: Any])?["state"] as? String != "failed")
        try await people.until("the first thumbnail") {
            try await people.newest("bob", with: alice).file["thumbnail"] as? Bool == true
        }
        let first = try await people.newest("bob", with: alice)
        #expect(first.body == "my cup" && first.file["kind"] as? String == "picture")
        #expect(first.file["proven"] as? Bool == true && first.file["type"] as? String == "image/jpeg")
        #expect(first.file["width"] as? Int == 700 && first.file["height"] as? Int == 500)
        #expect((first.file["preview"] as? String)?.hasPrefix("data:image/jpeg;base64,") == true)
        try await thumbnail(of: first.id, people)
        #expect(try await people.newest("alice", with: bob).file["thumbnail"] as? Bool == true)

        // The tutorials' way: PUT to a server of one's own, the address as the text, an attribute that says so.
        for (name, address) in [("alice", alice), ("bob", bob)] {
            try await people.apus(
                name, "account media \(address) --server \(media.baseURL) --prefer-server --body-type -q")
        }
        try await people.apus("alice", "upload '\(picture)' \(bob) -q")
        #expect(media.count == 1)
        try await people.until("the second thumbnail") {
            let newest = try await people.newest("bob", with: alice)
            return newest.file["thumbnail"] as? Bool == true && newest.id != first.id
        }
        let second = try await people.newest("bob", with: alice)
        #expect((second.file["url"] as? String)?.hasPrefix(media.baseURL) == true && second.body.isEmpty)
        try await thumbnail(of: second.id, people)

        let files = try await people.json("bob", "files \(alice) --kind picture")
        #expect(files.compactMap { $0["message"] as? String } == [second.id, first.id])
        let copy = people.runner.directory.path + "/copy.jpg"
        try await people.apus("bob", "fetch \(second.id) -o '\(copy)' -q")
        #expect(FileManager.default.contents(atPath: copy)?.prefix(3) == Data([0xFF, 0xD8, 0xFF]))
        let again = try await people.runner.shell("\"$APUS\" fetch \(second.id) -o '\(copy)' --profile bob")
        #expect(again.status != 0)
        try await people.end()
    }

    /// A thumbnail is a small JPEG picture.
    private func thumbnail(of message: String, _ people: TwoPeople) async throws {
        let file = try await people.object("bob", "fetch \(message)")
        let path = try #require(file["thumbnail"] as? String)
        let bytes = try #require(FileManager.default.contents(atPath: path))
        #expect(bytes.prefix(3) == Data([0xFF, 0xD8, 0xFF]) && bytes.count < 60_000)
    }

    @Test(
        "T148 a process that is killed while a file goes up sends it after the next start, and its message once",
        arguments: TestServer.all)
    func killed(_ server: TestServer) async throws {
        let media = try MediaTestServer()
        defer { media.stop() }
        let people = try await TwoPeople(server)
        let (alice, bob) = (people.alice, people.bob)
        try await people.apus("alice", "account media \(alice) --server \(media.baseURL) --prefer-server -q")
        let note = people.runner.directory.path + "/note.txt"
        try Data("a note".utf8).write(to: URL(fileURLWithPath: note))
        media.isSilent = true
        try await people.apus("alice", "upload '\(note)' \(bob) --wait queued --id once -q")
        try await people.until("the file goes up") { media.visits > 0 }
        let killed = try await people.runner.shell("kill -9 $(cat \"$HOME/alice.pid\"); sleep 0.5")
        #expect(killed.status == 0)
        media.isSilent = false
        try await people.serve("alice")
        try await people.until("the message comes") {
            try await people.newest("bob", with: alice).file["name"] as? String == "note.txt"
        }
        // Asked for once more, it is the same message.
        try await people.apus("alice", "upload '\(note)' \(bob) --id once -q")
        let heard = try await people.json("bob", "history \(alice)")
        #expect(heard.count == 1 && media.count == 1)
        try await people.end()
    }

    @Test("a picture of oneself is published, shown to others, and taken back", arguments: TestServer.all)
    func profilePicture(_ server: TestServer) async throws {
        let people = try await TwoPeople(server)
        let folder = people.runner.directory.path
        let picture = folder + "/me.png"
        let bytes = Data(Self.png(64, 64))
        try bytes.write(to: URL(fileURLWithPath: picture))
        let own = try await people.object("alice", "profile --picture '\(picture)' --save-picture '\(folder)/own'")
        #expect(own["picture"] as? String != nil)
        #expect(FileManager.default.contents(atPath: folder + "/own") == bytes)
        try await people.until("bob sees it") {
            try await people.object("bob", "profile \(people.alice)")["picture"] as? String != nil
        }
        try await people.apus("bob", "profile \(people.alice) --save-picture '\(folder)/theirs' -q")
        #expect(FileManager.default.contents(atPath: folder + "/theirs") == bytes)
        try await people.apus("alice", "profile --no-picture -q")
        #expect(try await people.object("alice", "profile")["picture"] as? String == nil)
        try await people.end()
    }

    /// A PNG of two colours, its pixels not compressed.
    private static func png(_ width: Int, _ height: Int) -> [UInt8] {
        func big(_ number: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            let body = Array(name.utf8) + content
            var crc: UInt32 = 0xFFFF_FFFF
            for byte in body {
                crc ^= UInt32(byte)
                for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
            }
            return big(UInt32(content.count)) + body + big(~crc)
        }
        var pixels: [UInt8] = []
        for row in 0..<height { pixels += [0] + (0..<width).map { UInt8(($0 / 8 + row / 8) % 2 * 255) } }
        var data: [UInt8] = [0x78, 0x01]
        var rest = pixels[...]
        while !rest.isEmpty {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            let count = UInt16(block.count)
            data += [rest.isEmpty ? 1 : 0, UInt8(count & 255), UInt8(count >> 8)]
            data += [UInt8(~count & 255), UInt8(~count >> 8)] + block
        }
        var (first, second): (UInt32, UInt32) = (1, 0)
        for byte in pixels {
            first = (first + UInt32(byte)) % 65_521
            second = (second + first) % 65_521
        }
        data += big(second << 16 | first)
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", big(UInt32(width)) + big(UInt32(height)) + [8, 0, 0, 0, 0]) + chunk("IDAT", data)
            + chunk("IEND", [])
    }
}
