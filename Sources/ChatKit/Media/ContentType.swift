// SPDX-License-Identifier: Apache-2.0
internal import XMPP

/// What a file is by its own bytes; its name counts for nothing.
enum ContentType {
    /// The media type that others are told.
    static func of(_ prefix: [UInt8]) -> String {
        if let kind = FileKind(of: prefix) { return kind.rawValue }
        for (mark, type) in marks where prefix.starts(with: mark) { return type }
        return isText(prefix) ? "text/plain" : "application/octet-stream"
    }

    /// Whether it is a picture, which may say where it was taken: also of the kinds that are shown to nobody here.
    static func isPicture(_ prefix: [UInt8]) -> Bool {
        if let kind = FileKind(of: prefix) { return kind.isPicture }
        if prefix.starts(with: [0x49, 0x49, 0x2A, 0]) || prefix.starts(with: [0x4D, 0x4D, 0, 0x2A]) { return true }
        guard prefix.count >= 12, prefix[4..<8].elementsEqual("ftyp".utf8) else { return false }
        return ["heic", "heix", "heim", "heis", "hevc", "mif1", "msf1"].contains {
            prefix[8..<12].elementsEqual($0.utf8)
        }
    }

    /// So many bytes from the beginning are looked at.
    static let prefixBytes = 4096

    /// What a name ends with that has no ending of its own.
    static func ending(of mediaType: String) -> String {
        switch mediaType {
        case "image/jpeg": ".jpg"
        case "audio/mpeg": ".mp3"
        case "text/plain": ".txt"
        case "application/octet-stream": ""
        default: "." + (mediaType.split(separator: "/").last ?? "bin")
        }
    }

    /// A name that ends as its type does, where the type is a picture's; one that has no ending gets one.
    static func named(_ name: String, _ mediaType: String) -> String {
        let ending = ending(of: mediaType)
        guard !ending.isEmpty, name.utf8.count < 190 else { return name }
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name + ending }
        guard mediaType.hasPrefix("image/") else { return name }
        let own = name[dot...].lowercased()
        if own == ending || ending == ".jpg" && [".jpeg", ".jpe", ".jfif"].contains(own) { return name }
        return name[..<dot] + ending
    }

    private static let marks: [([UInt8], String)] = [
        (Array("%PDF-".utf8), "application/pdf"), ([0x50, 0x4B, 0x03, 0x04], "application/zip"),
        ([0x1F, 0x8B], "application/gzip"), ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "application/x-7z-compressed"),
    ]

    /// UTF-8 without control characters; what is cut off at the end of the prefix does no harm.
    private static func isText(_ prefix: [UInt8]) -> Bool {
        guard !prefix.isEmpty else { return false }
        var bytes = prefix[...]
        if prefix.count >= prefixBytes {
            for _ in 0..<3 where bytes.last.map({ $0 >= 0x80 }) == true { bytes.removeLast() }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        return text.unicodeScalars.allSatisfy {
            $0.value >= 0x20 && $0.value != 0x7F || "\t\n\r".unicodeScalars.contains($0)
        }
    }
}
