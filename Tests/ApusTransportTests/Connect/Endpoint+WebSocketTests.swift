// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Testing

@Suite("URLs of WebSocket endpoints")
struct EndpointWebSocketTests {
    @Test(
        "a secure URL is read",
        arguments: [
            ("wss://chat.example.org/xmpp-websocket", "chat.example.org", 443, "/xmpp-websocket"),
            ("WSS://Chat.Example.org:5443/ws?x=%20", "chat.example.org", 5443, "/ws?x=%20"),
            ("wss://[2001:db8::1]:1/", "2001:db8::1", 1, "/"), ("wss://192.0.2.1", "192.0.2.1", 443, "/"),
            ("wss://a?b", "a", 443, "/?b"),
        ] as [(String, String, UInt16, String)])
    func reads(url: String, host: String, port: UInt16, path: String) throws {
        let endpoint = try #require(Endpoint(webSocketURL: url))
        #expect(endpoint.host == host)
        #expect(endpoint.port == port)
        #expect(endpoint.webSocketPath == path)
        #expect(endpoint.usesDirectTLS)
        #expect(Endpoint(webSocketURL: endpoint.description) == endpoint)
    }

    @Test(
        "T002 every other URL is refused",
        arguments: [
            "ws://chat.example.org/ws", "http://chat.example.org/ws", "https://chat.example.org/ws", "wss:/a", "wss://",
            "wss:///ws", "wss://user@a/ws", "wss://user:x@a/ws", "wss://a:0/", "wss://a:65536/", "wss://a:/",
            "wss://a:x/",
            "wss://a/ws#f", "wss://a b/", "wss://a/\r\nX: y", "wss://bücher.example/", "wss://[::1/", "wss://[x]/",
            "wss://a\\b/", "", "//a/ws", "wss://a/" + String(repeating: "b", count: 2100), " wss://a/",
        ])
    func refuses(url: String) {
        #expect(Endpoint(webSocketURL: url) == nil)
    }
}
