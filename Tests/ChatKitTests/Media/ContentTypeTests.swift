// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChatKit

@Suite("ContentType")
struct ContentTypeTests {
    @Test("T154 the type is told by the bytes")
    func types() {
        #expect(ContentType.of([0xFF, 0xD8, 0xFF, 0xE0]) == "image/jpeg")
        #expect(ContentType.of(Array("%PDF-1.7".utf8)) == "application/pdf")
        #expect(ContentType.of(Array("<html>é\n".utf8)) == "text/plain")
        #expect(ContentType.of([0, 1, 2]) == "application/octet-stream")
        #expect(ContentType.of([]) == "application/octet-stream")
        // A letter that the end of the prefix cuts in two is still one.
        let cut = Array(String(repeating: "a", count: ContentType.prefixBytes - 1).utf8) + [0xC3]
        #expect(ContentType.of(cut) == "text/plain")
    }

    @Test("a type has an ending for names that have none")
    func endings() {
        #expect(ContentType.ending(of: "image/jpeg") == ".jpg")
        #expect(ContentType.ending(of: "application/pdf") == ".pdf")
        #expect(ContentType.ending(of: "application/octet-stream") == "")
    }
}
