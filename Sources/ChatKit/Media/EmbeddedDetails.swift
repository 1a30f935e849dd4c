// SPDX-License-Identifier: Apache-2.0
internal import XMPP

/// What stands in a picture beside its pixels: where it was taken, and with what.
///
/// Only the frame of the file is walked; nothing is decoded.
enum EmbeddedDetails {
    /// Whether there are EXIF or XMP parts; what breaks off or contradicts itself counts as having them.
    static func isIn(_ bytes: [UInt8], _ format: Picture.Format) -> Bool {
        switch format {
        case .png: inChunks(bytes, from: 8, isBigEndian: true, tail: 4) { $0 == "eXIf" || $0 == "iTXt" }
        case .webp: inChunks(bytes, from: 12, isBigEndian: false, tail: 0) { $0 == "EXIF" || $0 == "XMP " }
        case .gif: bytes.firstRange(of: Array("XMP DataXMP".utf8)) != nil
        // Every JPEG is made anew.
        case .jpeg: true
        }
    }

    /// Walks chunks with a size and a name: PNG has the size first and a check behind, WebP the name first and even sizes.
    private static func inChunks(
        _ bytes: [UInt8], from start: Int, isBigEndian: Bool, tail: Int, _ tells: (String) -> Bool
    ) -> Bool {
        var place = start
        while place + 8 <= bytes.count {
            let (first, second) = (bytes[place..<(place + 4)], bytes[(place + 4)..<(place + 8)])
            let name = String(decoding: isBigEndian ? second : first, as: UTF8.self)
            if tells(name) { return true }
            let size = (isBigEndian ? Array(first) : second.reversed()).reduce(0) { $0 << 8 | Int($1) }
            place += 8 + size + tail + (isBigEndian ? 0 : size & 1)
        }
        return place < bytes.count
    }
}
