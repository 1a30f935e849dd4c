// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ApusCrypto

@Suite struct TLSBufferTests {
    private func append(_ bytes: [UInt8], to buffer: TLSBuffer) {
        bytes.withUnsafeBytes { buffer.append($0) }
    }

    @Test func `bytes come out in the order they went in, through growth and moves`() {
        let buffer = TLSBuffer(capacity: 8)
        var expected: [UInt8] = []
        var next: UInt8 = 0
        for step in 0..<500 {
            let piece = (0..<(step % 37)).map { _ -> UInt8 in
                next &+= 1
                return next
            }
            append(piece, to: buffer)
            expected += piece
            let taken = step % 23
            #expect(Array(buffer.bytes) == expected)
            buffer.removeFirst(taken)
            expected.removeFirst(min(taken, expected.count))
        }
        #expect(buffer.count == expected.count)
    }

    @Test func `reserved memory counts only when committed`() {
        let buffer = TLSBuffer()
        let room = buffer.reserve(10)
        #expect(room.count >= 10)
        #expect(buffer.isEmpty)
        room[0] = 7
        buffer.commit(1)
        #expect(Array(buffer.bytes) == [7])
        buffer.commit(.max / 2)
        #expect(buffer.count <= buffer.capacity)
    }

    @Test func `memory is given back only when empty`() {
        let buffer = TLSBuffer()
        append([UInt8](repeating: 1, count: 5000), to: buffer)
        buffer.shrink()
        #expect(buffer.count == 5000)
        buffer.removeFirst(9999)
        #expect(buffer.isEmpty)
        buffer.shrink(to: 64)
        #expect(buffer.capacity == 64)
        buffer.shrink()
        #expect(buffer.capacity == 0)
        append([1, 2], to: buffer)
        #expect(Array(buffer.bytes) == [1, 2])
    }
}
