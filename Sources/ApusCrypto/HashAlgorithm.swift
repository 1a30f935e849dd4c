// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL

/// The hash functions the project uses.
package enum HashAlgorithm: Sendable, Hashable, CaseIterable {
    case sha1, sha256, sha384, sha512

    /// The size of a digest in bytes.
    package var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    var evp: OpaquePointer? {
        switch self {
        case .sha1: EVP_sha1()
        case .sha256: EVP_sha256()
        case .sha384: EVP_sha384()
        case .sha512: EVP_sha512()
        }
    }
}

/// The digest of `bytes`.
package func digest(_ algorithm: HashAlgorithm, _ bytes: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBytes { digest(algorithm, $0) }
}

/// The digest of the bytes in memory at `bytes`.
package func digest(_ algorithm: HashAlgorithm, _ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: algorithm.byteCount) { output, count in
        let done = EVP_Digest(bytes.baseAddress, bytes.count, output.baseAddress, nil, algorithm.evp, nil)
        count = done == 1 ? algorithm.byteCount : 0
    }
}

/// The keyed digest of `bytes` (RFC 2104).
package func hmac(_ algorithm: HashAlgorithm, key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: algorithm.byteCount) { output, count in
        let done = HMAC(
            algorithm.evp, key, Int32(clamping: key.count), bytes, bytes.count, output.baseAddress, nil)
        count = done != nil ? algorithm.byteCount : 0
    }
}

/// Derives a key of the digest's size from a password (PBKDF2 with HMAC, RFC 8018 §5.2).
///
/// This blocks the calling thread for as long as `iterations` take, about a millisecond per 2000 of SHA-256: call it
/// away from an event loop. Counts below one are taken as one; the caller checks what a server asked for.
package func pbkdf2(_ algorithm: HashAlgorithm, password: [UInt8], salt: [UInt8], iterations: Int) -> [UInt8] {
    pbkdf2(algorithm, password: password, salt: salt, iterations: iterations, byteCount: algorithm.byteCount)
}

func pbkdf2(
    _ algorithm: HashAlgorithm, password: [UInt8], salt: [UInt8], iterations: Int, byteCount: Int
) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
        let done = password.withUnsafeBytes { password in
            PKCS5_PBKDF2_HMAC(
                password.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: password.count),
                salt, Int32(clamping: salt.count), Int32(clamping: max(iterations, 1)),
                algorithm.evp, Int32(clamping: byteCount), output.baseAddress)
        }
        count = done == 1 ? byteCount : 0
    }
}

/// Whether two byte strings are equal, in a time that depends on their lengths only.
package func constantTimeEquals(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return a.isEmpty || CRYPTO_memcmp(a, b, a.count) == 0
}
