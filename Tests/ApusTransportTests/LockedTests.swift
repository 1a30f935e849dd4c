// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Testing

@Suite("Locked")
struct LockedTests {
    @Test("concurrent additions all arrive")
    func additions() async {
        let counter = Locked(0)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10_000 { counter.withLock { $0 += 1 } }
                }
            }
        }
        #expect(counter.withLock { $0 } == 80_000)
    }

    @Test("a value that is wider aligned than the mutex sits at its alignment")
    func alignment() {
        let wide = Locked(SIMD16<Float>(repeating: 1))
        let address = wide.withLock { value in withUnsafeBytes(of: &value) { UInt(bitPattern: $0.baseAddress) } }
        #expect(address % UInt(MemoryLayout<SIMD16<Float>>.alignment) == 0)
        #expect(wide.withLock { $0.sum() } == 16)
    }

    @Test("the value is released with the lock")
    func release() {
        final class Token {}
        weak var token: Token?
        do {
            let made = Token()
            token = made
            let locked = Locked(made)
            #expect(locked.withLock { $0 === made })
        }
        #expect(token == nil)
    }

    @Test("an error of the body comes through and the lock is free afterwards")
    func errors() {
        struct Failure: Error, Equatable {}
        let locked = Locked(1)
        #expect(throws: Failure()) { try locked.withLock { (_: inout Int) throws(Failure) in throw Failure() } }
        #expect(locked.withLock { $0 } == 1)
    }
}
