// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL
import ApusCrypto

/// Makes records of TLS 1.3 that the library would not send (RFC 8446 §5.2), with TLS_AES_128_GCM_SHA256.
struct RecordForge {
    private let key: [UInt8]
    private let vector: [UInt8]
    private var sequence: UInt64 = 0

    /// Records under a traffic secret with which nothing has been sent yet.
    init(trafficSecret: [UInt8]) {
        func expand(_ label: String, _ count: Int) -> [UInt8] {
            let full = Array("tls13 \(label)".utf8)
            let information = [0, UInt8(count), UInt8(full.count)] + full + [0, 1]
            return Array(hmac(.sha256, key: trafficSecret, information).prefix(count))
        }
        key = expand("key", 16)
        vector = expand("iv", 12)
    }

    mutating func record(_ content: [UInt8], type: UInt8 = 23, padding: Int = 0) -> [UInt8] {
        let plain = content + [type] + [UInt8](repeating: 0, count: padding)
        let size = plain.count + 16
        let header: [UInt8] = [23, 3, 3, UInt8(size >> 8), UInt8(size & 255)]
        var nonce = vector
        for index in 0..<8 { nonce[11 - index] ^= UInt8(truncatingIfNeeded: sequence >> UInt64(8 * index)) }
        sequence += 1
        var sealed = [UInt8](repeating: 0, count: plain.count)
        var tag = [UInt8](repeating: 0, count: 16)
        var count: Int32 = 0
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce)
        EVP_EncryptUpdate(context, nil, &count, header, 5)
        EVP_EncryptUpdate(context, &sealed, &count, plain, Int32(plain.count))
        EVP_EncryptFinal_ex(context, nil, &count)
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag)
        return header + sealed + tag
    }
}
