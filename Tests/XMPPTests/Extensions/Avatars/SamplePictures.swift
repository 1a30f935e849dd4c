// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import XMPP

/// Pictures for tests, as far as headers go.
enum SamplePictures {
    /// One transparent pixel; a whole and valid picture.
    static let pixelText =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    static let pixel = decodeBase64(pixelText) ?? []

    static func big(_ number: Int) -> [UInt8] { (0..<4).reversed().map { UInt8(number >> (8 * $0) & 255) } }
    static func little(_ number: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(number >> (8 * $0) & 255) } }

    static func png(_ width: Int, _ height: Int, frames: Int? = nil, filler: Int = 0) -> [UInt8] {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        bytes += big(13) + Array("IHDR".utf8) + big(width) + big(height) + [8, 6, 0, 0, 0] + big(0)
        if let frames { bytes += big(8) + Array("acTL".utf8) + big(frames) + big(0) + big(0) }
        return bytes + big(filler) + Array("IDAT".utf8) + [UInt8](repeating: 1, count: filler) + big(0)
    }

    static func jpeg(_ width: Int, _ height: Int) -> [UInt8] {
        let head: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0]
        let measures = [UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)]
        // A fill byte, a table, then the start of the frame.
        return head + [0xFF, 0xFF, 0xDB, 0, 3, 0] + [0xFF, 0xC2, 0, 11, 8] + measures + [1, 1, 0x11, 0, 0xFF, 0xD9]
    }

    static func gif(_ width: Int, _ height: Int, frames: Int, frameSide: Int = 1) -> [UInt8] {
        var bytes =
            Array("GIF89a".utf8) + little(width, 2) + little(height, 2) + [0x80, 0, 0] + [0, 0, 0, 255, 255, 255]
        let extensionBlock: [UInt8] = [0x21, 0xF9, 4, 0, 1, 0, 0, 0]
        let frame: [UInt8] = [0x2C, 0, 0, 0, 0] + little(frameSide, 2) + little(frameSide, 2) + [0, 2, 2, 0x44, 1, 0]
        for _ in 0..<frames { bytes += extensionBlock + frame }
        return bytes + [0x3B]
    }

    static func webp(_ chunk: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array("WEBP".utf8) + Array(chunk.utf8) + little(content.count, 4) + content
        return Array("RIFF".utf8) + little(body.count, 4) + body
    }
}
