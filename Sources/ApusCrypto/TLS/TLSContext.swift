// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL

/// The library's settings and trusted authorities, shared by all sessions of one trust set.
// Sendable unchecked: the library locks a context itself, and it is not changed after `init`.
final class TLSContext: @unchecked Sendable {
    let handle: OpaquePointer

    private init(_ key: TrustKey) throws(TLSError) {
        ERR_clear_error()
        guard let handle = SSL_CTX_new(TLS_client_method()) else {
            throw TLSError(.handshake("no context"), "the TLS library could not be set up")
        }
        self.handle = handle
        SSL_CTX_clear_options(handle, apus_tls_forbidden_options())
        SSL_CTX_set_options(handle, apus_tls_client_options())
        SSL_CTX_ctrl(handle, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        SSL_CTX_ctrl(handle, SSL_CTRL_SET_MAX_PROTO_VERSION, 0, nil)
        SSL_CTX_set_security_level(handle, 2)
        SSL_CTX_set_cipher_list(handle, Self.cipherList)
        // Nothing is kept here: a context serves many accounts.
        SSL_CTX_ctrl(
            handle, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL), nil)
        SSL_CTX_sess_set_new_cb(handle, keepSession)
        SSL_CTX_ctrl(
            handle, SSL_CTRL_MODE,
            Int(
                SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
                    | SSL_MODE_AUTO_RETRY), nil)
        SSL_CTX_ctrl(handle, SSL_CTRL_SET_READ_AHEAD, 1, nil)
        SSL_CTX_set_verify(handle, SSL_VERIFY_PEER, nil)
        SSL_CTX_set_verify_depth(handle, 10)
        SSL_CTX_set_cert_verify_callback(handle, verifyServerCertificate, nil)
        SSL_CTX_set_info_callback(handle, noteHandshakeStep)
        let parameters = SSL_CTX_get0_param(handle)
        X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SSL_SERVER)
        X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(Certificate.nameCheckFlags))
        if key.trust.usesSystemRoots { SSL_CTX_set_default_verify_paths(handle) }
        for file in key.trust.authorityFiles where SSL_CTX_load_verify_file(handle, file) != 1 {
            ERR_clear_error()
            throw TLSError(
                .unreadableAuthority(file), "the authority file \(file) cannot be read as certificates in PEM form")
        }
    }

    deinit { SSL_CTX_free(handle) }

    /// Forward secret suites with authenticated encryption; those of TLS 1.3 are all of this kind.
    private static let cipherList = [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384",
        "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305",
    ].joined(separator: ":")

    private static let lock = ProcessLock()
    // nonisolated(unsafe): read and written under `lock` only.
    nonisolated(unsafe) private static var contexts: [TrustKey: TLSContext] = [:]

    /// The context for a trust set, made at its first use; an authority file is read again when it has changed.
    static func shared(for trust: TLSTrust) throws(TLSError) -> TLSContext {
        let key = TrustKey(trust)
        return try lock.withLock { () throws(TLSError) -> TLSContext in
            if let context = contexts[key] { return context }
            let context = try TLSContext(key)
            contexts = contexts.filter { $0.key.trust != key.trust }
            contexts[key] = context
            return context
        }
    }
}

/// What decides whether two trust sets can share a context.
///
/// Pins do not: they are checked by each session.
private struct TrustKey: Hashable {
    var trust: TLSTrust
    var stamps: [FileStamp]

    init(_ trust: TLSTrust) {
        self.trust = trust
        self.trust.pinnedCertificates = []
        self.trust.pinnedKeys = []
        stamps = trust.authorityFiles.map(FileStamp.init)
    }
}
