// SPDX-License-Identifier: Apache-2.0
import ApusDesktop

/// Pictures made byte by byte, whole and otherwise.
enum TestPicture {
    /// A PNG of one colour gradient, its pixels not compressed; `alpha` makes its left half transparent.
    static func png(_ width: Int, _ height: Int, alpha: Bool = false) -> [UInt8] {
        var pixels: [UInt8] = []
        for row in 0..<height {
            pixels.append(0)
            for column in 0..<width {
                pixels += [
                    UInt8(column * 255 / max(1, width)), UInt8(row * 255 / max(1, height)),
                    UInt8((column / 8) % 2 * 200),
                ]
                if alpha { pixels.append(column * 2 < width ? 0 : 255) }
            }
        }
        return head(width, height, type: alpha ? 6 : 2) + chunk("IDAT", stored(pixels)) + chunk("IEND", [])
    }

    /// A PNG of a QR code, each of its modules so many pixels wide.
    static func png(_ code: QRCode, scale: Int = 4) -> [UInt8] {
        let side = (code.size + 8) * scale
        var pixels: [UInt8] = []
        for row in 0..<side {
            pixels.append(0)
            for column in 0..<side {
                let shade: UInt8 = code.isDark(column / scale - 4, row / scale - 4) ? 20 : 235
                pixels += [shade, shade, shade]
            }
        }
        return head(side, side) + chunk("IDAT", stored(pixels)) + chunk("IEND", [])
    }

    /// What a PNG of these measures begins with.
    static func head(_ width: Int, _ height: Int, type: UInt8 = 2) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", big(UInt32(width)) + big(UInt32(height)) + [8, type, 0, 0, 0])
    }

    static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + content
        return big(UInt32(content.count)) + body + big(crc(body))
    }

    /// The JPEG with a part in front that says how it was held and where it was taken (EXIF).
    static func located(_ jpeg: [UInt8], orientation: UInt8) -> [UInt8] {
        func entry(_ tag: UInt16, _ type: UInt16, _ count: UInt32, _ value: [UInt8]) -> [UInt8] {
            big16(tag) + big16(type) + big(count) + value
        }
        // The directory at 8 has two entries and ends at 38; the one with the place follows.
        let first =
            big16(2) + entry(0x0112, 3, 1, [0, orientation, 0, 0]) + entry(0x8825, 4, 1, big(38)) + big(0)
        let place =
            big16(2) + entry(1, 2, 2, Array("N\0\0\0".utf8)) + entry(2, 5, 3, big(68)) + big(0)
            + big(48) + big(1) + big(51) + big(1) + big(29) + big(1)
        let tiff = Array("MM\0*".utf8) + big(8) + first + place
        let exif = Array("Exif\0\0".utf8) + tiff + Array("GPS-MARK-48-51-29".utf8)
        return [0xFF, 0xD8, 0xFF, 0xE1] + big16(UInt16(exif.count + 2)) + exif + jpeg.dropFirst(2)
    }

    /// Width and height of a JPEG, by its headers.
    static func measures(_ jpeg: [UInt8]) -> [Int] {
        var place = 2
        while place + 9 < jpeg.count, jpeg[place] == 0xFF {
            let kind = jpeg[place + 1]
            func two(_ offset: Int) -> Int { Int(jpeg[place + offset]) << 8 | Int(jpeg[place + offset + 1]) }
            if (0xC0...0xC2).contains(kind) { return [two(7), two(5)] }
            place += 2 + two(2)
        }
        return []
    }

    private static func big16(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }

    private static func big(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// A zlib stream of stored blocks.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x78, 0x01]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            let count = UInt16(block.count)
            result += [rest.isEmpty ? 1 : 0, UInt8(count & 255), UInt8(count >> 8)]
            result += [UInt8(~count & 255), UInt8(~count >> 8)] + block
        } while !rest.isEmpty
        var (first, second): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            first = (first + UInt32(byte)) % 65_521
            second = (second + first) % 65_521
        }
        return result + big(second << 16 | first)
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
        }
        return ~crc
    }
}
