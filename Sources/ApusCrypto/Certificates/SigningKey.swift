// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL

/// A private key on the curve P-256.
// Unchecked: made once and only read; OpenSSL counts references under its own locks.
package final class SigningKey: @unchecked Sendable {
    let handle: OpaquePointer

    private init(handle: OpaquePointer) { self.handle = handle }

    deinit { EVP_PKEY_free(handle) }

    /// A new one; nil only when the library fails.
    package static func make() -> SigningKey? {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
            EVP_PKEY_keygen(context, &key) == 1, let key
        else { return nil }
        return SigningKey(handle: key)
    }

    /// The key with this number and the point that belongs to it, both as bytes (RFC 5208 around RFC 5915).
    package convenience init?(number: [UInt8], point: [UInt8]) {
        guard number.count == 32, point.count == 65 else { return nil }
        let start: [UInt8] = [
            0x30, 0x81, 0x87, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06,
            0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x04, 0x6D, 0x30, 0x6B, 0x02, 0x01, 0x01, 0x04, 0x20,
        ]
        let bytes = start + number + [0xA1, 0x44, 0x03, 0x42, 0x00] + point
        let key = bytes.withUnsafeBufferPointer { buffer in
            var place = buffer.baseAddress
            return d2i_AutoPrivateKey(nil, &place, buffer.count)
        }
        guard let key else { return nil }
        self.init(handle: key)
    }

    /// Reads what `pem` wrote.
    package convenience init?(pem: String) {
        var text = Array(pem.utf8)
        let key = text.withUnsafeMutableBytes { buffer -> OpaquePointer? in
            guard let memory = BIO_new_mem_buf(buffer.baseAddress, Int32(clamping: buffer.count)) else { return nil }
            defer { BIO_free(memory) }
            return PEM_read_bio_PrivateKey(memory, nil, nil, nil)
        }
        guard let key else { return nil }
        guard EVP_PKEY_get_base_id(key) == EVP_PKEY_EC, EVP_PKEY_get_bits(key) == 256 else {
            EVP_PKEY_free(key)
            return nil
        }
        self.init(handle: key)
    }

    /// The key itself, not encrypted.
    package var pem: String {
        written { PEM_write_bio_PrivateKey($0, handle, nil, nil, 0, nil, nil) }
    }

    /// The public half as an uncompressed point of 65 bytes.
    package var point: [UInt8] {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = Int(i2d_PUBKEY(handle, &bytes))
        guard count >= 65, let bytes else { return [] }
        defer { apus_free(bytes) }
        return Array(UnsafeBufferPointer(start: bytes + (count - 65), count: 65))
    }

    /// An ECDSA signature with SHA-256 as two numbers of 32 bytes (RFC 7518 §3.4).
    package func sign(_ bytes: [UInt8]) -> [UInt8]? {
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, handle) == 1 else { return nil }
        var count = 0
        guard EVP_DigestSign(context, nil, &count, bytes, bytes.count) == 1 else { return nil }
        var der = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context, &der, &count, bytes, bytes.count) == 1 else { return nil }
        let signature = der.withUnsafeBufferPointer { buffer in
            var place = buffer.baseAddress
            return d2i_ECDSA_SIG(nil, &place, count)
        }
        guard let signature else { return nil }
        defer { ECDSA_SIG_free(signature) }
        var raw = [UInt8](repeating: 0, count: 64)
        let isWritten = raw.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return false }
            return BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, 32) == 32
                && BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + 32, 32) == 32
        }
        return isWritten ? raw : nil
    }

    /// What only the two owners of the keys can compute (ECDH); nil when the other point is not on the curve.
    package func agree(with point: [UInt8]) -> [UInt8]? {
        guard point.count == 65, point.first == 4 else { return nil }
        let start: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
            0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
        ]
        let bytes = start + point
        let peer = bytes.withUnsafeBufferPointer { buffer in
            var place = buffer.baseAddress
            return d2i_PUBKEY(nil, &place, buffer.count)
        }
        guard let peer else { return nil }
        defer { EVP_PKEY_free(peer) }
        guard let context = EVP_PKEY_CTX_new(handle, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var secret = [UInt8](repeating: 0, count: 32)
        var count = 32
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, peer) == 1,
            EVP_PKEY_derive(context, &secret, &count) == 1, count == 32
        else { return nil }
        return secret
    }
}

/// What the library writes as text.
func written(_ write: (OpaquePointer?) -> Int32) -> String {
    guard let memory = BIO_new(BIO_s_mem()) else { return "" }
    defer { BIO_free(memory) }
    guard write(memory) == 1 else { return "" }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
        let count = BIO_read(memory, &buffer, Int32(buffer.count))
        guard count > 0 else { break }
        text += buffer[..<Int(count)]
    }
    return String(decoding: text, as: UTF8.self)
}
