// SPDX-License-Identifier: Apache-2.0
internal import ApusCrypto
internal import Glibc
internal import XMPP

/// The files of a profile's messages on disk, each under a name of chance, in a folder that only its owner reads.
///
/// Owner of its files: whoever has their names, by the database; what nothing leads to is swept out.
package final class MediaFolder: Sendable {
    /// A file that was taken in.
    struct Stored: Sendable, Hashable {
        let name: String
        let size: Int64
        let sha256: [UInt8]
        /// Its first bytes.
        let prefix: [UInt8]
    }

    let path: String

    package init(path: String) { self.path = path }

    func path(of name: String) -> String { path + "/" + name }

    /// A name that nothing has.
    static func newName() -> String { randomToken() }

    /// Makes the folder where it is missing.
    func make() throws(ChatError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw Self.failure("make the folder of files") }
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid() else {
            throw ChatError(.storageFailed, "\(path) is no folder of ours; move it away")
        }
    }

    /// Copies a file in, so that it stays the same until it has been sent; returns when the copy is on disk.
    ///
    /// - Parameter limit: The most bytes.
    func copy(_ source: String, limit: Int64) throws(ChatError) -> Stored {
        // Opening a pipe would wait for a writer.
        let from = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard from >= 0 else { throw Self.unusable("cannot read \(source): \(String(cString: strerror(errno)))") }
        defer { close(from) }
        var status = stat()
        guard fstat(from, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Self.unusable("\(source) is no file")
        }
        guard Int64(status.st_size) <= limit else { throw Self.tooLarge(limit) }
        guard status.st_size > 0 else { throw Self.unusable("\(source) is empty") }
        try make()
        let name = Self.newName()
        // Nobody else's file, and no link to one (T182).
        let to = open(path(of: name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard to >= 0 else { throw Self.failure("write a file") }
        defer { close(to) }
        do throws(ChatError) {
            let stored = try Self.pour(from, to, name, limit)
            guard fsync(to) == 0 else { throw Self.failure("write a file") }
            syncFolder()
            return stored
        } catch {
            unlink(path(of: name))
            throw error
        }
    }

    private static func pour(
        _ from: Int32, _ to: Int32, _ name: String, _ limit: Int64
    ) throws(ChatError) -> Stored {
        let digest = IncrementalDigest(.sha256)
        var prefix: [UInt8] = []
        var size: Int64 = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 17)
        while true {
            let count = read(from, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unusable("cannot read the file: \(String(cString: strerror(errno)))") }
            if count == 0 { break }
            size += Int64(count)
            guard size <= limit else { throw tooLarge(limit) }
            prefix += buffer[..<count].prefix(max(0, ContentType.prefixBytes - prefix.count))
            buffer.withUnsafeBytes { digest.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            try write(buffer[..<count], to)
        }
        return Stored(name: name, size: size, sha256: digest.finish(), prefix: prefix)
    }

    private static func write(_ bytes: ArraySlice<UInt8>, _ to: Int32) throws(ChatError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(to, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("write a file") }
            rest = rest.dropFirst(count)
        }
    }

    /// Writes bytes under a new name; returns when they are on disk.
    func write(_ bytes: [UInt8]) throws(ChatError) -> String {
        try make()
        let name = Self.newName()
        try ProfileFolder.writePrivateFile(path(of: name), bytes)
        return name
    }

    func remove(_ name: String) {
        guard Self.isName(name) else { return }
        unlink(path(of: name))
    }

    /// Whether there is a file of that name.
    func has(_ name: String?) -> Bool {
        guard let name, Self.isName(name) else { return false }
        return access(path(of: name), R_OK) == 0
    }

    /// The first bytes of a file.
    func prefix(of name: String) -> [UInt8] { bytes(of: name, limit: ContentType.prefixBytes) ?? [] }

    /// At most so many bytes from the beginning of a file; nil when it cannot be read.
    func bytes(of name: String, limit: Int) -> [UInt8]? {
        let file = open(path(of: name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: limit)
        var filled = 0
        while filled < limit {
            let count = bytes.withUnsafeMutableBytes {
                read(file, $0.baseAddress?.advanced(by: filled), limit - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            filled += count
        }
        return Array(bytes[..<filled])
    }

    /// What is there, without links and folders.
    func names() -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Whether the name leads to nothing but a file of this folder.
    private static func isName(_ name: String) -> Bool { !name.isEmpty && !name.contains("/") && name.first != "." }

    private func syncFolder() {
        let folder = open(path, O_RDONLY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
    }

    private static func tooLarge(_ limit: Int64) -> ChatError {
        ChatError(.fileTooLarge, "the file is larger than \(limit) bytes")
    }

    private static func unusable(_ text: String) -> ChatError { ChatError(.fileUnusable, text) }

    private static func failure(_ what: String) -> ChatError {
        let isFull = errno == ENOSPC || errno == EDQUOT
        return ChatError(
            isFull ? .diskFull : .storageFailed, "cannot \(what): \(String(cString: strerror(errno)))",
            isRetryable: isFull)
    }
}
