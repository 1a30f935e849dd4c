// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Testing
@testable import XMPP

@Suite("Deciding about downloads")
struct DownloadStateMachineTests {
    func head(_ status: Int, _ fields: [String: String] = [:], redirect: String? = nil) -> HTTPResponse {
        HTTPResponse(
            status: status, body: [], fields: fields.map { HTTPResponse.Field(name: $0.key, value: $0.value) },
            redirect: redirect)
    }

    let lost = XMPPError(.transferFailed, "cut", isRetryable: true)
    let start = ["content-length": "10", "etag": "\"a\"", "accept-ranges": "bytes"]

    func begun(_ fields: [String: String]) -> DownloadStateMachine {
        var machine = DownloadStateMachine(url: "u", maximumRedirects: 1)
        #expect(machine.start() == .request(url: "u", offset: 0, validator: nil))
        #expect(machine.placed(head(200, fields)) == .beginning)
        machine.received(4)
        return machine
    }

    @Test("the rest is asked for when the server can do that, and three times at most")
    func resumption() {
        var machine = begun(start)
        for _ in 0..<3 {
            #expect(machine.failed(lost) == .request(url: "u", offset: 4, validator: "\"a\""))
            #expect(machine.placed(head(206, ["content-range": "bytes 4-9/10"])) == .end)
        }
        #expect(machine.failed(lost) == .fail(lost))
        machine.received(6)
        #expect(machine.answered(head(206), host: "h") == .finished)
    }

    @Test(
        "without a strong mark of the version, or without ranges, a broken transfer is over",
        arguments: [
            ["content-length": "10"], ["content-length": "10", "etag": "\"a\""],
            ["content-length": "10", "etag": "W/\"a\"", "accept-ranges": "bytes"],
        ])
    func noResumption(_ fields: [String: String]) {
        var machine = begun(fields)
        #expect(machine.failed(lost) == .fail(lost))
    }

    @Test(
        "a part that is not the one asked for is not taken",
        arguments: ["bytes 5-9/10", "bytes 4-9/11", "bytes 4-3/10", "bytes 4-9/9", "4-9/10", "bytes */10", ""])
    func wrongPart(_ range: String) {
        var machine = begun(start)
        _ = machine.failed(lost)
        #expect(machine.placed(head(206, ["content-range": range])) == .nowhere)
        #expect(machine.placed(head(206, ["content-range": range])) == .nowhere)
    }

    @Test("a part that nobody asked for is not taken")
    func unasked() {
        var machine = DownloadStateMachine(url: "u", maximumRedirects: 0)
        _ = machine.start()
        #expect(machine.placed(head(206, ["content-range": "bytes 0-9/10"])) == .nowhere)
    }

    @Test("the whole file instead of the rest begins anew")
    func anew() {
        var machine = begun(start)
        _ = machine.failed(lost)
        #expect(machine.placed(head(200, start)) == .beginning)
        #expect(machine.offset == 0)
    }

    @Test("redirects are followed as often as permitted, and forget what came")
    func redirects() {
        var machine = begun(start)
        #expect(
            machine.answered(head(302, redirect: "v"), host: "h") == .request(url: "v", offset: 0, validator: nil))
        guard case .fail(let error) = machine.answered(head(302, redirect: "w"), host: "h") else {
            Issue.record("it went on")
            return
        }
        #expect(error.code == .httpRefused)
    }

    @Test("a body that is shorter than its length is asked for again, and a time limit is final")
    func short() {
        var machine = begun(start)
        #expect(machine.answered(head(200), host: "h") == .request(url: "u", offset: 4, validator: "\"a\""))
        let late = XMPPError(.timedOut, "late", isRetryable: true)
        #expect(machine.failed(late) == .fail(late))
    }
}
