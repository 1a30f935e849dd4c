// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@testable import ChatKit

@Suite struct EmbeddedDetailsTests {
    private func chunk(_ name: String, _ size: UInt8, of count: Int) -> [UInt8] {
        [0, 0, 0, size] + Array(name.utf8) + [UInt8](repeating: 7, count: count)
    }

    private func part(_ name: String, _ size: UInt8) -> [UInt8] {
        Array(name.utf8) + [size, 0, 0, 0] + [UInt8](repeating: 7, count: Int(size) + Int(size & 1))
    }

    @Test func `EXIF and XMP are found among the chunks of a PNG, and nothing else is`() {
        let start = [UInt8](repeating: 0x89, count: 8) + chunk("IHDR", 13, of: 17)
        let pixels = chunk("IDAT", 5, of: 9) + chunk("IEND", 0, of: 4)
        #expect(!EmbeddedDetails.isIn(start + pixels, .png))
        #expect(EmbeddedDetails.isIn(start + chunk("eXIf", 2, of: 6) + pixels, .png))
        #expect(EmbeddedDetails.isIn(start + chunk("iTXt", 0, of: 4) + pixels, .png))
        // The name inside of another chunk is none.
        #expect(!EmbeddedDetails.isIn(start + [0, 0, 0, 4] + Array("tEXteXIf".utf8) + [1, 2, 3, 4] + pixels, .png))
    }

    @Test func `EXIF and XMP are found among the chunks of a WebP of odd sizes`() {
        let start = Array("RIFF0000WEBP".utf8) + part("VP8X", 10) + part("ANMF", 3)
        #expect(!EmbeddedDetails.isIn(start, .webp))
        #expect(EmbeddedDetails.isIn(start + part("EXIF", 4), .webp))
        #expect(EmbeddedDetails.isIn(start + part("XMP ", 5), .webp))
    }

    @Test func `what breaks off is not trusted`() {
        #expect(EmbeddedDetails.isIn([UInt8](repeating: 0, count: 8) + [1, 2, 3], .png))
        #expect(!EmbeddedDetails.isIn([UInt8](repeating: 0, count: 8), .png))
    }
}
