// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatTesting
import Testing

@testable import apus

@Suite struct StyleTests {
    @Test(arguments: [
        (["TERM": "xterm"], true, true), (["TERM": "xterm", "NO_COLOR": "1"], true, false),
        (["TERM": "xterm", "NO_COLOR": ""], true, true), (["TERM": "dumb"], true, false), ([:], true, false),
        (["TERM": "xterm"], false, false),
    ])
    func `colour is for terminals that want it`(environment: [String: String], isTerminal: Bool, hasColour: Bool) {
        let style = Style(environment: environment, isTerminal: isTerminal)
        #expect(style.hasColour == hasColour)
        #expect(style.paint("x", .red) == (hasColour ? "\u{1B}[31mx\u{1B}[0m" : "x"))
    }

    @Test(arguments: [
        (["LANG": "C.UTF-8"], true), (["LANG": "C.UTF-8", "LC_ALL": "C"], false), (["LC_CTYPE": "de_DE.utf8"], true),
        (["LANG": "POSIX"], false), ([:], false), (["LC_ALL": "", "LANG": "en_US.UTF-8"], true),
    ])
    func `ticks outside ASCII are for UTF-8 terminals`(environment: [String: String], hasUnicode: Bool) {
        #expect(Style(environment: environment, isTerminal: true).hasUnicode == hasUnicode)
    }

    @Test func `a pipe gets UTF-8`() {
        #expect(Style(environment: ["LANG": "C"], isTerminal: false).hasUnicode)
    }

    @Test(arguments: [
        (MessageState.queued, "\u{25F7}", "..."), (.written, "\u{25F7}", "..."), (.acknowledged, "\u{2713}", "v"),
        (.delivered, "\u{2713}\u{2713}", "vv"), (.displayed, "\u{2713}\u{2713} seen", "vv seen"),
        (.failed, "! not sent", "! not sent"),
        (.needsConfirmation, "? waits for 'apus outbox'", "? waits for 'apus outbox'"),
    ])
    func `each state has its tick`(state: MessageState, tick: String, plain: String) {
        #expect(MessageText(style: Style(environment: [:], isTerminal: false)).tick(state) == tick)
        #expect(MessageText(style: Style(environment: [:], isTerminal: true)).tick(state) == plain)
    }

    @Test func `a hostile message makes one harmless line`() {
        let text = MessageText(style: Style(environment: [:], isTerminal: false))
        let line = text.line(FakeChatClient.incoming(1, "\u{1B}[2J\u{202E}evil\nsecond"))
        #expect(line.hasSuffix(" bo@example.org: \u{241B}[2J\u{FFFD}evil\n    second"))
    }

    @Test func `not everything works when something was not looked at`() {
        let text = DiagnosisText(style: Style(environment: [:], isTerminal: false))
        let fine = Diagnosis.Check("dns", nil, .fine, "found")
        let login = Diagnosis.Check("login", nil, .skipped, "not tried")
        func last(_ checks: [Diagnosis.Check]) -> String? {
            text.lines(Diagnosis(address: "ana@example.org", checks: checks)).last
        }
        #expect(last([fine]) == "everything works")
        #expect(last([fine, login]) == "everything that was looked at works")
    }
}
