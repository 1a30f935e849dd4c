// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import XMPP

@Suite("JIDError")
struct JIDErrorTests {
    @Test(
        "says the part and the reason in words",
        arguments: [
            ("ann@/r", "the domain is empty"), ("@example.org", "the name before the @ is empty"),
            ("ann@example.org/", "the resource is empty"),
            ("a<n@example.org", "the name before the @ contains “<”, which is not allowed there"),
            ("a n@example.org", "the name before the @ contains a space, which is not allowed there"),
            ("ann@example.org/a\u{1B}[2J", "the resource contains U+001B, which is not allowed there"),
            ("ann@exa_mple.org", "the domain contains “_”, which is not allowed there"),
            ("ann@a..org", "the domain has an empty label (two dots, or one in front)"),
            ("ann@1.2.3", "the domain looks like an IP address but is not a valid one"),
            ("a·b@example.org", "the name before the @ contains U+00B7 where its neighbours do not allow it"),
        ])
    func saysWhatIsWrong(text: String, sentence: String) {
        let error = #expect(throws: JIDError.self) { try JID(text) }
        #expect(error?.description == sentence)
    }
}
