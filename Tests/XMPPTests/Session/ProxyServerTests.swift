// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@Suite("The settings of a proxy")
struct ProxyServerTests {
    @Test(
        "URLs are read",
        arguments: [
            ("socks5://127.0.0.1:9050", ProxyServer(.socks5, host: "127.0.0.1", port: 9050)),
            ("socks5h://Tor.example", ProxyServer(.socks5, host: "tor.example", port: 1080)),
            ("http://proxy.example/", ProxyServer(.http, host: "proxy.example", port: 8080)),
            (
                "HTTP://ann:p%40ss%3aword@[::1]:3128",
                ProxyServer(.http, host: "::1", port: 3128, user: "ann", password: "p@ss:word")
            ),
            ("socks5://ann@h", ProxyServer(.socks5, host: "h", port: 1080, user: "ann")),
            ("socks5://a:b:c@h", ProxyServer(.socks5, host: "h", port: 1080, user: "a", password: "b:c")),
        ])
    func reads(url: String, proxy: ProxyServer) {
        #expect(ProxyServer(url) == proxy)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "127.0.0.1:1080", "https://h:1", "socks4://h:1", "socks5:/h", "socks5://", "socks5://h:0",
            "socks5://h:65536", "socks5://@h", "socks5://:p@h", "socks5://u:%zz@h", "socks5://u:%f@h",
            "socks5://u:%ff@h",
            "socks5://h/path", "socks5://a b", "socks5://h:1:2", "socks5://[::1", "socks5://2001:db8::1",
        ])
    func refuses(url: String) {
        #expect(ProxyServer(url) == nil)
    }

    @Test("user and password are in no description, of the account neither")
    func secrecy() throws {
        let proxy = ProxyServer(.socks5, host: "h", port: 1, user: "annabel", password: "hunter2")
        var account = try Account("juliet@example.org", password: "secret1")
        account.proxy = proxy
        var dumped = ""
        dump(account, to: &dumped)
        for text in ["\(proxy)", String(reflecting: proxy), "\(account)", String(reflecting: account), dumped] {
            #expect(!text.contains("hunter2") && !text.contains("annabel") && !text.contains("secret1"), "\(text)")
        }
    }

    @Test("T002 an account's WebSocket is a secure one")
    func webSocket() throws {
        let address = try #require(ServerAddress(webSocket: "wss://chat.example.org/ws"))
        #expect(address == ServerAddress(host: "chat.example.org", port: 443, security: .webSocket(path: "/ws")))
        #expect(ServerAddress(webSocket: "ws://chat.example.org/ws") == nil)
        #expect(ServerAddress(webSocket: "https://chat.example.org/ws") == nil)
    }
}
