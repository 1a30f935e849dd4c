// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Testing

@Suite("The opening handshake of a WebSocket client")
struct WebSocketHandshakeTests {
    /// The key of RFC 6455 §1.3.
    private static let nonce = Array("the sample nonce".utf8)
    static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    private func handshake(port: UInt16 = 443) -> WebSocketHandshake {
        WebSocketHandshake(
            endpoint: Endpoint(host: "chat.example.org", port: port, webSocketPath: "/ws?a=b"), path: "/ws?a=b",
            subprotocol: "xmpp", nonce: Self.nonce)
    }

    private static func answer(
        _ status: String = "101 Switching Protocols", upgrade: String = "Upgrade: websocket",
        connection: String = "Connection: Upgrade", accept: String = "Sec-WebSocket-Accept: \(accept)",
        protocol: String = "Sec-WebSocket-Protocol: xmpp", more: String = ""
    ) -> String {
        "HTTP/1.1 \(status)\r\n"
            + [upgrade, connection, accept, `protocol`, more].filter { !$0.isEmpty }.map { $0 + "\r\n" }.joined()
            + "\r\n"
    }

    @Test("the request asks for xmpp and offers no extension")
    func request() {
        #expect(
            String(decoding: handshake().request, as: UTF8.self)
                == "GET /ws?a=b HTTP/1.1\r\nHost: chat.example.org\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Protocol: xmpp\r\n\r\n")
        #expect(
            String(decoding: handshake(port: 5443).request, as: UTF8.self).contains("Host: chat.example.org:5443\r\n"))
    }

    @Test(
        "right answers, however they are spelled",
        arguments: [
            answer(), answer(upgrade: "UPGRADE: WebSocket", connection: "connection: keep-alive, Upgrade"),
            answer(accept: "sec-websocket-accept:\(accept)", more: "Server: x"),
        ])
    func right(answer: String) {
        let bytes = Array(answer.utf8)
        for cut in [1, bytes.count / 2, bytes.count - 1] {
            var handshake = handshake()
            #expect(handshake.received(bytes[..<cut]) == .wait)
            #expect(handshake.received(bytes[cut...] + [0x81, 0]) == .open(unread: [0x81, 0]))
        }
    }

    @Test(
        "wrong answers end it",
        arguments: [
            answer("200 OK"), answer("400 Bad Request"), answer("301 Moved"), answer(upgrade: ""),
            answer(upgrade: "Upgrade: h2c"), answer(upgrade: "Upgrade: websocket, h2c"), answer(connection: ""),
            answer(connection: "Connection: close"), answer(accept: ""),
            answer(accept: "Sec-WebSocket-Accept: \(accept.dropLast())"),
            answer(accept: "Sec-WebSocket-Accept: \(accept.lowercased())"),
            answer(accept: "Sec-WebSocket-Accept: dGhlIHNhbXBsZSBub25jZQ=="),
            answer(more: "Sec-WebSocket-Accept: \(accept)"), answer(protocol: ""),
            answer(protocol: "Sec-WebSocket-Protocol: xmpp, mqtt"), answer(protocol: "Sec-WebSocket-Protocol: mqtt"),
            answer(protocol: "Sec-WebSocket-Protocol: XMPP"), answer(more: "Sec-WebSocket-Protocol: xmpp"),
            answer(more: "Sec-WebSocket-Extensions: permessage-deflate"), "HTTP/1.1 101\r\n folded\r\n\r\n",
            "SSH-2.0-x\r\n\r\n", "\u{0}\r\n\r\n",
        ])
    func wrong(answer: String) {
        var handshake = handshake()
        guard case .fail(.handshake) = handshake.received(Array(answer.utf8)) else {
            Issue.record("it was taken")
            return
        }
        #expect(handshake.received([0x81, 0]) == .fail(.handshake("it is over")))
    }

    @Test("an answer without end is given up at its cap")
    func tooLong() {
        var handshake = handshake()
        let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 1024)
        var taken = 0
        while handshake.received(piece) == .wait, taken < 1 << 20 { taken += piece.count }
        #expect(taken == HTTPHeadReader.limit)
    }
}
