// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@Suite("What a file is by its bytes")
struct FileKindTests {
    @Test(
        "kinds that may be shown are known by their first bytes",
        arguments: [
            ("\u{0}\u{0}\u{0}\u{20}ftypisom", FileKind.mp4), ("\u{0}\u{0}\u{0}\u{20}ftypavif", .avif), ("GIF89a", .gif),
            ("RIFF....WEBPVP8 ", .webp), ("RIFF....WAVEfmt ", .wav), ("OggS", .ogg), ("ID3", .mp3), ("fLaC", .flac),
        ])
    func known(_ text: String, _ kind: FileKind) { #expect(FileKind(of: Array(text.utf8)) == kind) }

    @Test("PNG, JPEG and WebM, whose first bytes are no text")
    func binary() {
        #expect(FileKind(of: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) == .png)
        #expect(FileKind(of: [0xFF, 0xD8, 0xFF, 0xE0]) == .jpeg)
        #expect(FileKind(of: [0x1A, 0x45, 0xDF, 0xA3, 0x42, 0x82, 0x84] + Array("webm".utf8)) == .webm)
        #expect(FileKind.jpeg.isPicture && !FileKind.mp4.isPicture)
    }

    @Test(
        "T154 documents that can carry programs are of no kind that is shown, whatever their name and type",
        arguments: [
            "<!DOCTYPE html><script>", "<svg xmlns='http://www.w3.org/2000/svg'>", "<?xml version='1.0'?><svg>",
            "%PDF-1.7",
            "PK\u{3}\u{4}", "\u{7f}ELF", "MZ", "#!/bin/sh", "", "GIF", "\u{0}\u{0}\u{0}\u{20}ftypqt__", "RIFF....AVI ",
        ])
    func active(_ text: String) { #expect(FileKind(of: Array(text.utf8)) == nil) }
}
