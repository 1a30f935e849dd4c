// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL

/// Encrypts what a push service carries to a browser, which alone can read it (RFC 8291 with RFC 8188).
package enum PushEncryption {
    /// Bytes of a message: with what is added, the 4096 that a push service takes.
    package static let messageLimit = 3993
    private static let recordSize: UInt32 = 4096

    /// The body of the request to the push service; nil when it is too long, or a key of the browser is none.
    ///
    /// Key and salt are new ones for each message; only a test gives them.
    package static func encrypt(
        _ message: [UInt8], receiver: [UInt8], secret: [UInt8], key: SigningKey? = .make(),
        salt: [UInt8] = randomBytes(16)
    ) -> [UInt8]? {
        guard message.count <= messageLimit, secret.count == 16, salt.count == 16, let key,
            let shared = key.agree(with: receiver)
        else { return nil }
        let sender = key.point
        let combined = hmac(.sha256, key: secret, shared)
        let input = hmac(.sha256, key: combined, Array("WebPush: info".utf8) + [0] + receiver + sender + [1])
        let extracted = hmac(.sha256, key: salt, input)
        let content = hmac(.sha256, key: extracted, Array("Content-Encoding: aes128gcm".utf8) + [0, 1]).prefix(16)
        let nonce = hmac(.sha256, key: extracted, Array("Content-Encoding: nonce".utf8) + [0, 1]).prefix(12)
        // One record, so that its last byte says that it is the last one.
        guard let sealed = sealAESGCM(message + [2], key: Array(content), nonce: Array(nonce)) else { return nil }
        let size = withUnsafeBytes(of: recordSize.bigEndian) { Array($0) }
        return salt + size + [UInt8(sender.count)] + sender + sealed
    }
}

/// AES-128 in Galois/Counter mode, with its tag of 16 bytes behind.
func sealAESGCM(_ plain: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
    guard key.count == 16, nonce.count == 12, let context = EVP_CIPHER_CTX_new() else { return nil }
    defer { EVP_CIPHER_CTX_free(context) }
    var sealed = [UInt8](repeating: 0, count: plain.count + 16)
    var (count, more): (Int32, Int32) = (0, 0)
    guard EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce) == 1,
        EVP_EncryptUpdate(context, &sealed, &count, plain, Int32(clamping: plain.count)) == 1,
        EVP_EncryptFinal_ex(context, &sealed[sealed.count - 16], &more) == 1, Int(count) == plain.count, more == 0
    else { return nil }
    let isTagged = sealed.withUnsafeMutableBytes { buffer in
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, buffer.baseAddress?.advanced(by: plain.count)) == 1
    }
    return isTagged ? sealed : nil
}
