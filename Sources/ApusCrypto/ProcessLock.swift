// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL

/// A lock on OpenSSL's own primitive, a heap object of the system's thread library, which the thread sanitizer sees.
// Sendable unchecked: the handle never changes and the library made it for use from any thread.
final class ProcessLock: @unchecked Sendable {
    private let handle = CRYPTO_THREAD_lock_new()

    /// Runs `body` while no other thread runs one under this lock.
    ///
    /// Not recursive; `body` must not wait.
    func withLock<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        CRYPTO_THREAD_write_lock(handle)
        defer { CRYPTO_THREAD_unlock(handle) }
        return try body()
    }

    deinit { CRYPTO_THREAD_lock_free(handle) }
}
