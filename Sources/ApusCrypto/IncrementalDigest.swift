// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL

/// A digest of bytes that come piece by piece, as those of a file.
// A class, since the state belongs to the library; confined to one thread at a time by whoever has it.
package final class IncrementalDigest {
    package let algorithm: HashAlgorithm
    private let context: OpaquePointer?
    private var works = false

    package init(_ algorithm: HashAlgorithm) {
        self.algorithm = algorithm
        context = EVP_MD_CTX_new()
        reset()
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// Begins anew.
    package func reset() {
        works = context != nil && EVP_DigestInit_ex(context, algorithm.evp, nil) == 1
    }

    package func update(_ bytes: UnsafeRawBufferPointer) {
        guard works, !bytes.isEmpty else { return }
        works = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
    }

    package func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// The digest of everything since the beginning, which then begins anew; empty when the library failed.
    package func finish() -> [UInt8] {
        defer { reset() }
        guard works else { return [] }
        return [UInt8](unsafeUninitializedCapacity: algorithm.byteCount) { output, count in
            count = EVP_DigestFinal_ex(context, output.baseAddress, nil) == 1 ? algorithm.byteCount : 0
        }
    }
}
