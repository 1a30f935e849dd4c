// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Testing

@Suite struct LineDecoderTests {
    private func lines(_ decoder: inout LineDecoder) throws -> [String] {
        var lines: [String] = []
        while let line = try decoder.next() { lines.append(String(decoding: line, as: UTF8.self)) }
        return lines
    }

    @Test func `lines come out whole wherever the bytes are cut`() throws {
        let text = Array("{\"a\":1}\n\n{\"b\":\"ä\"}\nrest".utf8)
        for cut in 0...text.count {
            var decoder = LineDecoder(limit: 64)
            decoder.append(text[..<cut])
            var found = try lines(&decoder)
            decoder.append(text[cut...])
            found += try lines(&decoder)
            #expect(found == ["{\"a\":1}", "", "{\"b\":\"ä\"}"])
            #expect(decoder.bufferedBytes == 4)
        }
    }

    @Test func `bytes that come one by one make the same lines`() throws {
        var decoder = LineDecoder(limit: 8)
        var found: [String] = []
        for byte in Array("one\ntwo\nthree\n".utf8) {
            decoder.append(CollectionOfOne(byte))
            found += try lines(&decoder)
        }
        #expect(found == ["one", "two", "three"])
        #expect(decoder.bufferedBytes == 0)
    }

    @Test func `a line of the limit passes, one byte more is refused for good`() throws {
        var decoder = LineDecoder(limit: 4)
        decoder.append(Array("1234\n".utf8))
        #expect(try decoder.next() == Array("1234".utf8))
        decoder.append(Array("12345".utf8))
        #expect(throws: LineDecoder.LineTooLong.self) { try decoder.next() }
        decoder.append(Array("\n".utf8))
        #expect(throws: LineDecoder.LineTooLong.self) { try decoder.next() }
    }

    @Test func `what was read does not stay in memory`() throws {
        var decoder = LineDecoder(limit: 1 << 20)
        let line = [UInt8](repeating: 0x61, count: 10_000) + [0x0A]
        for _ in 0..<200 {
            decoder.append(line)
            #expect(try decoder.next()?.count == 10_000)
        }
        #expect(decoder.bufferedBytes == 0)
    }
}
