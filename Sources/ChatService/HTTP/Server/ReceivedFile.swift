// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import Glibc

/// The body of a request on its way into a file, which goes with its last owner unless it is kept.
package final class ReceivedFile: Sendable {
    // Unchecked: the digest is used behind the lock alone.
    private struct State: @unchecked Sendable {
        var descriptor: Int32
        var count = 0
        var digest = IncrementalDigest(.sha256)
        var sum: [UInt8]?
        var failure: Int32 = 0
        var isKept = false
    }

    package let path: String
    private let state: Locked<State>

    /// Makes an empty file that nobody else can read; nil when that does not work.
    package init?(path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        self.path = path
        state = Locked(State(descriptor: descriptor))
    }

    deinit {
        let path = path
        state.withLock { state in
            close(state.descriptor)
            if !state.isKept { unlink(path) }
        }
    }

    /// Bytes that have been written.
    package var count: Int { state.withLock { $0.count } }

    /// Why the disk took no more; 0 while it does.
    package var failure: Int32 { state.withLock { $0.failure } }

    /// SHA-256 of everything.
    package var sum: [UInt8] {
        state.withLock { state in
            if let sum = state.sum { return sum }
            let sum = state.digest.finish()
            state.sum = sum
            return sum
        }
    }

    /// Adds bytes; what the disk does not take is noted, and what follows is thrown away.
    package func append(_ bytes: UnsafeRawBufferPointer) {
        state.withLock { state in
            guard state.failure == 0 else { return }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = write(state.descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    state.failure = count < 0 ? errno : ENOSPC
                    return
                }
                rest = rest.dropFirst(count)
            }
            state.digest.update(bytes)
            state.count += bytes.count
        }
    }

    /// Has the disk take what was added; blocks until it has.
    package func flush() { state.withLock { _ = fsync($0.descriptor) } }

    /// Gives it another name, durably, and keeps it.
    package func keep(as other: String) -> Bool {
        state.withLock { state in
            guard state.failure == 0, fsync(state.descriptor) == 0, rename(path, other) == 0 else { return false }
            state.isKept = true
            return true
        }
    }
}
