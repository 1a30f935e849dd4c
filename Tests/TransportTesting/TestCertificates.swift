// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL
import Foundation

/// An authority and certificates of it, made once per run by the `openssl` program.
package struct TestCertificates: Sendable {
    package static let shared = TestCertificates()

    package let folder: String
    package var authorityFile: String { "\(folder)/ca.pem" }

    package init() {
        folder = NSTemporaryDirectory() + "apus-transport-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=Test"
                + " -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign"
                + " -keyout \(folder)/ca.key -out \(authorityFile)")
    }

    /// The files of a certificate for `names` (`DNS:…`, `IP:…`), signed by the authority or by itself.
    ///
    /// An expired one ended yesterday.
    package func make(
        _ names: String, selfSigned: Bool = false, isExpired: Bool = false
    ) -> (chain: String, key: String) {
        let name = "\(folder)/\(UInt64.random(in: 0 ... .max))"
        if isExpired {
            openssl(
                "req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=server"
                    + " -addext basicConstraints=critical,CA:FALSE -addext subjectAltName=\(names)"
                    + " -keyout \(name).key -out \(name).csr")
            openssl(
                "x509 -req -in \(name).csr -CA \(authorityFile) -CAkey \(folder)/ca.key -CAcreateserial -days -1"
                    + " -copy_extensions copy -out \(name).pem")
            return ("\(name).pem", "\(name).key")
        }
        let signer = selfSigned ? "" : " -CA \(authorityFile) -CAkey \(folder)/ca.key"
        openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 20 -subj /CN=server"
                + " -addext basicConstraints=critical,CA:FALSE -addext subjectAltName=\(names)"
                + " -keyout \(name).key -out \(name).pem\(signer)")
        return ("\(name).pem", "\(name).key")
    }

    private func openssl(_ arguments: String) {
        ChildProgram("/usr/bin/openssl", arguments.split(separator: " ").map(String.init))?.wait()
    }
}

/// A server's side of TLS.
// Unchecked: set up in `init` and only read afterwards; OpenSSL counts references under its own locks.
package final class TestTLSContext: @unchecked Sendable {
    package let handle: OpaquePointer?
    /// The one protocol that is answered, in wire form; empty = no answer.
    private let applicationProtocol: [UInt8]

    package init(
        _ names: String, selfSigned: Bool = false, isExpired: Bool = false, applicationProtocol: String? = nil
    ) {
        let files = TestCertificates.shared.make(names, selfSigned: selfSigned, isExpired: isExpired)
        handle = SSL_CTX_new(TLS_server_method())
        self.applicationProtocol = Array((applicationProtocol ?? "").utf8)
        SSL_CTX_use_certificate_chain_file(handle, files.chain)
        SSL_CTX_use_PrivateKey_file(handle, files.key, SSL_FILETYPE_PEM)
        guard applicationProtocol != nil else { return }
        SSL_CTX_set_alpn_select_cb(
            handle,
            { _, chosen, count, _, _, context in
                guard let context, let chosen, let count else { return SSL_TLSEXT_ERR_NOACK }
                let this = Unmanaged<TestTLSContext>.fromOpaque(context).takeUnretainedValue()
                return this.applicationProtocol.withUnsafeBufferPointer { bytes in
                    chosen.pointee = bytes.baseAddress
                    count.pointee = UInt8(bytes.count)
                    return SSL_TLSEXT_ERR_OK
                }
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        SSL_CTX_free(handle)
    }
}
