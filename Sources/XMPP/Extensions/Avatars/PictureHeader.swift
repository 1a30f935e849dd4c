// SPDX-License-Identifier: Apache-2.0

/// The measures of a picture, read from its headers in one pass; no pixel is decoded.
struct PictureHeader: Sendable, Hashable {
    var width: Int
    var height: Int
    var frames = 1

    init(width: Int, height: Int, frames: Int = 1) {
        self.width = width
        self.height = height
        self.frames = frames
    }

    /// Nil when the headers are damaged.
    init?(_ bytes: [UInt8], _ format: Picture.Format) {
        let source = PictureBytes(bytes: bytes)
        let header =
            switch format {
            case .png: PictureHeader.png(source)
            case .jpeg: PictureHeader.jpeg(source)
            case .gif: PictureHeader.gif(source)
            case .webp: PictureHeader.webp(source)
            }
        guard let header else { return nil }
        self = header
    }

    /// PNG §5.6, §11.2.2; APNG's `acTL` comes before the first `IDAT`.
    private static func png(_ source: PictureBytes) -> PictureHeader? {
        guard source.big32(8) == 13, source.isTag("IHDR", 12), let width = source.big32(16),
            let height = source.big32(20)
        else { return nil }
        var header = PictureHeader(width: width, height: height)
        var place = 33
        while let length = source.big32(place), !source.isTag("IDAT", place + 4) {
            if source.isTag("acTL", place + 4), let frames = source.big32(place + 8) { header.frames = frames }
            place += 12 + length
        }
        return header
    }

    /// JPEG (ITU-T T.81 §B.2.2): the first start of a frame, before any scan.
    private static func jpeg(_ source: PictureBytes) -> PictureHeader? {
        var place = 2
        while let mark = source.byte(place), mark == 0xFF, let kind = source.byte(place + 1) {
            switch kind {
            case 0xFF: place += 1
            case 0x01, 0xD0...0xD7: place += 2
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard let height = source.big16(place + 5), let width = source.big16(place + 7) else { return nil }
                return PictureHeader(width: width, height: height)
            case 0xD8, 0xD9, 0xDA: return nil
            default:
                guard let length = source.big16(place + 2), length >= 2 else { return nil }
                place += 2 + length
            }
        }
        return nil
    }

    /// GIF89a §18–§23: frames are counted by walking over the blocks; a frame may reach over the screen.
    private static func gif(_ source: PictureBytes) -> PictureHeader? {
        guard let width = source.little16(6), let height = source.little16(8), let flags = source.byte(10) else {
            return nil
        }
        var header = PictureHeader(width: width, height: height, frames: 0)
        var place = 13 + colourTable(flags)
        walk: while let kind = source.byte(place) {
            switch kind {
            case 0x2C:
                guard let left = source.little16(place + 1), let top = source.little16(place + 3),
                    let width = source.little16(place + 5), let height = source.little16(place + 7),
                    let flags = source.byte(place + 9)
                else { break walk }
                header.frames += 1
                header.width = max(header.width, left + width)
                header.height = max(header.height, top + height)
                place = source.afterBlocks(place + 11 + colourTable(flags))
            case 0x21: place = source.afterBlocks(place + 2)
            default: break walk
            }
        }
        return header
    }

    private static func colourTable(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }

    /// WebP (RFC 9649 §2.5–§2.7): a simple lossy or lossless picture, or an extended one with its frames.
    private static func webp(_ source: PictureBytes) -> PictureHeader? {
        if source.isTag("VP8 ", 12) {
            guard source.byte(23) == 0x9D, source.byte(24) == 0x01, source.byte(25) == 0x2A,
                let width = source.little16(26), let height = source.little16(28)
            else { return nil }
            return PictureHeader(width: width & 0x3FFF, height: height & 0x3FFF)
        }
        if source.isTag("VP8L", 12) {
            guard source.byte(20) == 0x2F, let low = source.little16(21), let high = source.little16(23) else {
                return nil
            }
            let bits = low | high << 16
            return PictureHeader(width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
        }
        guard source.isTag("VP8X", 12), let width = source.little24(24), let height = source.little24(27) else {
            return nil
        }
        var header = PictureHeader(width: width + 1, height: height + 1, frames: 0)
        var place = 30
        while let length = source.little32(place + 4) {
            if source.isTag("ANMF", place) { header.frames += 1 }
            place += 8 + length + length % 2
        }
        header.frames = max(header.frames, 1)
        return header
    }
}

/// Bytes that are read at any place; what lies outside is nil.
private struct PictureBytes {
    let bytes: [UInt8]

    func byte(_ place: Int) -> UInt8? { bytes.indices.contains(place) ? bytes[place] : nil }

    /// The number in `count` bytes, the most significant one first.
    private func big(_ place: Int, _ count: Int) -> Int? {
        guard place >= 0, place <= bytes.count - count else { return nil }
        var number = 0
        for offset in 0..<count { number = number << 8 | Int(bytes[place + offset]) }
        return number
    }

    /// The number in `count` bytes, the least significant one first.
    private func little(_ place: Int, _ count: Int) -> Int? {
        guard place >= 0, place <= bytes.count - count else { return nil }
        var number = 0
        for offset in 0..<count { number |= Int(bytes[place + offset]) << (8 * offset) }
        return number
    }

    func big16(_ place: Int) -> Int? { big(place, 2) }
    func big32(_ place: Int) -> Int? { big(place, 4) }
    func little16(_ place: Int) -> Int? { little(place, 2) }
    func little24(_ place: Int) -> Int? { little(place, 3) }
    func little32(_ place: Int) -> Int? { little(place, 4) }

    func isTag(_ tag: StaticString, _ place: Int) -> Bool {
        guard place >= 0, place <= bytes.count - 4 else { return false }
        return tag.withUTF8Buffer { bytes[place..<place + 4].elementsEqual($0) }
    }

    /// The place after a run of GIF's sub-blocks that begins here.
    func afterBlocks(_ place: Int) -> Int {
        var place = place
        while let length = byte(place) {
            place += 1 + Int(length)
            if length == 0 { break }
        }
        return place
    }
}
