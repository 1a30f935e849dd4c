// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import Testing
import XMPP
import XMPPTesting

@Suite("Pictures (XEP-0084, XEP-0153 §4.6)")
struct PictureTests {
    func code(_ bytes: [UInt8], _ limits: Picture.Limits = Picture.Limits()) -> XMPPError.Code? {
        do throws(XMPPError) {
            _ = try Picture(bytes, limits: limits)
            return nil
        } catch { return error.code }
    }

    @Test("kind and measures are read from the bytes")
    func headers() throws {
        let pixel = try Picture(SamplePictures.pixel)
        #expect(pixel.format == .png && pixel.width == 1 && pixel.height == 1 && pixel.frames == 1)
        #expect(pixel.hash == PictureHash(of: SamplePictures.pixel))
        let jpeg = try Picture(SamplePictures.jpeg(300, 200))
        #expect(jpeg.format.mediaType == "image/jpeg" && jpeg.width == 300 && jpeg.height == 200)
        let gif = try Picture(SamplePictures.gif(64, 32, frames: 3))
        #expect(gif.format == .gif && gif.width == 64 && gif.height == 32 && gif.frames == 3)
        #expect(try Picture(SamplePictures.png(5, 6, frames: 9)).frames == 9)
        let lossy = SamplePictures.webp("VP8 ", [0, 0, 0, 0x9D, 1, 0x2A, 40, 0, 30, 0])
        #expect(try Picture(lossy).width == 40 && Picture(lossy).height == 30)
        // 14 bits of the width less one, then 14 of the height less one.
        let lossless = SamplePictures.webp("VP8L", [0x2F] + SamplePictures.little(39 | 29 << 14, 4))
        #expect(try Picture(lossless).width == 40 && Picture(lossless).height == 30)
        let frame = Array("ANMF".utf8) + SamplePictures.little(3, 4) + [1, 2, 3, 0]
        let moving = SamplePictures.webp("VP8X", [2, 0, 0, 0, 39, 0, 0, 29, 0, 0]) + frame + frame
        #expect(try Picture(moving).width == 40 && Picture(moving).height == 30 && Picture(moving).frames == 2)
    }

    @Test(
        "T144 a drawing in XML, a page called PNG and other files are no pictures",
        arguments: [
            "<svg xmlns='http://www.w3.org/2000/svg' width='8' height='8'/>", "<html><body>PNG</body></html>", "",
            "GIF",
            "RIFF....WAVEfmt ", "\u{0}\u{0}\u{0}\u{18}ftypheic", "BM6",
        ])
    func kinds(_ text: String) {
        #expect(code(Array(text.utf8)) == .pictureNotAcceptable)
    }

    @Test("T144 30000 by 30000 pixels and other measures beyond the limits are refused by the headers alone")
    func measures() {
        #expect(code(SamplePictures.png(30_000, 30_000)) == .pictureTooLarge)
        #expect(code(SamplePictures.png(4096, 1)) == nil)
        #expect(code(SamplePictures.png(4097, 1)) == .pictureTooLarge)
        #expect(code(SamplePictures.png(1, 4097)) == .pictureTooLarge)
        #expect(code(SamplePictures.png(0xFFFF_FFFF, 0xFFFF_FFFF)) == .pictureTooLarge)
        #expect(code(SamplePictures.jpeg(65_535, 65_535)) == .pictureTooLarge)
        #expect(code(SamplePictures.webp("VP8X", [0, 0, 0, 0, 255, 255, 255, 255, 255, 255])) == .pictureTooLarge)
        #expect(code(SamplePictures.gif(8, 8, frames: 1, frameSide: 9000)) == .pictureTooLarge)
        #expect(code(SamplePictures.png(0, 5)) == .pictureNotAcceptable)
        var wide = Picture.Limits()
        wide.side = .max
        wide.pixels = .max
        #expect(code(SamplePictures.png(0xFFFF_FFFF, 0xFFFF_FFFF), wide) == .pictureTooLarge)
    }

    @Test("T144 10 000 frames are too many, and so are few large ones together")
    func frames() {
        #expect(code(SamplePictures.gif(8, 8, frames: 10_000)) == .pictureTooLarge)
        #expect(code(SamplePictures.gif(8, 8, frames: 256)) == nil)
        #expect(code(SamplePictures.png(8, 8, frames: 257)) == .pictureTooLarge)
        #expect(code(SamplePictures.png(2048, 2048, frames: 8)) == nil)
        #expect(code(SamplePictures.png(2048, 2048, frames: 9)) == .pictureTooLarge)
        #expect(code(SamplePictures.gif(8, 8, frames: 0)) == .pictureNotAcceptable)
    }

    @Test("T144 the size is checked before anything is decoded")
    func size() throws {
        var limits = Picture.Limits()
        limits.bytes = 300
        // No base64 at all: had it been decoded first, that would be the complaint.
        let large = Element(XMLName("BINVAL", "vcard-temp"), text: String(repeating: "%", count: 1000))
        #expect(throws: XMPPError.self) { try large.pictureBytes(limits) }
        do { _ = try large.pictureBytes(limits) } catch { #expect(error.code == .pictureTooLarge) }
        let damaged = Element(XMLName("BINVAL", "vcard-temp"), text: "%%%")
        do { _ = try damaged.pictureBytes(limits) } catch { #expect(error.code == .pictureNotAcceptable) }
        #expect(code(SamplePictures.png(8, 8, filler: 300), limits) == .pictureTooLarge)
        let spaced = Element(
            XMLName("BINVAL", "vcard-temp"), text: String(repeating: "\n", count: 1000) + SamplePictures.pixelText)
        #expect(try spaced.pictureBytes(limits) == SamplePictures.pixel)
    }

    @Test("T144 another picture than was announced is refused")
    func wrongHash() throws {
        let other = PictureHash(of: [1, 2, 3])
        do throws(XMPPError) {
            _ = try Picture(SamplePictures.pixel, named: other)
            Issue.record("another picture was taken")
        } catch { #expect(error.code == .pictureMismatch) }
        let hash = PictureHash(of: SamplePictures.pixel)
        #expect(try Picture(SamplePictures.pixel, named: hash).hash == hash)
    }

    @Test("a picture that is cut anywhere is refused or read, and never more than that")
    func cut() {
        let whole = [
            SamplePictures.png(9, 9, frames: 2), SamplePictures.jpeg(9, 9), SamplePictures.gif(9, 9, frames: 2),
            SamplePictures.webp("VP8X", [2, 0, 0, 0, 39, 0, 0, 29, 0, 0]),
        ]
        var refused = 0
        for bytes in whole {
            for length in 0..<bytes.count where code(Array(bytes[..<length])) != nil { refused += 1 }
            for place in bytes.indices {
                var damaged = bytes
                damaged[place] ^= 0xFF
                _ = code(damaged)
            }
        }
        #expect(refused > 60)
    }

    @Test("B83 the kind comes from the bytes: JPEG")
    func missingType() {
        let bytes = decodeBase64("/9j/4AAQSkZJRg==") ?? []
        #expect(Picture.Format(of: bytes) == .jpeg)
        #expect(code(bytes) == .pictureNotAcceptable)
    }

    @Test("B84 line breaks in the text do not matter")
    func whiteSpace() throws {
        let element = try received("<BINVAL xmlns='vcard-temp'>\niVBORw0K\nGgo=\n</BINVAL>")
        let bytes = try element.pictureBytes(Picture.Limits())
        #expect(bytes.count == 8)
        #expect(PictureHash(of: bytes).description == "4caece539b039b16e16206ea2478f8c5ffb2ca05")
    }

    @Test("B86 a name is 40 hexadecimal digits in either case, and nothing else")
    func hashes() throws {
        let hash = try #require(PictureHash("01B87FCD030B72895FF8E88DB57EC525450F000D"))
        #expect(hash.description == "01b87fcd030b72895ff8e88db57ec525450f000d")
        #expect(PictureHash("01b87fcd030b72895ff8e88db57ec525450f000d") == hash)
        for text in [
            "current", "", "01b87fcd030b72895ff8e88db57ec525450f000", "g1b87fcd030b72895ff8e88db57ec525450f000d",
        ] {
            #expect(PictureHash(text) == nil)
        }
    }

    @Test("a cache in memory keeps what was used last, within its capacity")
    func cache() async throws {
        let cache = MemoryPictureCache(capacity: 400)
        let pictures = try (0..<3).map { try Picture(SamplePictures.png(8 + $0, 8, filler: 100)) }
        await cache.keep(pictures[0])
        await cache.keep(pictures[1])
        #expect(await cache.picture(pictures[0].hash) == pictures[0].bytes)
        await cache.keep(pictures[2])
        #expect(await cache.picture(pictures[1].hash) == nil)
        #expect(await cache.picture(pictures[0].hash) != nil)
        #expect(await cache.picture(pictures[2].hash) != nil)
        await cache.keep(try Picture(SamplePictures.png(8, 8, filler: 1000)))
        #expect(await cache.picture(pictures[2].hash) != nil)
    }
}
