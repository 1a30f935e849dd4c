// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// The opening handshake of a WebSocket client (RFC 6455 §4.1): pure, the random key comes from outside.
package struct WebSocketHandshake: Sendable {
    package enum Action: Sendable, Hashable {
        case wait
        /// The connection carries frames now; these bytes are the first of them.
        case open(unread: [UInt8])
        case fail(WebSocketError)
    }

    private static let identifier = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    private let endpoint: Endpoint
    private let path: String
    private let subprotocol: String
    private let key: String
    private var reader = HTTPHeadReader()
    private var isDone = false

    /// `nonce` are 16 random bytes.
    package init(endpoint: Endpoint, path: String, subprotocol: String, nonce: [UInt8]) {
        self.endpoint = endpoint
        self.path = path
        self.subprotocol = subprotocol
        key = base64(nonce)
    }

    /// The request; compression and other extensions are not offered.
    package var request: [UInt8] {
        let host = Endpoint(host: endpoint.host, port: endpoint.port).description
        // RFC 9110 §7.2: the standard port is left out.
        let authority = endpoint.port == 443 ? String(host.dropLast(4)) : host
        return Array(
            ("GET \(path) HTTP/1.1\r\nHost: \(authority)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Key: \(key)\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Protocol: \(subprotocol)\r\n\r\n").utf8)
    }

    /// Bytes from the server.
    package mutating func received(_ bytes: some Sequence<UInt8>) -> Action {
        guard !isDone else { return .fail(.handshake("it is over")) }
        switch reader.received(bytes) {
        case .wait: return .wait
        case .malformed: return fail("the answer is no HTTP")
        case .tooLong: return fail("the answer is too long")
        case .head(let head, let rest):
            isDone = true
            if let fault = fault(head) { return fail(fault) }
            return .open(unread: Array(rest))
        }
    }

    private func fault(_ head: HTTPHead) -> String? {
        guard head.status == 101 else { return "status \(head.status)" }
        guard head.tokens("upgrade") == ["websocket"] else { return "no upgrade to WebSocket" }
        guard head.tokens("connection").contains("upgrade") else { return "the connection is not upgraded" }
        let accepts = head.values("sec-websocket-accept")
        let expected = base64(digest(.sha1, Array((key + WebSocketHandshake.identifier).utf8)))
        guard accepts == [expected] else { return "it answers another request" }
        guard head.values("sec-websocket-extensions").allSatisfy(\.isEmpty) else {
            return "it uses an extension that was not offered"
        }
        guard head.values("sec-websocket-protocol") == [subprotocol] else {
            return "it does not speak \(subprotocol)"
        }
        return nil
    }

    private mutating func fail(_ reason: String) -> Action {
        isDone = true
        return .fail(.handshake(reason))
    }
}
