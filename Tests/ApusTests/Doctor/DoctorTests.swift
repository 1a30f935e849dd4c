// SPDX-License-Identifier: Apache-2.0
import ChatTesting
import Foundation
import Testing
import TransportTesting

/// The built program against set-ups that are broken, each in one way.
@Suite("apus doctor", .timeLimit(.minutes(2)))
struct DoctorTests {
    private let runner: ProgramRunner

    init() throws { runner = try ProgramRunner() }

    private func examine(
        _ server: BrokenServer, _ options: String = "", address: String = "ana@example.test"
    ) async throws -> ProgramRunner.Run {
        defer { withExtendedLifetime(server) {} }
        return try await runner.shell(
            "\"$APUS\" doctor \(address) --ca \"$CA\" --timeout 5 \(options)",
            environment: [
                "APUS_NAME_SERVERS": server.nameServers, "CA": server.authorityFile, "APUS_PASSWORD": "secret",
            ])
    }

    /// The first line about something broken: what was looked at, and what was found.
    private func cause(_ run: ProgramRunner.Run) -> Substring? {
        run.output.split(separator: "\n").first { $0.hasPrefix("  FAIL") }
    }

    private func expect(
        _ run: ProgramRunner.Run, status: Int32, check: String, _ words: String...,
        location: SourceLocation = #_sourceLocation
    ) {
        #expect(run.status == status, "\(run)", sourceLocation: location)
        guard let cause = cause(run) else {
            Issue.record("nothing is said to be broken: \(run)", sourceLocation: location)
            return
        }
        #expect(cause.hasPrefix("  FAIL  \(check)"), "\(cause)", sourceLocation: location)
        for word in words { #expect(cause.contains(word), "\(cause)", sourceLocation: location) }
        // The next line says what can be done.
        #expect(run.output.contains("-> "), "no advice: \(run.output)", sourceLocation: location)
        #expect(!run.output.contains("secret"), sourceLocation: location)
    }

    @Test("a certificate for another name is the cause that is named")
    func wrongName() async throws {
        let run = try await examine(BrokenServer(TestTLSContext("DNS:other.test")))
        expect(run, status: 7, check: "tls", "example.test", "names only other.test")
        #expect(run.errors.contains("names only other.test"))
    }

    @Test("a certificate that has expired is the cause that is named")
    func expired() async throws {
        let run = try await examine(BrokenServer(TestTLSContext("DNS:example.test", isExpired: true)))
        expect(run, status: 7, check: "tls", "expired")
        #expect(run.output.contains("renew the certificate"))
    }

    @Test("a port that refuses is the cause that is named")
    func refusedPort() async throws {
        let closed = try TestServer.refusingPort()
        let server = try BrokenServer(TestTLSContext("DNS:example.test")) { _ in
            [
                "_xmpp-client._tcp.example.test SRV": .records([
                    .service(priority: 0, weight: 0, port: closed, target: "chat.example.test")
                ]),
                "chat.example.test A": .records([.address("127.0.0.1")]),
            ]
        }
        let run = try await examine(server)
        expect(run, status: 5, check: "port", "chat.example.test:\(closed)", "refuses connections")
    }

    @Test("missing SRV records are the cause that is named")
    func noRecords() async throws {
        let server = try BrokenServer(TestTLSContext("DNS:example.test")) { _ in
            ["example.test A": .records([.address("127.86.12.9")])]
        }
        let run = try await examine(server)
        expect(run, status: 5, check: "dns", "no SRV records", "example.test")
        #expect(run.output.contains("_xmpp-client._tcp.example.test"))
    }

    @Test("a server that only takes PLAIN is the cause that is named")
    func plainOnly() async throws {
        let server = try BrokenServer(TestTLSContext("DNS:example.test"), mechanisms: ["PLAIN"])
        expect(try await examine(server), status: 4, check: "mechanisms", "only takes the password itself", "PLAIN")
    }

    @Test("a wrong password is the cause that is named")
    func wrongPassword() async throws {
        let run = try await examine(BrokenServer(TestTLSContext("DNS:example.test")))
        expect(run, status: 4, check: "login", "wrong user name or password")
        for name in ["dns", "port", "tls", "mechanisms"] {
            #expect(run.output.contains("  ok    \(name)"), "\(name): \(run.output)")
        }
    }

    @Test("with --json each check is an object, and the status is the same")
    func json() async throws {
        let run = try await examine(BrokenServer(TestTLSContext("DNS:other.test")), "--json")
        #expect(run.status == 7)
        let lines = run.output.split(separator: "\n")
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data((lines.first ?? "").utf8)) as? [String: Any])
        #expect(object["schema"] as? String == "apus.diagnosis/1")
        let checks = try #require(object["checks"] as? [[String: Any]])
        let broken = try #require(checks.first { $0["outcome"] as? String == "broken" })
        #expect(broken["name"] as? String == "tls")
        #expect(broken["code"] as? String == "certificate")
        let certificate = try #require(broken["certificate"] as? [String: Any])
        #expect(certificate["names"] as? [String] == ["other.test"])
        #expect(certificate["problems"] as? [String] == ["wrong-name"])
    }

    @Test("a domain alone is examined up to the login; a name that does not exist is said to be none")
    func domain() async throws {
        let server = try BrokenServer(TestTLSContext("DNS:example.test"))
        let run = try await examine(server, address: "example.test")
        #expect(run.status == 0, "\(run)")
        #expect(run.output.contains("is a server, not an account"))
        let missing = try await examine(server, address: "ana@nowhere.test")
        #expect(missing.status == 5)
        #expect(missing.output.contains("there is no address for nowhere.test"))
    }

    @Test("T021 account add refuses a self-signed certificate without a terminal, and accepts exactly the pinned one")
    func trustOnFirstUse() async throws {
        let server = try BrokenServer(TestTLSContext("DNS:other.test", selfSigned: true))
        defer { withExtendedLifetime(server) {} }
        let environment = ["APUS_NAME_SERVERS": server.nameServers, "APUS_PASSWORD": "secret"]
        let add = "\"$APUS\" account add ana@example.test --timeout 5"
        let refused = try await runner.shell(add, environment: environment)
        #expect(refused.status == 7, "\(refused)")
        let words = refused.errors.split(separator: " ")
        let mark = try #require(words.firstIndex(of: "--trust-certificate"), "\(refused.errors)")
        let digest = words[mark + 1].trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(digest.count == 64)
        // The certificate is accepted now, so it is the password that is refused.
        let pinned = try await runner.shell(add + " --trust-certificate \(digest)", environment: environment)
        #expect(pinned.status == 4, "\(pinned)")
        let other = String(repeating: "0", count: 64)
        let wrong = try await runner.shell(add + " --trust-certificate \(other)", environment: environment)
        #expect(wrong.status == 7)
    }

    @Test("T181 --trace-xml writes both directions to a private file, without the login")
    func trace() async throws {
        let server = try BrokenServer(TestTLSContext("DNS:example.test"))
        let file = runner.directory.path + "/trace.xml"
        _ = try await examine(server, "--trace-xml \(file)")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("> <auth"))
        #expect(text.contains("< <failure"))
        #expect(!text.contains("secret"))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }
}
