// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL

extension TLSInformation {
    /// Reads all of it from a connection whose handshake is finished; nil if the peer has no certificate.
    init?(of ssl: OpaquePointer) {
        guard let leaf = SSL_get0_peer_certificate(ssl) else { return nil }
        let certificate = Certificate(leaf)
        let isTLS13 = SSL_version(ssl) >= TLS1_3_VERSION
        let hasExtendedMasterSecret = SSL_ctrl(ssl, SSL_CTRL_GET_EXTMS_SUPPORT, 0, nil) == 1
        self.init(
            protocolVersion: String(cString: SSL_get_version(ssl)),
            isTLS13: isTLS13,
            cipher: SSL_CIPHER_get_name(SSL_get_current_cipher(ssl)).map { String(cString: $0) } ?? "",
            applicationProtocol: selectedProtocol(of: ssl),
            peerCertificate: certificate.der,
            subject: certificate.subject,
            exporter: isTLS13 || hasExtendedMasterSecret ? exporterBinding(of: ssl) : nil,
            serverEndPoint: serverEndPointBinding(of: leaf),
            unique: !isTLS13 && hasExtendedMasterSecret ? uniqueBinding(of: ssl) : nil)
        isResumed = SSL_session_reused(ssl) == 1
    }
}

/// The server's answer to the offered application protocols.
func selectedProtocol(of ssl: OpaquePointer) -> String? {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &name, &count)
    guard let name, count > 0 else { return nil }
    return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
}

/// RFC 9266 §2: the exporter with this label, no context, 32 bytes.
func exporterBinding(of ssl: OpaquePointer) -> [UInt8]? {
    let label = "EXPORTER-Channel-Binding"
    var value = [UInt8](repeating: 0, count: 32)
    // An empty context and none at all are the same in TLS 1.3 and differ in TLS 1.2; RFC 9266 has "zero-length".
    let context: [UInt8] = []
    let done = SSL_export_keying_material(ssl, &value, value.count, label, label.utf8.count, context, 0, 1)
    return done == 1 ? value : nil
}

/// RFC 5929 §4.1: the certificate's digest by the hash function of its signature, SHA-256 in place of MD5 and SHA-1.
func serverEndPointBinding(of certificate: OpaquePointer) -> [UInt8]? {
    var hash: Int32 = 0
    guard X509_get_signature_info(certificate, &hash, nil, nil, nil) == 1, hash != NID_undef else { return nil }
    if hash == NID_md5 || hash == NID_sha1 || hash == NID_md5_sha1 { hash = NID_sha256 }
    guard let name = OBJ_nid2sn(hash), let algorithm = EVP_get_digestbyname(name) else { return nil }
    var value = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    guard X509_digest(certificate, algorithm, &value, &count) == 1 else { return nil }
    return Array(value.prefix(Int(count)))
}

/// RFC 5929 §3.1: the first Finished message of the handshake, the client's unless a session was taken up again.
func uniqueBinding(of ssl: OpaquePointer) -> [UInt8]? {
    var value = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    let count =
        SSL_session_reused(ssl) == 1
        ? SSL_get_peer_finished(ssl, &value, value.count) : SSL_get_finished(ssl, &value, value.count)
    return count > 0 ? Array(value.prefix(count)) : nil
}
