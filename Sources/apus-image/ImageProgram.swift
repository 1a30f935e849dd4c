// SPDX-License-Identifier: Apache-2.0
import ApusCSeccomp
import ApusCVips
import ApusCZXing
import Glibc

/// Makes other pictures of the one on its standard input: `apus-image [full=N] [alpha] [thumbnail=N] [preview=N]`.
///
/// Its input comes from strangers and its libraries are large, so it gives up all that it does not need before it reads
/// the first byte (``Confinement``). What it makes goes to standard output in frames: a line `KIND WIDTH HEIGHT TYPE BYTES`
/// and the bytes; the last line is `end`. `apus-image probe` tries what must not work and tells; `apus-image scan` reads the QR code in the
/// picture: a line `text BYTES`, the bytes, and `end`. Its exit status says why there is nothing: 3 is no whole picture of a known kind, 4 one that
/// is too large, 1 everything else.
@main
enum ImageProgram {
    /// The most bytes that are read.
    static let inputBytes = 64 << 20
    /// The most pixels on a side, and of all; more is refused by the headers.
    static let side = 16_384
    static let pixels = 80_000_000

    enum Ending: Int32, Error {
        case failed = 1
        case damaged = 3
        case tooLarge = 4
    }

    static func main() {
        do throws(Ending) {
            let words = CommandLine.arguments.dropFirst()
            guard apus_confine() == 0, apus_vips_start() == 0, Confinement.begin() else { throw .failed }
            if words == ["probe"] {
                try put(Probe.report(), [])
                exit(0)
            }
            if words == ["scan"] {
                try scan(try input())
                exit(0)
            }
            let wishes = try Wishes(words)
            try work(wishes, try input())
            exit(0)
        } catch {
            exit(error.rawValue)
        }
    }

    /// Width, height and the number of frames of a picture that may be decoded.
    private static func measure(_ bytes: [UInt8]) throws(Ending) -> (width: Int32, height: Int32, frames: Int32) {
        guard isKnown(bytes) else { throw .damaged }
        var (width, height, frames): (Int32, Int32, Int32) = (0, 0, 0)
        guard apus_vips_measure(bytes, bytes.count, &width, &height, &frames) == 0, width > 0, height > 0 else {
            throw .damaged
        }
        guard width <= side, height <= side, Int(width) * Int(height) <= pixels else { throw .tooLarge }
        return (width, height, frames)
    }

    /// Looks at a photo in two sizes: a code that fills it is found in the small one, a distant one in the large one.
    private static func scan(_ bytes: [UInt8]) throws(Ending) {
        _ = try measure(bytes)
        var text = [CChar](repeating: 0, count: 4096)
        var found = 0
        for box: Int32 in [1000, 2400] where found == 0 {
            var gray: UnsafeMutableRawPointer?
            var (length, width, height): (Int, Int32, Int32) = (0, 0, 0)
            guard apus_vips_gray(bytes, bytes.count, box, &gray, &length, &width, &height) == 0, let gray else {
                throw .damaged
            }
            defer { apus_vips_free(gray) }
            guard width > 0, height > 0, Int(width) * Int(height) <= length else { throw .failed }
            found = apus_zxing_read(
                gray.assumingMemoryBound(to: UInt8.self), width, height, &text, text.count)
        }
        try put("text \(found)\n", text.prefix(found).map { UInt8(bitPattern: $0) })
        try put("end\n", [])
    }

    private static func work(_ wishes: Wishes, _ bytes: [UInt8]) throws(Ending) {
        let (width, height, frames) = try measure(bytes)
        try put("size \(width) \(height) \(max(1, frames)) 0\n", [])
        // Each is made of the one before, so that the large one is decoded once.
        var source = bytes
        if let box = wishes.full { source = try render(source, "full", box, 80, keepsAlpha: wishes.keepsAlpha) }
        if let box = wishes.thumbnail { source = try render(source, "thumbnail", box, 75) }
        if let box = wishes.preview { _ = try render(source, "preview", box, 30) }
        try put("end\n", [])
    }

    private static func render(
        _ bytes: [UInt8], _ kind: String, _ box: Int32, _ quality: Int32, keepsAlpha: Bool = false
    ) throws(Ending) -> [UInt8] {
        var result: UnsafeMutableRawPointer?
        var (length, width, height, isPNG): (Int, Int32, Int32, Int32) = (0, 0, 0, 0)
        let status = apus_vips_render(
            bytes, bytes.count, box, quality, keepsAlpha ? 1 : 0, &result, &length, &width, &height, &isPNG)
        guard status == 0, let result else { throw .damaged }
        let made = Array(UnsafeRawBufferPointer(start: result, count: length))
        apus_vips_free(result)
        try put("\(kind) \(width) \(height) \(isPNG == 0 ? "image/jpeg" : "image/png") \(made.count)\n", made)
        return made
    }

    /// PNG, JPEG, GIF and WebP by their first bytes; nothing else gets as far as a decoder.
    private static func isKnown(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) || bytes.starts(with: [0xFF, 0xD8, 0xFF])
            || bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8)
            || bytes.count > 12 && bytes.starts(with: "RIFF".utf8) && bytes[8..<12].elementsEqual("WEBP".utf8)
    }

    private static func input() throws(Ending) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = read(0, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .failed }
            if count == 0 { return bytes }
            guard bytes.count + count <= inputBytes else { throw .tooLarge }
            bytes += buffer[..<count]
        }
    }

    private static func put(_ line: String, _ bytes: [UInt8]) throws(Ending) {
        var rest = (Array(line.utf8) + bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .failed }
            rest = rest.dropFirst(count)
        }
    }
}

/// What the command line asks for.
struct Wishes {
    var full: Int32?
    var keepsAlpha = false
    var thumbnail: Int32?
    var preview: Int32?

    init(_ words: ArraySlice<String>) throws(ImageProgram.Ending) {
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1)
            let number = parts.count == 2 ? Int32(parts[1]).flatMap { (1...8192).contains($0) ? $0 : nil } : nil
            switch (parts.first, number) {
            case ("full", let number?): full = number
            case ("thumbnail", let number?): thumbnail = number
            case ("preview", let number?): preview = number
            case ("alpha", nil): keepsAlpha = true
            default: throw .failed
            }
        }
    }
}
