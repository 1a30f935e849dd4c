// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Testing

@Suite("Frames of a WebSocket client")
struct WebSocketEncoderTests {
    private func frame(_ kind: WebSocketEncoder.Kind, _ payload: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        payload.withUnsafeBytes {
            WebSocketEncoder.append(kind, $0, key: (0x37, 0xfa, 0x21, 0x3d), to: &output)
        }
        return output
    }

    @Test("the masked example of RFC 6455 §5.7")
    func example() {
        #expect(
            frame(.text, Array("Hello".utf8)) == [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58])
    }

    @Test(
        "lengths take their shortest form, and every frame is masked", arguments: [0, 125, 126, 65_535, 65_536, 70_001])
    func lengths(count: Int) {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let bytes = frame(.text, payload)
        let extra = count < 126 ? 0 : count < 65_536 ? 2 : 8
        #expect(bytes.count == 2 + extra + 4 + count)
        #expect(bytes[1] & 0x80 != 0)
        #expect(Int(bytes[1] & 0x7f) == (extra == 0 ? count : extra == 2 ? 126 : 127))
        #expect(bytes[2..<(2 + extra)].reduce(0) { $0 << 8 | Int($1) } == (extra == 0 ? 0 : count))
        let key = Array(bytes[(2 + extra)..<(6 + extra)])
        #expect(bytes[(6 + extra)...].enumerated().map { $1 ^ key[$0 % 4] } == payload)
    }

    @Test("masking keys come from the secure source and do not repeat")
    func keys() {
        var source = MaskSource()
        var seen: Set<[UInt8]> = []
        for _ in 0..<1000 {
            let key = source.next()
            seen.insert([key.0, key.1, key.2, key.3])
        }
        // 1000 of 2³²: two equal ones are a matter of 1 in 8000.
        #expect(seen.count >= 998)
    }

    @Test("a close says its code or nothing")
    func close() {
        #expect(WebSocketEncoder.closePayload(1002) == [3, 0xea])
        #expect(WebSocketEncoder.closePayload(nil).isEmpty)
    }
}
