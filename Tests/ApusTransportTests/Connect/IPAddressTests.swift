// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Testing

@Suite("IPAddress")
struct IPAddressTests {
    @Test(
        "reads literals with and without brackets",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("[::1]", "::1"), ("::1", "::1"), ("2001:DB8::7", "2001:db8::7"),
            ("[::ffff:192.0.2.1]", "::ffff:192.0.2.1"),
        ])
    func literals(text: String, description: String) {
        #expect(IPAddress(text)?.description == description)
    }

    @Test(
        "takes nothing else",
        arguments: [
            "", "[]", "[127.0.0.1]", "127.0.0.1.", "127.1", "0x7f.0.0.1", "127.0.0.256", "[::1", "::1]", "[::1]x",
            "fe80::1%lo", "example.org", "1.2.3.4 ", "::1::", "01.2.3.4",
        ])
    func others(text: String) {
        #expect(IPAddress(text) == nil)
    }
}
