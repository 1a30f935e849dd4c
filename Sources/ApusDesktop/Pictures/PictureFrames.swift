// SPDX-License-Identifier: Apache-2.0
import ChatKit

/// Reads what `apus-image` wrote.
///
/// It has met hostile bytes, so nothing that it says is taken on trust.
enum PictureFrames {
    /// The most bytes of everything.
    static let longest = 32 << 20
    private static let lineBytes = 128

    static func read(_ output: [UInt8], _ work: PictureWork) throws(ChatError) -> PictureResult {
        var rest = output[...]
        guard let size = header(&rest), size.kind == "size", size.count == 0, let frames = Int(size.type),
            (1...100_000).contains(frames), (1...65_535).contains(size.width), (1...65_535).contains(size.height)
        else { throw failed }
        var result = PictureResult(width: size.width, height: size.height, frames: frames)
        while true {
            guard let next = header(&rest) else { throw failed }
            if next.kind == "end" { break }
            guard next.count > 0, next.count <= rest.count else { throw failed }
            let bytes = Array(rest.prefix(next.count))
            rest = rest.dropFirst(next.count)
            let picture = MadePicture(bytes: bytes, mediaType: next.type, width: next.width, height: next.height)
            let isNew: Bool
            switch next.kind {
            case "full": isNew = take(picture, work.full, &result.full)
            case "thumbnail": isNew = take(picture, work.thumbnail, &result.thumbnail)
            case "preview": isNew = take(picture, work.preview, &result.preview)
            default: isNew = false
            }
            guard isNew else { throw failed }
        }
        guard rest.isEmpty, (result.full != nil) == (work.full != nil),
            (result.thumbnail != nil) == (work.thumbnail != nil), (result.preview != nil) == (work.preview != nil)
        else { throw failed }
        return result
    }

    /// Reads what was found in a photo: a line `text BYTES`, the bytes, and `end`.
    static func text(_ output: [UInt8]) throws(ChatError) -> String? {
        var rest = output[...]
        guard let end = rest.prefix(lineBytes).firstIndex(of: 0x0A) else { throw failed }
        let words = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
        rest = rest[(end + 1)...]
        guard words.count == 2, words[0] == "text", let count = Int(words[1]), (0...4096).contains(count),
            count <= rest.count, rest.dropFirst(count).elementsEqual("end\n".utf8)
        else { throw failed }
        guard let text = String(validating: rest.prefix(count), as: UTF8.self) else { return nil }
        return text.isEmpty ? nil : text
    }

    /// Takes a picture that was asked for, is of its kind by its bytes, and fits.
    private static func take(_ picture: MadePicture, _ box: Int?, _ place: inout MadePicture?) -> Bool {
        guard let box, place == nil, (1...box).contains(picture.width), (1...box).contains(picture.height) else {
            return false
        }
        let mark: [UInt8]
        switch picture.mediaType {
        case "image/jpeg": mark = [0xFF, 0xD8, 0xFF]
        case "image/png": mark = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        default: return false
        }
        guard picture.bytes.starts(with: mark) else { return false }
        place = picture
        return true
    }

    private struct Header {
        var kind = "end"
        var (width, height) = (0, 0)
        var type = ""
        var count = 0
    }

    private static func header(_ rest: inout ArraySlice<UInt8>) -> Header? {
        guard let end = rest.prefix(lineBytes).firstIndex(of: 0x0A) else { return nil }
        let words = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
        rest = rest[(end + 1)...]
        if words == ["end"] { return Header() }
        guard words.count == 5, let width = Int(words[1]), let height = Int(words[2]), let count = Int(words[4]) else {
            return nil
        }
        return Header(kind: String(words[0]), width: width, height: height, type: String(words[3]), count: count)
    }

    private static var failed: ChatError {
        ChatError(.pictureWorkerFailed, "the program that decodes pictures answers what nobody asked for")
    }
}
