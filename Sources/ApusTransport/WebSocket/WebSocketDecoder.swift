// SPDX-License-Identifier: Apache-2.0

/// Takes a server's frames apart (RFC 6455 §5): pure; bytes may come in any pieces.
///
/// Text is handed on as it comes, so that memory does not depend on what the peer calls a message.
package struct WebSocketDecoder: Sendable {
    package enum Event {
        /// A piece of a text message, valid during the call. `begins` with the first, `ends` with the last of a message.
        case text(UnsafeRawBufferPointer, begins: Bool, ends: Bool)
        /// To be answered with the same bytes.
        case ping([UInt8])
        case pong
        /// The peer closes; nil without a code.
        case close(UInt16?)
    }

    private enum Opcode: UInt8 {
        case continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10

        var isControl: Bool { rawValue >= 8 }
    }

    /// The most frames of one message, and control frames in a row, without a byte of text.
    private static let emptyLimit = 1000

    /// The largest message in bytes.
    private let limit: Int
    private var header: [UInt8] = []
    private var opcode: Opcode?
    private var isFinal = false
    private var remaining = 0
    private var control: [UInt8] = []
    private var isInMessage = false
    private var messageBytes = 0
    /// The next piece of text is the first of its message.
    private var begins = false
    private var text = UTF8Validator()
    private var emptyFrames = 0
    private var hasEnded = false

    package init(limit: Int) {
        self.limit = limit
    }

    /// Takes bytes and reports what is in them; after an error or a close nothing more is taken.
    package mutating func decode(
        _ bytes: UnsafeRawBufferPointer, _ handle: (Event) -> Void
    ) throws(WebSocketError) {
        var index = 0
        while !hasEnded {
            if opcode == nil {
                while index < bytes.count, opcode == nil {
                    header.append(bytes[index])
                    index += 1
                    do throws(WebSocketError) { try readHeader() } catch {
                        hasEnded = true
                        throw error
                    }
                }
            }
            guard let opcode else { return }
            let count = min(remaining, bytes.count - index)
            guard count > 0 || remaining == 0 else { return }
            let piece = UnsafeRawBufferPointer(rebasing: bytes[index..<(index + count)])
            index += count
            remaining -= count
            do throws(WebSocketError) {
                if opcode.isControl { try takeControl(opcode, piece, handle) } else { try takeText(piece, handle) }
            } catch {
                hasEnded = true
                throw error
            }
            if remaining == 0 { self.opcode = nil }
        }
    }

    /// Looks at the header so far; sets the opcode once it is whole and right.
    private mutating func readHeader() throws(WebSocketError) {
        guard header.count >= 2 else { return }
        let first = header[0]
        let second = header[1]
        if header.count == 2 {
            guard first & 0x70 == 0 else { throw .framing("a reserved bit is set") }
            guard second & 0x80 == 0 else { throw .framing("a frame of a server is masked") }
            guard let opcode = Opcode(rawValue: first & 0x0f) else { throw .framing("an unknown kind of frame") }
            try check(opcode, isFinal: first & 0x80 != 0, length: second & 0x7f)
        }
        let extra = second & 0x7f == 127 ? 8 : second & 0x7f == 126 ? 2 : 0
        guard header.count == 2 + extra else { return }
        var length = UInt64(second & 0x7f)
        if extra > 0 {
            length = header[2...].reduce(0) { $0 << 8 | UInt64($1) }
            // The shortest form is the only one.
            guard length >= (extra == 2 ? 126 : 65_536), length >> 63 == 0 else {
                throw .framing("a length in a wrong form")
            }
        }
        let kind = Opcode(rawValue: first & 0x0f)
        let used = kind?.isControl == true ? 0 : kind == .continuation ? messageBytes : 0
        guard length <= UInt64(limit - used) else { throw .tooLarge }
        isFinal = first & 0x80 != 0
        remaining = Int(length)
        opcode = kind
        header.removeAll(keepingCapacity: true)
        begin(kind)
        // Work without content: a few are fine.
        emptyFrames = length > 0 && kind?.isControl == false ? 0 : emptyFrames + 1
        guard emptyFrames <= WebSocketDecoder.emptyLimit else { throw .framing("frames without content and end") }
    }

    private mutating func begin(_ kind: Opcode?) {
        guard kind == .text || kind == .continuation else {
            control = []
            return
        }
        if kind == .text {
            messageBytes = 0
            text = UTF8Validator()
            begins = true
        }
        isInMessage = !isFinal
        messageBytes += remaining
    }

    private func check(_ opcode: Opcode, isFinal: Bool, length: UInt8) throws(WebSocketError) {
        switch opcode {
        case .binary: throw .notText
        case .continuation: if !isInMessage { throw .framing("a continuation of nothing") }
        case .text: if isInMessage { throw .framing("a message inside another") }
        case .close, .ping, .pong:
            guard isFinal, length <= 125 else { throw .framing("a control frame that is cut or too long") }
        }
    }

    private mutating func takeText(
        _ piece: UnsafeRawBufferPointer, _ handle: (Event) -> Void
    ) throws(WebSocketError) {
        guard text.accept(piece) else { throw .notUTF8 }
        let ends = remaining == 0 && isFinal
        if ends, !text.isComplete { throw .notUTF8 }
        guard !piece.isEmpty || ends else { return }
        handle(.text(piece, begins: begins, ends: ends))
        begins = false
    }

    private mutating func takeControl(
        _ opcode: Opcode, _ piece: UnsafeRawBufferPointer, _ handle: (Event) -> Void
    ) throws(WebSocketError) {
        control += piece
        guard remaining == 0 else { return }
        let payload = control
        control = []
        switch opcode {
        case .ping: handle(.ping(payload))
        case .pong: handle(.pong)
        default:
            let code = try closeCode(payload)
            hasEnded = true
            handle(.close(code))
        }
    }

    /// RFC 6455 §5.5.1 and §7.4.
    private func closeCode(_ payload: [UInt8]) throws(WebSocketError) -> UInt16? {
        guard !payload.isEmpty else { return nil }
        guard payload.count >= 2 else { throw .framing("a close frame with half a code") }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: break
        default: throw .framing("a close frame with an impossible code")
        }
        var reason = UTF8Validator()
        let isText = payload.withUnsafeBytes { reason.accept(UnsafeRawBufferPointer(rebasing: $0[2...])) }
        guard isText, reason.isComplete else { throw .notUTF8 }
        return code
    }
}
