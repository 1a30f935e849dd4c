// SPDX-License-Identifier: Apache-2.0
import ChatService
import Testing

@Suite struct ByteRangeTests {
    @Test("One range of bytes is understood, and everything else means the whole")
    func ranges() {
        #expect(ByteRange("bytes=0-0", size: 10) == .part(0..<1))
        #expect(ByteRange("bytes=2-", size: 10) == .part(2..<10))
        #expect(ByteRange("bytes=-3", size: 10) == .part(7..<10))
        #expect(ByteRange("bytes=-30", size: 10) == .part(0..<10))
        #expect(ByteRange("bytes=5-99999999999999999999", size: 10) == .part(5..<10))
        for text in [
            "bytes=", "bytes=-", "bytes=a-b", "bytes=3-1", "bytes=0-1,3-4", "lines=0-1", "bytes=+1-2", "bytes=1",
        ] {
            #expect(ByteRange(text, size: 10) == .whole, "\(text)")
        }
        #expect(ByteRange(nil, size: 10) == .whole)
    }

    @Test("A range behind the end is unsatisfiable")
    func behind() {
        #expect(ByteRange("bytes=10-", size: 10) == .unsatisfiable)
        #expect(ByteRange("bytes=99999999999999999999-", size: 10) == .unsatisfiable)
        #expect(ByteRange("bytes=-0", size: 10) == .unsatisfiable)
        #expect(ByteRange("bytes=-5", size: 0) == .unsatisfiable)
    }

    @Test("A tag is found in a list, weak or not, and by the star")
    func tags() {
        #expect(names("\"a\"", in: "\"b\", W/\"a\""))
        #expect(names("\"a\"", in: "*"))
        #expect(!names("\"a\"", in: "\"ab\""))
        #expect(!names("\"a\"", in: nil))
    }
}
