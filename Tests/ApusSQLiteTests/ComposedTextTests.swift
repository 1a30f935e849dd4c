// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import ApusSQLite

@Suite("ComposedText")
struct ComposedTextTests {
    private func composed(_ text: String) -> ComposedText? {
        var text = text
        return text.withUTF8 { ComposedText(UnsafeRawBufferPointer($0)) }
    }

    private func mayBeOpen(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { ComposedText.mayBeOpen(UnsafeRawBufferPointer($0)) }
    }

    @Test(
        "a text that is composed is left alone, most of them without a look at the tables of Unicode",
        arguments: [
            "", "plain words", "Caf\u{E9} \u{FC}ber", "Ti\u{1EBF}ng Vi\u{1EC7}t", "\u{41C}\u{43E}\u{439}", "\u{3AC}",
            "\u{D55C}\u{AE00}", "\u{304C}\u{3071}", "\u{51C6}\u{5907}", "\u{1F44D} \u{2026} \u{20AC}", "\u{645}\u{631}",
        ])
    func plain(text: String) {
        #expect(!mayBeOpen(text) && composed(text) == nil)
    }

    @Test("what may join is looked at, and left alone where it is composed after all")
    func closed() {
        for text in ["x\u{301}", "\u{E01}\u{E48}", "\u{928}\u{93F}", "1\u{FE0F}\u{20E3}"] {
            #expect(mayBeOpen(text) && composed(text) == nil, "\(text)")
        }
    }

    @Test("every character that Unicode composes, or that joins another one, is looked at")
    func all() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(scalar)
            let isJoining = scalar.properties.canonicalCombiningClass != .notReordered
            if isJoining || !text.precomposedStringWithCanonicalMapping.utf8.elementsEqual(text.utf8) {
                #expect(mayBeOpen(text), "\(String(value, radix: 16))")
            }
            // What is taken apart into several comes together again only where each but the first is looked at.
            for part in text.decomposedStringWithCanonicalMapping.unicodeScalars.dropFirst() {
                #expect(mayBeOpen(String(part)), "\(String(value, radix: 16))")
            }
        }
    }

    @Test("a text that is taken apart is composed, and places in it are found in what was given")
    func places() throws {
        let given = "ab \u{1112}\u{1161}\u{11AB} cafe\u{301}s \u{438}\u{306}"
        let text = try #require(composed(given))
        #expect(
            String(decoding: text.bytes, as: UTF8.self).unicodeScalars.elementsEqual(
                "ab \u{D55C} caf\u{E9}s \u{439}".unicodeScalars))
        let bytes = Array(given.utf8)
        func part(_ start: Int32, _ end: Int32) -> String {
            String(decoding: bytes[Int(text.places.start(start))..<Int(text.places.end(end))], as: UTF8.self)
        }
        #expect(part(0, 2).utf8.elementsEqual("ab".utf8))
        #expect(part(3, 6).utf8.elementsEqual("\u{1112}\u{1161}\u{11AB}".utf8))
        #expect(part(7, 13).utf8.elementsEqual("cafe\u{301}s".utf8))
        #expect(part(14, 16).utf8.elementsEqual("\u{438}\u{306}".utf8))
        // A word that ends inside of a character ends with it.
        #expect(part(7, 11).utf8.elementsEqual("cafe\u{301}".utf8))
    }

    @Test("bytes that are no text are left alone")
    func noText() {
        for bytes: [UInt8] in [[0xCC], [0x61, 0xCC, 0x81, 0xFF], [0xE1, 0x84], [0xF0, 0x9F]] {
            #expect(bytes.withUnsafeBytes { ComposedText($0) } == nil)
        }
    }
}
