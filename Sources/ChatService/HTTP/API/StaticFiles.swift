// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import Foundation
import Glibc

/// The files of the web app, found once and kept in memory.
///
/// A path of a request is looked up in the list of what was found, and never becomes a path of the file system. A file
/// that changed is read again, so that the app can be worked on while the service runs.
package final class StaticFiles: Sendable {
    package struct File: Sendable {
        package var bytes: [UInt8]
        /// An entity tag with its quotes.
        package var tag: String
        package var type: String
    }

    private struct Entry {
        var path: String
        var size: off_t
        var changed: timespec
        var file: File?
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var scanned: UInt64 = 0
    }

    package static let fileLimit = 8 << 20
    package static let countLimit = 4000

    package let root: String
    private let state = Locked(State())

    /// Looks for the files below `root`; nil when there is no `index.html`.
    package init?(root: String) {
        self.root = root
        let entries = Self.scan(root)
        guard entries["index.html"] != nil else { return nil }
        state.withLock { state in
            state.entries = entries
            state.scanned = WebConnectionRecord.now
        }
    }

    /// Where the web app is: beside the program as it was built, or where it was installed.
    package static func standardRoot(program: String) -> String? {
        let folder = (program as NSString).deletingLastPathComponent
        let places = [
            folder + "/apus_ChatService.resources/Web",
            (folder as NSString).deletingLastPathComponent + "/share/apus/web",
        ]
        return places.first { FileManager.default.fileExists(atPath: $0 + "/index.html") }
    }

    package func file(_ path: [String]) -> File? {
        let name = path.isEmpty ? "index.html" : path.joined(separator: "/")
        return state.withLock { state in
            if state.entries[name] == nil {
                // New ones are looked for once a second at most.
                let now = WebConnectionRecord.now
                guard now &- state.scanned > 1_000_000_000 else { return nil }
                state.entries = Self.scan(root)
                state.scanned = now
            }
            guard var entry = state.entries[name] else { return nil }
            var status = stat()
            guard lstat(entry.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            let isSame =
                status.st_size == entry.size && status.st_mtim.tv_sec == entry.changed.tv_sec
                && status.st_mtim.tv_nsec == entry.changed.tv_nsec
            if isSame, let file = entry.file { return file }
            guard status.st_size <= Self.fileLimit, let data = FileManager.default.contents(atPath: entry.path) else {
                return nil
            }
            let bytes = Array(data)
            let tag = "\"\(base64url(Array(digest(.sha256, bytes).prefix(15))))\""
            entry.size = status.st_size
            entry.changed = status.st_mtim
            entry.file = File(bytes: bytes, tag: tag, type: Self.type(of: name))
            state.entries[name] = entry
            return entry.file
        }
    }

    private static func scan(_ root: String) -> [String: Entry] {
        var entries: [String: Entry] = [:]
        var folders = [""]
        while let folder = folders.popLast(), entries.count < countLimit {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: root + "/" + folder)) ?? [] {
                guard !name.hasPrefix(".") else { continue }
                let relative = folder.isEmpty ? name : folder + "/" + name
                let path = root + "/" + relative
                var status = stat()
                guard lstat(path, &status) == 0 else { continue }
                switch status.st_mode & S_IFMT {
                case S_IFDIR: folders.append(relative)
                case S_IFREG:
                    entries[relative] = Entry(path: path, size: status.st_size, changed: status.st_mtim, file: nil)
                default: continue
                }
            }
        }
        return entries
    }

    static func type(of name: String) -> String {
        switch (name as NSString).pathExtension.lowercased() {
        case "html": "text/html; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "json": "application/json"
        case "webmanifest": "application/manifest+json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "webp": "image/webp"
        case "ico": "image/x-icon"
        case "woff2": "font/woff2"
        case "ogg", "opus": "audio/ogg"
        case "mp3": "audio/mpeg"
        case "wav": "audio/wav"
        case "txt": "text/plain; charset=utf-8"
        default: "application/octet-stream"
        }
    }
}
