// SPDX-License-Identifier: Apache-2.0
internal import ApusCrypto
internal import XMPP

/// A file as a message tells of it.
struct FileDescription: Hashable {
    var metadata: FileMetadata
    /// Where it can be fetched: addresses of the Web, each at most once.
    var urls: [String]
    /// A small picture as a `data:` URL.
    var preview: String?
    /// Whether the sender wants it shown in the conversation.
    var isInline: Bool?

    init(_ file: SharedFile) {
        metadata = file.metadata
        var known: Set<String> = []
        urls = file.urls.filter { WebAddress.isUsable($0) && known.insert($0).inserted }
        preview = file.metadata.thumbnails.lazy.map(\.uri).first { Preview.isAcceptable($0) }
        isInline = file.disposition.map { $0 == .inline }
    }

    /// A file of which only the address is known.
    init(url: String) {
        metadata = FileMetadata(name: WebAddress.fileName(of: url))
        urls = [url]
    }
}

extension WebAddress {
    /// Whether it is an address that a file could be fetched from, so that it may be kept and shown.
    static func isUsable(_ url: String) -> Bool {
        guard url.utf8.count <= 4096, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return false }
        let scheme = url.prefix { $0 != ":" }.lowercased()
        return (scheme == "https" || scheme == "http") && host(of: url) != nil
    }

    /// The last part of the path as people would read it.
    static func fileName(of url: String) -> String? {
        guard let start = url.firstRange(of: "://")?.upperBound else { return nil }
        let rest = url[start...].prefix { $0 != "?" && $0 != "#" }
        let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 1, let last = parts.last, !last.isEmpty else { return nil }
        return FileMetadata(name: decoded(last)).safeName
    }

    /// Text with its `%` escapes read; as it is where that gives no text.
    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self) ?? String(text)
    }
}

/// A very small picture that came with a message.
enum Preview {
    /// So many bytes of text at most.
    static let longest = 8192

    /// Whether it is a `data:` URL of a picture of a kind that is harmless to show, by its own bytes.
    static func isAcceptable(_ uri: String) -> Bool {
        let prefixes = ["data:image/jpeg;base64,", "data:image/png;base64,", "data:image/webp;base64,"]
        guard uri.utf8.count <= longest, let prefix = prefixes.first(where: { uri.hasPrefix($0) }),
            let bytes = decodeBase64(String(uri.dropFirst(prefix.count))),
            let format = Picture.Format(of: bytes), prefix.hasPrefix("data:\(format.mediaType);")
        else { return false }
        var limits = Picture.Limits()
        (limits.bytes, limits.side, limits.frames, limits.pixels) = (longest, 256, 1, 1 << 16)
        return (try? Picture(bytes, limits: limits)) != nil
    }
}

extension Message {
    /// Whether it is worth looking for files; short work, since almost all messages have none.
    var mayHaveFiles: Bool {
        payload(SharedFile.name) != nil || payload(OutOfBandLink.name) != nil || payload(Reference.name) != nil
            || bodyType == .picture
    }

    /// The files that the message brings, in any of the ways in which programs send them: file sharing (XEP-0447, XEP-0385),
    /// an address that is the whole text (XEP-0066), or a picture of a tutorial's program.
    var fileDescriptions: [FileDescription] {
        guard kind != .error, !isEncrypted else { return [] }
        let shared = sharedFiles.prefix(Self.maximumFiles).map { FileDescription($0) }
        if !shared.isEmpty { return shared }
        if let url = attachmentURL ?? tutorialPictureURL, WebAddress.isUsable(url) {
            var file = FileDescription(url: url)
            if let explanation = links.first(where: { $0.url == url })?.explanation {
                file.metadata.explanation = explanation
            }
            if bodyType == .picture { file.metadata.mediaType = "image/*" }
            return [file]
        }
        return []
    }

    private static let maximumFiles = 16

    /// What is shown as the text of a message that brings files: nothing of what only stands there for other programs.
    func textBesideFiles(_ text: String) -> String {
        let files = fileDescriptions
        guard !files.isEmpty else { return text }
        var rest = bodyWithoutFallback(for: [SharedFile.namespace, Reply.namespace]) ?? text
        rest = rest.trimmingBlanks
        if files.contains(where: { $0.urls.contains(rest) }) { rest = "" }
        return rest.isEmpty ? files.first?.metadata.explanation ?? "" : rest
    }
}

extension String {
    /// Without white space at both ends.
    fileprivate var trimmingBlanks: String {
        let start = drop { $0.isWhitespace }
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...last])
    }
}
