// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import Glibc

/// Something to send as a file (XEP-0363, XEP-0234).
public enum FileSource: Sendable, Hashable {
    /// A file on the disk, by its path.
    case file(String)
    /// Bytes in memory.
    case bytes([UInt8])

    /// The last part of the path, nil for bytes.
    public var name: String? {
        guard case .file(let path) = self else { return nil }
        return path.split(separator: "/").last.map(String.init)
    }
}

/// A source that is open: its size is known and stays, and what was read of it can be compared with that.
final class OpenedSource: Sendable {
    /// The digest of what was read in order, from the beginning.
    private struct Reading {
        var digest = IncrementalDigest(.sha256)
        var count: Int64 = 0
    }

    let byteCount: Int64
    private let descriptor: Int32
    private let bytes: [UInt8]
    private let changed: Int64
    private let reading = Locked(Reading())

    init(_ source: FileSource) throws(XMPPError) {
        switch source {
        case .bytes(let bytes):
            self.bytes = bytes
            byteCount = Int64(bytes.count)
            descriptor = -1
            changed = 0
        case .file(let path):
            bytes = []
            // Opening a pipe would wait for a writer.
            let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard file >= 0 else {
                throw XMPPError(.fileUnusable, "the file cannot be opened: \(String(cString: strerror(errno)))")
            }
            var status = stat()
            guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                close(file)
                throw XMPPError(.fileUnusable, "that is no file")
            }
            descriptor = file
            byteCount = Int64(status.st_size)
            changed = Self.stamp(status)
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The body of a request; its digest is kept on the way.
    var body: HTTPBody {
        let inner = descriptor >= 0 ? HTTPBody(descriptor: descriptor, byteCount: byteCount) : HTTPBody(bytes)
        return HTTPBody(byteCount: byteCount) { [self] offset, buffer in
            guard let count = inner.read(offset, buffer) else { return nil }
            reading.withLock { reading in
                if offset == 0 { reading = Reading() }
                guard offset == reading.count else { return }
                reading.digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                reading.count += Int64(count)
            }
            return count
        }
    }

    /// The hash of everything, when everything was read in order and the file is still the same.
    func hash() -> ContentHash? {
        guard isUnchanged else { return nil }
        return reading.withLock { reading in
            guard reading.count == byteCount else { return nil }
            defer { reading = Reading() }
            return ContentHash(algorithm: "sha-256", value: reading.digest.finish())
        }
    }

    /// Reads from the file; nil at its end or when it cannot be read.
    func read(at offset: Int64, upTo count: Int) -> [UInt8]? {
        guard offset < byteCount else { return nil }
        let body = body
        var bytes = [UInt8](repeating: 0, count: Int(min(Int64(count), byteCount - offset)))
        var filled = 0
        while filled < bytes.count {
            let more = bytes.withUnsafeMutableBytes { buffer in
                body.read(offset + Int64(filled), UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
            }
            guard let more, more > 0 else { return nil }
            filled += more
        }
        return bytes
    }

    private var isUnchanged: Bool {
        guard descriptor >= 0 else { return true }
        var status = stat()
        return fstat(descriptor, &status) == 0 && Int64(status.st_size) == byteCount && Self.stamp(status) == changed
    }

    private static func stamp(_ status: stat) -> Int64 {
        Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }
}
