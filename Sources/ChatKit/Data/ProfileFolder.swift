// SPDX-License-Identifier: Apache-2.0
internal import ApusCrypto
internal import ApusTransport
internal import Glibc

/// The private folder of a profile, held by exactly one process.
///
/// The folder has mode 0700 and its files 0600. The lock is one of the kernel (`flock`), so it ends with the process
/// however that ends.
package final class ProfileFolder: Sendable {
    package let path: String
    /// The open lock file, -1 once it is let go.
    private let descriptor: Locked<Int32>

    /// Makes the folder where it is missing, and takes the lock.
    ///
    /// - Throws: ``ChatError/Code/profileInUse`` with the other process's number when the lock is taken.
    package init(path: String) throws(ChatError) {
        self.path = path
        try Self.makePrivate(path)
        let lock = path + "/lock"
        let descriptor = open(lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("cannot open \(lock)") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let isTaken = errno == EWOULDBLOCK
            let failure = Self.failure("cannot lock \(lock)")
            let holder = Self.read(descriptor, atMost: 20).flatMap { Int32(String(decoding: $0, as: UTF8.self)) }
            close(descriptor)
            guard isTaken else { throw failure }
            let who = holder.map { "process \($0)" } ?? "another process"
            throw ChatError(
                .profileInUse, "the profile \(path) is in use by \(who); attach to it or end it first",
                isRetryable: true)
        }
        fchmod(descriptor, 0o600)
        ftruncate(descriptor, 0)
        let text = Array(String(getpid()).utf8)
        pwrite(descriptor, text, text.count, 0)
        self.descriptor = Locked(descriptor)
    }

    deinit { unlock() }

    /// Lets another process have the profile.
    package func unlock() {
        let held = descriptor.withLock { descriptor in
            defer { descriptor = -1 }
            return descriptor
        }
        if held >= 0 { close(held) }
    }

    /// Refuses a place in this folder, by whatever links it is named: what is written there would replace the profile's files.
    func refuse(_ place: String) throws(ChatError) {
        guard let own = Self.resolved(path), let found = Self.resolved(Self.parent(of: place)) else { return }
        guard !(found + "/").hasPrefix(own + "/") else {
            throw ChatError(
                .storageFailed, "\(place) is in the folder of the profile itself; choose a place outside of it")
        }
    }

    private static func resolved(_ path: String) -> String? {
        guard let whole = realpath(path, nil) else { return nil }
        defer { free(whole) }
        return String(cString: whole)
    }

    /// Creates a folder and those above it with mode 0700, or takes wider rights from the last one.
    private static func makePrivate(_ path: String) throws(ChatError) {
        var end = path.startIndex
        while let next = path[end...].firstIndex(of: "/") {
            if next > path.startIndex { mkdir(String(path[..<next]), 0o700) }
            end = path.index(after: next)
        }
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw failure("cannot make \(path)") }
        var status = stat()
        guard lstat(path, &status) == 0 else { throw failure("cannot look at \(path)") }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw ChatError(.storageFailed, "\(path) is no folder; choose another one")
        }
        guard status.st_uid == getuid() else {
            throw ChatError(.storageFailed, "\(path) belongs to another user; choose another folder")
        }
        if status.st_mode & 0o077 != 0, chmod(path, 0o700) != 0 { throw failure("cannot make \(path) private") }
    }

    /// Reads a whole file; nil when it does not exist.
    package static func readPrivateFile(_ path: String) throws(ChatError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor < 0 {
            if errno == ENOENT { return nil }
            throw failure("cannot read \(path)")
        }
        defer { close(descriptor) }
        guard let bytes = read(descriptor, atMost: 16 << 20) else { throw failure("cannot read \(path)") }
        return bytes
    }

    /// Replaces a file in one step: after a crash there is the old content or the new, never a part.
    package static func writePrivateFile(_ path: String, _ bytes: [UInt8]) throws(ChatError) {
        let temporary = path + "." + randomToken()
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("cannot write \(path)") }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { rest in
                write(descriptor, rest.baseAddress?.advanced(by: written), rest.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            written += count
        }
        let isComplete = written == bytes.count && fsync(descriptor) == 0
        let problem = failure("cannot write \(path)")
        close(descriptor)
        guard isComplete, rename(temporary, path) == 0 else {
            unlink(temporary)
            throw problem
        }
        let folder = open(parent(of: path), O_RDONLY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func read(_ descriptor: Int32, atMost limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < limit {
            let count = Glibc.read(descriptor, &buffer, min(buffer.count, limit - bytes.count))
            if count < 0, errno == EINTR { continue }
            if count < 0 { return nil }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return bytes
    }

    private static func failure(_ what: String) -> ChatError {
        let reason = errno
        let isFull = reason == ENOSPC || reason == EDQUOT
        return ChatError(
            isFull ? .diskFull : .storageFailed, "\(what): \(String(cString: strerror(reason)))", isRetryable: isFull)
    }
}
