// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What a request sends, of a length that is known beforehand.
package struct HTTPBody: Sendable {
    package var byteCount: Int64
    /// Fills the buffer with what begins at the offset, and gives how much that is; nil when it cannot be read.
    ///
    /// On the client's thread, in order, and from the beginning again when the request has to be sent again.
    package var read: @Sendable (_ offset: Int64, _ buffer: UnsafeMutableRawBufferPointer) -> Int?

    package init(
        byteCount: Int64, read: @escaping @Sendable (_ offset: Int64, _ buffer: UnsafeMutableRawBufferPointer) -> Int?
    ) {
        self.byteCount = byteCount
        self.read = read
    }

    package init(_ bytes: [UInt8]) {
        self.init(byteCount: Int64(bytes.count)) { offset, buffer in
            guard let start = Int(exactly: offset), start <= bytes.count else { return nil }
            let count = min(buffer.count, bytes.count - start)
            bytes.withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
            }
            return count
        }
    }

    /// The first bytes of an open file, which has to stay open for as long as the request takes.
    package init(descriptor: Int32, byteCount: Int64) {
        self.init(byteCount: byteCount) { offset, buffer in
            let wanted = Int(min(Int64(buffer.count), byteCount - offset))
            guard wanted > 0 else { return 0 }
            let count = pread(descriptor, buffer.baseAddress, wanted, off_t(offset))
            return count > 0 ? count : nil
        }
    }
}
