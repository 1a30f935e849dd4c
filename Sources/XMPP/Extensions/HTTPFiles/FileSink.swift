// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import Glibc

/// A file as it comes: where its bytes go, and what they turn out to be (XEP-0446 §3).
///
/// Confined to whoever has it; digests belong to the library.
struct FileSink {
    let file: NewFile?
    let expected: FileMetadata?
    private(set) var bytes: [UInt8] = []
    private(set) var count: Int64 = 0
    private var prefix: [UInt8] = []
    private let digests: [IncrementalDigest]
    private var hashes: [ContentHash] = []

    /// Without a file the bytes are kept in memory; `promised` names algorithms of hashes that come later.
    init(file: NewFile?, expected: FileMetadata?, promised: [String] = []) {
        self.file = file
        self.expected = expected
        var algorithms: Set<HashAlgorithm> = [.sha256]
        for name in (expected?.hashes.map(\.algorithm) ?? []) + promised {
            // A weak hash shows nothing against whoever wants to cheat (XEP-0300 §5).
            if let known = HashAlgorithm(hashName: name), known != .sha1 { algorithms.insert(known) }
        }
        digests = algorithms.map { IncrementalDigest($0) }
    }

    /// Forgets what came; false when the file cannot be emptied.
    mutating func clear() -> Bool {
        bytes = []
        prefix = []
        count = 0
        for digest in digests { digest.reset() }
        return file?.clear() ?? true
    }

    /// Takes more; false when it cannot be written.
    mutating func append(_ piece: UnsafeRawBufferPointer) -> Bool {
        prefix += piece.prefix(max(0, FileKind.prefixBytes - prefix.count))
        for digest in digests { digest.update(piece) }
        count += Int64(piece.count)
        guard let file else {
            bytes += piece
            return true
        }
        return file.write(piece)
    }

    /// Checks that what came is what was announced, there or since then.
    mutating func verify(also later: [ContentHash] = []) throws(XMPPError) {
        hashes = digests.map { ContentHash(algorithm: $0.algorithm.hashName, value: $0.finish()) }
        if let declared = expected?.byteCount.map(Int64.init), declared != count {
            throw XMPPError(.contentMismatch, "\(declared) bytes were announced and \(count) came")
        }
        for hash in (expected?.hashes ?? []) + later {
            guard let found = hashes.first(where: { $0.algorithm == hash.algorithm }) else { continue }
            guard constantTimeEquals(found.value, hash.value) else {
                throw XMPPError(.contentMismatch, "the file is not the one that was announced: its hash is another")
            }
        }
    }

    /// What came, after ``verify(also:)``.
    func result(_ path: String, announcedType: String?) -> DownloadedFile {
        DownloadedFile(
            path: path, byteCount: count,
            hash: hashes.first { $0.algorithm == "sha-256" } ?? ContentHash(algorithm: "sha-256", value: []),
            kind: FileKind(of: prefix), announcedType: announcedType)
    }
}

/// A file that is being written beside the place where it is to be; it vanishes unless it settles there.
///
/// Owner of its state: whoever writes, one at a time; the descriptor is set once.
final class NewFile: Sendable {
    private let path: String
    private let partPath: String
    private let descriptor: Int32
    /// It is in its place, or gone.
    private let isDone = Locked(false)

    init(beside path: String) throws(XMPPError) {
        self.path = path
        partPath = "\(path).\(randomToken().prefix(8)).part"
        // Nobody else's file, no link to one, and nobody else reads it.
        descriptor = open(partPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("written") }
        guard access(path, F_OK) != 0 else {
            throw XMPPError(.fileUnusable, "there is something at that place already")
        }
    }

    deinit {
        guard descriptor >= 0 else { return }
        discard()
        close(descriptor)
    }

    /// Takes away what is there, unless it is in its place.
    func discard() {
        let isFirst = isDone.withLock { isDone in
            defer { isDone = true }
            return !isDone
        }
        if isFirst { unlink(partPath) }
    }

    func clear() -> Bool { ftruncate(descriptor, 0) == 0 && lseek(descriptor, 0, SEEK_SET) == 0 }

    func write(_ piece: UnsafeRawBufferPointer) -> Bool {
        var rest = piece
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                return false
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return true
    }

    /// The file is whole: it goes to its place, on the disk for good, unless something came there meanwhile.
    func settle() throws(XMPPError) {
        guard !isDone.withLock({ $0 }) else { throw XMPPError(.fileUnusable, "the file was given up") }
        guard fsync(descriptor) == 0 else { throw Self.failure("written") }
        if link(partPath, path) == 0 {
            unlink(partPath)
        } else if errno == EPERM || errno == ENOTSUP || errno == EMLINK {
            // File systems without hard links.
            guard access(path, F_OK) != 0, rename(partPath, path) == 0 else { throw Self.failure("put in its place") }
        } else {
            throw Self.failure("put in its place")
        }
        isDone.withLock { $0 = true }
    }

    private static func failure(_ what: String) -> XMPPError {
        XMPPError(.fileUnusable, "the file cannot be \(what): \(String(cString: strerror(errno)))")
    }
}
