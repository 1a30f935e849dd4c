// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// Buffers that all channels of a loop share, because only one of them is read or written at a time.
///
/// Owned by the loop's thread. What they hold is gone as soon as the call that filled them returns.
final class LoopBuffers {
    /// Bytes as they came from the socket.
    let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    /// Bytes after decryption.
    let plaintext = TLSBuffer(capacity: 64 * 1024)
    /// Bytes after encryption, on their way to the socket.
    let ciphertext = TLSBuffer(capacity: 32 * 1024)

    deinit {
        input.deallocate()
    }
}
