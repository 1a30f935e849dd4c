// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
@testable import ApusTransport
import TransportTesting

/// The server's side of a WebSocket, over a `TestPeer`.
final class TestWebSocket {
    let peer: TestPeer
    private(set) var requestHead = ""

    /// Takes the upgrade; nil when there is none.
    init?(_ peer: TestPeer, subprotocol: String = "xmpp", early: [UInt8] = []) {
        self.peer = peer
        requestHead = peer.read(through: "\r\n\r\n")
        let lines = requestHead.split(separator: "\r\n")
        guard let key = lines.first(where: { $0.hasPrefix("Sec-WebSocket-Key: ") })?.dropFirst(19) else { return nil }
        let accept = base64(digest(.sha1, Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
        let head =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: \(accept)\r\nSec-WebSocket-Protocol: \(subprotocol)\r\n\r\n"
        peer.write(Array(head.utf8) + early)
    }

    /// The next frame: its first byte and its payload without the mask; nil at the end, or when it is not masked.
    func read() -> (first: UInt8, payload: [UInt8])? {
        let head = exactly(2)
        guard head.count == 2, head[1] & 0x80 != 0 else { return nil }
        var count = Int(head[1] & 0x7f)
        if count >= 126 { count = exactly(count == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) } }
        let mask = exactly(4)
        guard mask.count == 4 else { return nil }
        return (head[0], exactly(count).enumerated().map { $1 ^ mask[$0 % 4] })
    }

    func write(_ first: UInt8, _ payload: [UInt8]) {
        peer.write(WebSocketDecoderTests.frame(first, payload))
    }

    private func exactly(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = peer.readSome(count - bytes.count)
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }
}

/// Each write is a message, and each message is read as it is; messages with an exclamation mark are wrong.
final class PlainFraming: StreamFraming {
    func outgoing(_ bytes: UnsafeRawBufferPointer, send: (UnsafeRawBufferPointer) -> Void) { send(bytes) }

    func incoming(
        _ piece: UnsafeRawBufferPointer, begins: Bool, ends: Bool, deliver: (UnsafeRawBufferPointer) -> Void
    ) throws(WebSocketError) {
        if piece.contains(UInt8(ascii: "!")) { throw .content("an exclamation mark") }
        deliver(piece)
    }
}

extension WebSocketOptions {
    static func plain(_ lookup: WebSocketLookup? = nil) -> WebSocketOptions {
        WebSocketOptions(subprotocol: "xmpp", maximumMessageBytes: 100_000, lookup: lookup) { PlainFraming() }
    }
}
