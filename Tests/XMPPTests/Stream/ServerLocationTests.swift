// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@Suite("Where a server asks to be looked for")
struct ServerLocationTests {
    @Test(
        "B30 a host with or without a port, an IPv6 address in brackets",
        arguments: [
            ("[2001:db8::7]:5333", "2001:db8::7", 5333), ("c2.example.net", "c2.example.net", nil),
            ("192.0.2.7:5222", "192.0.2.7", 5222), ("[2001:db8::7]", "2001:db8::7", nil),
            (" C2.Example.net:1\n", "c2.example.net", 1), ("bücher.example:65535", "xn--bcher-kva.example", 65535),
        ] as [(String, String, UInt16?)])
    func reads(text: String, host: String, port: UInt16?) throws {
        let location = try #require(ServerLocation(text))
        #expect(location.host == host)
        #expect(location.port == port)
        #expect(ServerLocation(location.description) == location)
    }

    @Test(
        "T011 T012 anything else is no place",
        arguments: [
            "", ":5222", "host:", "host:0", "host:65536", "host:-1", "host:+1", "host:5222x", "host: 5222", "host:５",
            "2001:db8::7", "2001:db8::7:5222", "[2001:db8::7", "[::1]x", "[host]:1", "a@host:1", "host/res",
            "host/res:1",
            "https://host", "wss://host:1/ws", "host\u{0}:1", "ho st", String(repeating: "a", count: 1100),
        ])
    func refuses(text: String) {
        #expect(ServerLocation(text) == nil)
    }
}
