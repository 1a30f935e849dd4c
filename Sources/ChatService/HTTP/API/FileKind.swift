// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// What a file is, by its first bytes.
enum FileKind {
    /// Bytes that are looked at.
    static let length = 32

    static func type(atPath path: String) -> String {
        guard let handle = FileHandle(forReadingAtPath: path) else { return plain }
        defer { try? handle.close() }
        return type(of: Array((try? handle.read(upToCount: length)) ?? Data()))
    }

    private static let plain = "application/octet-stream"

    private static let starts: [(bytes: [UInt8], type: String)] = [
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"), ([0xFF, 0xD8, 0xFF], "image/jpeg"),
        (Array("GIF87a".utf8), "image/gif"), (Array("GIF89a".utf8), "image/gif"),
        (Array("OggS".utf8), "audio/ogg"), (Array("fLaC".utf8), "audio/flac"), (Array("ID3".utf8), "audio/mpeg"),
        ([0xFF, 0xFB], "audio/mpeg"), ([0x1A, 0x45, 0xDF, 0xA3], "video/webm"),
        (Array("%PDF-".utf8), "application/pdf"), ([0x50, 0x4B, 0x03, 0x04], "application/zip"),
    ]

    /// One of the types that can be told for sure; markup and scripts are bytes like any other.
    static func type(of bytes: [UInt8]) -> String {
        for (start, type) in starts where bytes.starts(with: start) { return type }
        guard bytes.count >= 12 else { return plain }
        let mark = String(decoding: bytes[8..<12], as: UTF8.self)
        if bytes.starts(with: "RIFF".utf8) {
            return mark == "WEBP" ? "image/webp" : mark == "WAVE" ? "audio/wav" : plain
        }
        guard bytes[4..<8].elementsEqual("ftyp".utf8) else { return plain }
        switch mark {
        case "avif", "avis": return "image/avif"
        case "heic", "heix", "mif1": return "image/heic"
        case "M4A ", "M4B ": return "audio/mp4"
        default: return "video/mp4"
        }
    }
}
