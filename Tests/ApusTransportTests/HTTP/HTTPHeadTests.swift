// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Testing

@Suite("The head of an HTTP response")
struct HTTPHeadTests {
    @Test("status and fields, with names in any case and values without the space around them")
    func reads() throws {
        let text = "HTTP/1.1 407 \r\nVia:a\r\nvia:  b , C\t\r\nX-Empty:\r\nX-Latin: \u{e9}"
        let head = try #require(HTTPHead(Array(text.utf8)))
        #expect(head.status == 407)
        #expect(head.values("via") == ["a", "b , C"])
        #expect(head.tokens("via") == ["a", "b", "c"])
        #expect(head.values("x-empty") == [""])
        #expect(head.values("absent").isEmpty)
    }

    @Test("the empty line is found wherever the pieces are cut, and what follows is given back")
    func pieces() {
        let bytes = Array("HTTP/1.1 200 OK\r\nA: b\r\n\r\nrest".utf8)
        for size in 1...bytes.count {
            var reader = HTTPHeadReader()
            var start = 0
            while start < bytes.count {
                let end = min(bytes.count, start + size)
                if case .head(let head, let rest) = reader.received(bytes[start..<end]) {
                    #expect(head.values("a") == ["b"])
                    #expect(Array(rest) + bytes[end...] == Array("rest".utf8))
                    break
                }
                start = end
            }
            #expect(start < bytes.count)
        }
    }
}
