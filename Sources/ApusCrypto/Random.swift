// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL

/// `count` bytes from the cryptographic random source.
package func randomBytes(_ count: Int) -> [UInt8] {
    guard count > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { output, filled in
        fillRandom(UnsafeMutableRawBufferPointer(start: output.baseAddress, count: count))
        filled = count
    }
}

/// An unguessable identifier: 128 random bits as 22 characters of URL-safe base64 (RFC 4648 §5).
package func randomToken() -> String {
    String(unsafeUninitializedCapacity: RandomPool.tokenCharacters) { output in
        RandomPool.shared.writeToken(to: output)
        return RandomPool.tokenCharacters
    }
}

/// Appends what `randomToken()` gives to `bytes`, without making a string of it.
package func appendRandomToken(to bytes: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: RandomPool.tokenCharacters) { token in
        RandomPool.shared.writeToken(to: token)
        bytes.append(contentsOf: token)
    }
}

func fillRandom(_ output: UnsafeMutableRawBufferPointer) {
    if RAND_bytes(output.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(clamping: output.count)) == 1 {
        return
    }
    // Without OpenSSL's generator the kernel's is asked directly; it does not fail.
    var system = SystemRandomNumberGenerator()
    for index in output.indices { output[index] = system.next() }
}

/// Random bytes fetched in larger portions, since the generator's cost is per call.
///
/// Owner of the portion: this pool, under its lock. Bytes are wiped as they are handed out.
// Sendable unchecked: the mutable memory is only touched under `lock`.
final class RandomPool: @unchecked Sendable {
    static let shared = RandomPool()
    static let tokenCharacters = 22
    private static let tokenBytes = 16
    private static let portion = 4096
    private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    private let lock = ProcessLock()
    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: portion, alignment: 16)
    private var used = portion

    func writeToken(to output: UnsafeMutableBufferPointer<UInt8>) {
        var high: UInt64 = 0
        var low: UInt64 = 0
        lock.withLock {
            if used + Self.tokenBytes > Self.portion {
                fillRandom(bytes)
                used = 0
            }
            high = bytes.load(fromByteOffset: used, as: UInt64.self)
            low = bytes.load(fromByteOffset: used + 8, as: UInt64.self)
            bytes.storeBytes(of: 0, toByteOffset: used, as: UInt64.self)
            bytes.storeBytes(of: 0, toByteOffset: used + 8, as: UInt64.self)
            used += Self.tokenBytes
        }
        // Ten characters of six bits and one of the four bits that are left, of each half.
        let alphabet = Self.alphabet.utf8Start
        for index in 0..<10 {
            output[index] = alphabet[Int(truncatingIfNeeded: high & 63)]
            output[index + 10] = alphabet[Int(truncatingIfNeeded: low & 63)]
            high >>= 6
            low >>= 6
        }
        output[20] = alphabet[Int(truncatingIfNeeded: high)]
        output[21] = alphabet[Int(truncatingIfNeeded: low)]
    }

    deinit { bytes.deallocate() }
}
