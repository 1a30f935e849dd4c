// SPDX-License-Identifier: Apache-2.0
import ChatKit
import Testing

@testable import ApusDesktop

@Suite("PictureFrames")
struct PictureFramesTests {
    private static let work: PictureWork = {
        var work = PictureWork()
        work.thumbnail = 80
        return work
    }()
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0]

    private func read(_ parts: [UInt8]...) throws -> PictureResult {
        try PictureFrames.read(Array(parts.joined()), Self.work)
    }

    private func line(_ text: String) -> [UInt8] { Array((text + "\n").utf8) }

    @Test("what was asked for is read")
    func reads() throws {
        let result = try read(line("size 600 300 1 0"), line("thumbnail 80 40 image/jpeg 4"), Self.jpeg, line("end"))
        #expect(result.width == 600 && result.thumbnail?.bytes == Self.jpeg && result.full == nil)
    }

    @Test("the text of a code is read; anything that is not exactly that is refused")
    func texts() throws {
        #expect(try PictureFrames.text(Array("text 2\nhiend\n".utf8)) == "hi")
        #expect(try PictureFrames.text(Array("text 0\nend\n".utf8)) == nil)
        for wrong in [
            "", "text 2\nhi", "text 3\nhiend\n", "text -1\nend\n", "text 2\nhiend\nx", "end\n", "text 9999\n",
        ] {
            #expect(throws: ChatError.self, "\(wrong)") { try PictureFrames.text(Array(wrong.utf8)) }
        }
    }

    @Test("T144 anything else is refused: other kinds, other measures, more, less")
    func refuses() {
        let size = line("size 600 300 1 0")
        let good = line("thumbnail 80 40 image/jpeg 4") + Self.jpeg
        let cases: [[UInt8]] = [
            [], size, size + line("end"), size + good, good + line("end"), size + good + good + line("end"),
            size + good + line("end") + [1], size + line("full 80 40 image/jpeg 4") + Self.jpeg + line("end"),
            size + line("thumbnail 81 40 image/jpeg 4") + Self.jpeg + line("end"),
            size + line("thumbnail 80 0 image/jpeg 4") + Self.jpeg + line("end"),
            size + line("thumbnail 80 40 image/svg+xml 4") + Array("<svg".utf8) + line("end"),
            size + line("thumbnail 80 40 image/jpeg 4") + Array("<svg".utf8) + line("end"),
            size + line("thumbnail 80 40 image/jpeg 400") + Self.jpeg + line("end"),
            size + line("thumbnail 80 40 image/jpeg -4") + Self.jpeg + line("end"),
            line("size 600 300 0 0") + good + line("end"), line("size 0 300 1 0") + good + line("end"),
            [UInt8](repeating: 0x41, count: 500),
        ]
        for bytes in cases {
            #expect(throws: ChatError.self, "\(String(decoding: bytes, as: UTF8.self))") {
                try PictureFrames.read(bytes, Self.work)
            }
        }
    }
}
