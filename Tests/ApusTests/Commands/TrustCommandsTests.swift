// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import ChatTesting
import Testing

@testable import apus

@Suite struct TrustCommandsTests {
    private var runner = CommandRunner()
    private var core: FakeChatClient { runner.core }

    private static let digest = String(repeating: "ab", count: 32)

    private static var refusal: ChatAPIError {
        var error = ChatAPIError(.certificate, "certificate of example.org is self-signed", hint: "pin it")
        error.certificate = CertificateDetails(
            domain: "example.org", subject: "box", issuer: "box", names: ["box.local\u{1B}[2J"],
            validFrom: Timestamp(milliseconds: 0), validUntil: Timestamp(milliseconds: 1_900_000_000_000),
            fingerprint: digest, keyFingerprint: String(repeating: "cd", count: 32),
            problems: [.selfSigned, .wrongName], mayBePinned: true)
        return error
    }

    private func add(_ answers: [String]?) async throws {
        var runner = runner
        runner.answers = answers
        core.set { $0.errors["addAccount"] = Self.refusal }
        try await runner.run("account", "add", "ana@example.org", environment: ["APUS_PASSWORD": "pw"])
    }

    @Test func `yes pins exactly the certificate that was shown`() async {
        await #expect(throws: ChatAPIError.self) { try await add(["yes"]) }
        #expect(
            core.calls == ["addAccount ana@example.org pw -", "addAccount ana@example.org pw - pin \(Self.digest)"])
        let shown = runner.warned.withLock { $0 }
        for fact in ["box", "names", "1970-01-01", "2030-03-17", "abababab abababab", "it is for other names"] {
            #expect(shown.contains(fact), "\(fact) is missing: \(shown)")
        }
        #expect(!shown.contains("\u{1B}"))
    }

    @Test(arguments: [["no"], [""], ["y"], []])
    func `anything but yes accepts nothing`(answers: [String]) async {
        await #expect(throws: ChatAPIError.self) { try await add(answers) }
        #expect(core.calls == ["addAccount ana@example.org pw -"])
    }

    @Test func `without a terminal nobody is asked, and the way out is named`() async {
        let error = await #expect(throws: ChatAPIError.self) { try await add(nil) }
        #expect(error?.hint?.contains("--trust-certificate \(Self.digest)") == true)
        #expect(core.calls.count == 1)
    }

    @Test func `a certificate that nothing excuses is not asked about`() async {
        var error = Self.refusal
        error.certificate?.mayBePinned = false
        core.set { $0.errors["addAccount"] = error }
        var runner = runner
        runner.answers = ["yes"]
        await #expect(throws: ChatAPIError.self) {
            try await runner.run("account", "add", "ana@example.org", environment: ["APUS_PASSWORD": "pw"])
        }
        #expect(core.calls.count == 1)
    }

    @Test func `a weaker login is permitted by name, and changes nothing else`() async throws {
        _ = try await runner.run("account", "trust", "ana@example.org", "--weaker-login")
        #expect(core.calls == ["trust ana@example.org", "trust ana@example.org weaker"])
        #expect(core.state.withLock { $0.trust } == TrustSettings())
    }

    @Test func `trust shows what is set, and changes only what was said`() async throws {
        #expect(try await runner.run("account", "trust", "ana@example.org") == "authorities of the system\n")
        #expect(core.calls == ["trust ana@example.org"])
        _ = try await runner.run(
            "account", "trust", "ana@example.org", "--trust-key", Self.digest, "--ca", "/ca.pem", "--no-system-roots")
        #expect(
            core.state.withLock { $0.trust }
                == TrustSettings(usesSystemRoots: false, authorityFiles: ["/ca.pem"], pinnedKeys: [Self.digest]))
        let colons = stride(from: 0, to: 64, by: 2).map { _ in "AB" }.joined(separator: ":")
        _ = try await runner.run("account", "trust", "ana@example.org", "--forget", "--trust-certificate", colons)
        #expect(core.state.withLock { $0.trust } == TrustSettings(pinnedCertificates: [Self.digest]))
        for wrong in ["abcd", String(repeating: "zz", count: 32)] {
            await #expect(throws: CommandError.self) {
                try await runner.run("account", "trust", "ana@example.org", "--trust-certificate", wrong)
            }
        }
    }

    @Test func `doctor tells each finding, and ends with the first that is broken`() async throws {
        core.set {
            $0.diagnosis.checks = [
                .init("dns", nil, .fine, "fine words"), .init("port", nil, .warning, "slow", advice: "wait"),
                .init("tls", nil, .broken, "it expired", advice: "renew it", code: .certificate),
                .init("login", nil, .skipped, "not tried"),
            ]
        }
        let error = await #expect(throws: ChatAPIError.self) {
            try await runner.run("doctor", environment: ["APUS_PASSWORD": "pw"])
        }
        #expect(error?.code == .certificate && error?.description == "it expired" && error?.hint == "renew it")
        #expect(core.calls == ["status", "diagnose ana@example.org pw"])
        #expect(
            runner.printed.withLock { $0 } == """
                ana@example.org
                  ok    dns         fine words
                  hmm   port        slow
                                    -> wait
                  FAIL  tls         it expired
                                    -> renew it
                  --    login       not tried
                1 thing does not work

                """)
    }

    @Test func `status tells the last attempt in a line, and each step when asked to`() async throws {
        core.set {
            $0.timelines = [
                AccountTimeline(
                    address: "ana@example.org", summary: "resolved 3 targets, 2 refused",
                    entries: [.init(time: Timestamp(milliseconds: 36_061_000), kind: "connecting", text: "attempt 1")])
            ]
        }
        let brief = try await runner.run("status")
        #expect(brief.contains("\n    resolved 3 targets, 2 refused\n"))
        #expect(!brief.contains("attempt 1"))
        #expect(try await runner.run("status", "--log").contains("\n    10:01:01Z  attempt 1\n"))
        #expect(
            try await runner.run("status", "--json").contains(#""timelines":[{"address":"ana@example.org","entries":["#)
        )
        core.set { $0.errors["timeline"] = ChatAPIError(.unsupported, "too old") }
        #expect(try await runner.run("status").contains("ana@example.org"))
    }
}
