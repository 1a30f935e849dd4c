// SPDX-License-Identifier: Apache-2.0

/// A growable run of bytes that is filled at its end and emptied at its start.
///
/// A thread that drives many TLS sessions needs two of these, one for decrypted bytes and one for bytes to send: the
/// sessions themselves keep none. Not safe for use from two threads at once.
package final class TLSBuffer {
    private var memory: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0

    /// An empty buffer that has room for `capacity` bytes before it grows.
    package init(capacity: Int = 0) {
        memory = capacity > 0 ? .allocate(byteCount: capacity, alignment: 16) : .init(start: nil, count: 0)
    }

    deinit { memory.deallocate() }

    package var count: Int { end - start }
    package var isEmpty: Bool { end == start }
    /// The bytes of memory held.
    package var capacity: Int { memory.count }

    /// The bytes held.
    ///
    /// Valid until the buffer is changed.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[start..<end]) }

    /// Memory for at least `count` bytes behind those held; `commit(_:)` makes what was written there part of them.
    package func reserve(_ count: Int) -> UnsafeMutableRawBufferPointer {
        if memory.count - end < count { makeRoom(count) }
        return UnsafeMutableRawBufferPointer(rebasing: memory[end...])
    }

    package func commit(_ count: Int) {
        end = min(end + count, memory.count)
    }

    package func append(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        reserve(bytes.count).copyMemory(from: bytes)
        end += bytes.count
    }

    /// Drops the first `count` bytes, or all if there are fewer.
    package func removeFirst(_ count: Int) {
        start = min(start + count, end)
        if start == end { removeAll() }
    }

    /// Drops all bytes and keeps the memory.
    package func removeAll() {
        start = 0
        end = 0
    }

    /// Gives memory back if the buffer is empty and holds more than `capacity` bytes of it.
    package func shrink(to capacity: Int = 0) {
        guard isEmpty, memory.count > capacity else { return }
        memory.deallocate()
        memory = capacity > 0 ? .allocate(byteCount: capacity, alignment: 16) : .init(start: nil, count: 0)
    }

    private func makeRoom(_ count: Int) {
        let held = self.count
        if start > 0, memory.count - held >= count, start >= held {
            memory.copyMemory(from: bytes)
        } else {
            let capacity = max(held + count, memory.count * 2, 1024)
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
            larger.copyMemory(from: bytes)
            memory.deallocate()
            memory = larger
        }
        start = 0
        end = held
    }
}
