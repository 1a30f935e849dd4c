// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Testing

@Suite("Frames of a WebSocket server")
struct WebSocketDecoderTests {
    /// What a decoder reports, with the pieces of a message put together.
    private struct Seen: Equatable {
        var messages: [String] = []
        var open = ""
        var pings: [[UInt8]] = []
        var pongs = 0
        var closes: [UInt16?] = []
    }

    private func decode(
        _ bytes: [UInt8], pieces: Int = .max, limit: Int = 1000
    ) throws -> Seen {
        var decoder = WebSocketDecoder(limit: limit)
        var seen = Seen()
        var partial: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            try piece.withUnsafeBytes { raw in
                try decoder.decode(raw) { event in
                    switch event {
                    case .text(let text, let begins, let ends):
                        if begins { partial = [] }
                        partial += text
                        guard ends else { break }
                        seen.messages.append(String(decoding: partial, as: UTF8.self))
                        partial = []
                    case .ping(let payload): seen.pings.append(payload)
                    case .pong: seen.pongs += 1
                    case .close(let code): seen.closes.append(code)
                    }
                }
            }
        }
        seen.open = String(decoding: partial, as: UTF8.self)
        return seen
    }

    static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let count = payload.count
        if count < 126 { return [first, UInt8(count)] + payload }
        if count < 65_536 { return [first, 126, UInt8(count >> 8), UInt8(count & 255)] + payload }
        return [first, 127, 0, 0, 0, 0] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + payload
    }

    static func frame(_ first: UInt8, _ text: String) -> [UInt8] { frame(first, Array(text.utf8)) }

    @Test("the examples of RFC 6455 §5.7 that a server may send")
    func examples() throws {
        #expect(try decode([0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f]).messages == ["Hello"])
        #expect(try decode([0x01, 0x03, 0x48, 0x65, 0x6c, 0x80, 0x02, 0x6c, 0x6f]).messages == ["Hello"])
        #expect(try decode([0x89, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f]).pings == [Array("Hello".utf8)])
    }

    @Test("any cut gives the same messages, control frames between fragments included", arguments: 1...9)
    func cuts(size: Int) throws {
        let bytes =
            Self.frame(0x01, "<a>é") + Self.frame(0x89, "p") + Self.frame(0x00, "") + Self.frame(0x8a, "")
            + Self.frame(0x80, "🦊</a>") + Self.frame(0x81, "<b/>")
            + Self.frame(0x81, String(repeating: "c", count: 300))
            + Self.frame(0x88, [3, 0xe8] + Array("bye".utf8))
        let seen = try decode(bytes, pieces: size)
        #expect(seen.messages == ["<a>é🦊</a>", "<b/>", String(repeating: "c", count: 300)])
        #expect(seen.pings == [[UInt8(ascii: "p")]])
        #expect(seen.pongs == 1)
        #expect(seen.closes == [1000])
    }

    @Test("a character may be cut between fragments, and not at the end of a message")
    func characters() throws {
        let fox = Array("🦊".utf8)
        for cut in 1...3 {
            let fragments = Self.frame(0x01, Array(fox[..<cut])) + Self.frame(0x80, Array(fox[cut...]))
            #expect(try decode(fragments).messages == ["🦊"])
            #expect(throws: WebSocketError.notUTF8) { try decode(Self.frame(0x81, Array(fox[..<cut]))) }
        }
    }

    @Test(
        "text that is not UTF-8 is refused",
        arguments: [
            [0x80], [0xc0, 0x80], [0xc1, 0xbf], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80], [0xf0, 0x80, 0x80, 0x80],
            [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xff], [0xc3, 0x28], [0xe2, 0x82], [0xe2, 0x28, 0xa1],
        ] as [[UInt8]])
    func notUTF8(bytes: [UInt8]) {
        #expect(throws: WebSocketError.notUTF8) { try decode(Self.frame(0x81, bytes)) }
        #expect(throws: WebSocketError.notUTF8) { try decode(Self.frame(0x81, [0x3c] + bytes), pieces: 1) }
    }

    @Test(
        "rules of the framing",
        arguments: [
            ("a mask", [0x81, 0x80, 0, 0, 0, 0]), ("RSV1, as of compression", [0xc1, 0]), ("RSV2", [0xa1, 0]),
            ("RSV3", [0x91, 0]), ("opcode 3", [0x83, 0]), ("opcode 11", [0x8b, 0]), ("opcode 15", [0x8f, 0]),
            ("a continuation of nothing", [0x80, 0]), ("a text inside a text", [0x01, 0, 0x81, 0]),
            ("a ping in fragments", [0x09, 0]), ("a close in fragments", [0x08, 0]),
            ("a long ping", [0x89, 126, 0, 126]), ("a long close", [0x88, 127]),
            ("a length in too long a form", [0x81, 126, 0, 125]),
            ("a length in far too long a form", [0x81, 127, 0, 0, 0, 0, 0, 0, 0xff, 0xff]),
            ("a negative length", [0x81, 127, 0x80, 0, 0, 0, 0, 0, 0, 0]),
            ("half a code", [0x88, 1, 3]), ("code 999", [0x88, 2, 3, 0xe7]), ("code 1005", [0x88, 2, 3, 0xed]),
            ("code 1006", [0x88, 2, 3, 0xee]), ("code 1015", [0x88, 2, 3, 0xf7]), ("code 2000", [0x88, 2, 7, 0xd0]),
            ("code 5000", [0x88, 2, 0x13, 0x88]), ("a continuation after the end", [0x81, 0, 0x80, 0]),
        ] as [(String, [UInt8])])
    func rules(what: String, bytes: [UInt8]) {
        for pieces in [1, .max] {
            #expect("\(what)") {
                try decode(bytes, pieces: pieces)
            } throws: { error in
                guard case .framing? = error as? WebSocketError else { return false }
                return (error as? WebSocketError)?.closeCode == 1002
            }
        }
    }

    @Test("a binary message is refused, and a reason that is not UTF-8")
    func kinds() {
        #expect(throws: WebSocketError.notText) { try decode([0x82, 0]) }
        #expect(throws: WebSocketError.notUTF8) { try decode([0x88, 3, 3, 0xe8, 0xff]) }
    }

    @Test("a message has a cap, whole or in fragments, told before its bytes come")
    func limits() throws {
        let text = String(repeating: "a", count: 1000)
        #expect(try decode(Self.frame(0x81, text)).messages == [text])
        #expect(throws: WebSocketError.tooLarge) { try decode([0x81, 126, 3, 0xe9]) }
        #expect(throws: WebSocketError.tooLarge) { try decode([0x81, 127, 0, 0, 0, 1, 0, 0, 0, 0]) }
        #expect(throws: WebSocketError.tooLarge) { try decode([0x81, 127, 0x7f] + [UInt8](repeating: 255, count: 7)) }
        let half = Self.frame(0x01, String(repeating: "a", count: 500))
        let rest = Self.frame(0x80, String(repeating: "a", count: 500))
        #expect(try decode(half + rest + half + rest).messages.count == 2)
        #expect(throws: WebSocketError.tooLarge) {
            try decode(half + Self.frame(0x80, String(repeating: "a", count: 501)))
        }
    }

    @Test("frames without content do not go on for ever", arguments: [0x89, 0x8a, 0x00] as [UInt8])
    func flood(kind: UInt8) throws {
        let start = Self.frame(0x01, "a")
        #expect(try decode(start + [UInt8](repeating: 0, count: 0)).open == "a")
        let some = (0..<900).flatMap { _ in [kind, 0] as [UInt8] }
        _ = try decode(start + some)
        #expect(throws: WebSocketError.framing("frames without content and end")) { try decode(start + some + some) }
    }

    @Test("nothing is taken after a close or an error")
    func end() throws {
        #expect(try decode([0x88, 0] + Self.frame(0x81, "late")).messages.isEmpty)
        var decoder = WebSocketDecoder(limit: 10)
        let bytes: [UInt8] = [0x82, 0]
        #expect(throws: WebSocketError.self) { try bytes.withUnsafeBytes { try decoder.decode($0) { _ in } } }
        var count = 0
        let next = Self.frame(0x81, "x")
        try next.withUnsafeBytes { try decoder.decode($0) { _ in count += 1 } }
        #expect(count == 0)
    }
}
