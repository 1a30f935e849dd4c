// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL

extension TLSClientCertificate {
    /// Reads both files into a session, which costs about a millisecond.
    ///
    /// A key behind a pass phrase is refused: nobody is there to ask for it.
    func use(in ssl: OpaquePointer) throws(TLSError) {
        defer { ERR_clear_error() }
        SSL_set_default_passwd_cb(ssl) { _, _, _, _ in -1 }
        guard SSL_use_certificate_chain_file(ssl, certificateFile) == 1 else {
            throw TLSError(
                .unreadableClientCertificate(certificateFile),
                "the client certificate \(certificateFile) cannot be read as a certificate in PEM form")
        }
        guard SSL_use_PrivateKey_file(ssl, keyFile, SSL_FILETYPE_PEM) == 1 else {
            throw TLSError(
                .unreadableClientCertificate(keyFile),
                "the key \(keyFile) of the client certificate cannot be read, or belongs to another certificate;"
                    + " it must be in PEM form without a pass phrase")
        }
        guard SSL_check_private_key(ssl) == 1 else {
            throw TLSError(
                .unreadableClientCertificate(keyFile), "the key \(keyFile) belongs to another client certificate")
        }
    }
}
