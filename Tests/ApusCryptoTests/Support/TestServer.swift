// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL
import ApusCrypto

/// The server side of a TLS connection over memory, by the library's own server code.
final class TestServer {
    struct Settings {
        var minimumVersion = TLS1_2_VERSION
        var maximumVersion = TLS1_3_VERSION
        var options: UInt64 = 0
        var ciphersTLS12: String?
        var ciphersTLS13: String?
        /// The application protocol to answer with whatever was offered; nil answers nothing.
        var answeredProtocol: String?
        /// How many tickets to send after a handshake of TLS 1.3.
        var tickets = 2
        /// What tickets are sealed with, 80 bytes; servers with the same keys take up each other's sessions.
        var ticketKeys: [UInt8]?
        /// How much it would take before the handshake is finished.
        var earlyData: UInt32 = 0
    }

    struct SetupFailure: Error {
        var what: String
    }

    let ssl: OpaquePointer
    private let context: OpaquePointer
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    private let answer: UnsafeMutablePointer<[UInt8]>
    private let keyLog: UnsafeMutablePointer<[String]>

    init(_ certificate: TestCertificate, _ settings: Settings = Settings()) throws {
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw SetupFailure(what: "context") }
        self.context = context
        answer = .allocate(capacity: 1)
        answer.initialize(to: settings.answeredProtocol.map { Array($0.utf8) } ?? [])
        keyLog = .allocate(capacity: 1)
        keyLog.initialize(to: [])
        SSL_CTX_set_security_level(context, 0)
        SSL_CTX_set_num_tickets(context, settings.tickets)
        if var keys = settings.ticketKeys {
            SSL_CTX_ctrl(context, SSL_CTRL_SET_TLSEXT_TICKET_KEYS, keys.count, &keys)
        }
        SSL_CTX_set_max_early_data(context, settings.earlyData)
        SSL_CTX_set_keylog_callback(context, logKey)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(settings.minimumVersion), nil)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(settings.maximumVersion), nil)
        SSL_CTX_set_options(context, settings.options)
        if let ciphers = settings.ciphersTLS12 { SSL_CTX_set_cipher_list(context, ciphers) }
        if let ciphers = settings.ciphersTLS13 { SSL_CTX_set_ciphersuites(context, ciphers) }
        if settings.answeredProtocol != nil { SSL_CTX_set_alpn_select_cb(context, selectProtocol, answer) }
        guard let ssl = SSL_new(context), let incoming = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem())
        else { throw SetupFailure(what: "session") }
        self.ssl = ssl
        SSL_set_ex_data(ssl, 0, keyLog)
        self.incoming = incoming
        self.outgoing = outgoing
        BIO_ctrl(incoming, BIO_C_SET_BUF_MEM_EOF_RETURN, -1, nil)
        BIO_ctrl(outgoing, BIO_C_SET_BUF_MEM_EOF_RETURN, -1, nil)
        SSL_set_bio(ssl, incoming, outgoing)
        SSL_set_accept_state(ssl)
        guard SSL_use_certificate_chain_file(ssl, certificate.certificateFile) == 1,
            SSL_use_PrivateKey_file(ssl, certificate.keyFile, SSL_FILETYPE_PEM) == 1
        else { throw SetupFailure(what: "certificate") }
        for file in certificate.chainFiles {
            guard let stream = BIO_new_file(file, "r"), let parent = PEM_read_bio_X509(stream, nil, nil, nil)
            else { throw SetupFailure(what: "chain") }
            BIO_free(stream)
            SSL_ctrl(ssl, SSL_CTRL_CHAIN_CERT, 0, UnsafeMutableRawPointer(parent))
        }
        ERR_clear_error()
    }

    deinit {
        SSL_free(ssl)
        SSL_CTX_free(context)
        answer.deinitialize(count: 1)
        answer.deallocate()
        keyLog.deinitialize(count: 1)
        keyLog.deallocate()
    }

    /// Takes bytes of the client; gives back what they decrypt to.
    @discardableResult
    func receive(_ bytes: [UInt8]) -> [UInt8] {
        if !bytes.isEmpty { BIO_write(incoming, bytes, Int32(bytes.count)) }
        var plaintext: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 20000)
        while true {
            var count = 0
            guard SSL_read_ex(ssl, &chunk, chunk.count, &count) == 1 else { break }
            plaintext += chunk.prefix(count)
        }
        ERR_clear_error()
        return plaintext
    }

    func write(_ bytes: [UInt8]) {
        var count = 0
        SSL_write_ex(ssl, bytes, bytes.count, &count)
    }

    /// Sends the closing alert.
    func close() { SSL_shutdown(ssl) }

    /// What is to be sent to the client.
    func takeOutput() -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 20000)
        while case let count = BIO_read(outgoing, &chunk, Int32(chunk.count)), count > 0 {
            bytes += chunk.prefix(Int(count))
        }
        return bytes
    }

    var hasFinishedHandshake: Bool { SSL_is_init_finished(ssl) == 1 }
    var hasReceivedClose: Bool { SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN != 0 }
    var serverName: String? { SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) } }

    /// Asks for new keys, and for the client's too if `requesting`.
    func updateKeys(requesting: Bool) {
        SSL_key_update(ssl, requesting ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED)
        SSL_do_handshake(ssl)
        ERR_clear_error()
    }

    /// Asks the client for a new handshake (TLS 1.2).
    func requestRenegotiation() {
        SSL_renegotiate(ssl)
        SSL_do_handshake(ssl)
        ERR_clear_error()
    }

    /// The secret that the server's records are protected with after a handshake of TLS 1.3.
    var trafficSecret: [UInt8]? {
        guard let line = keyLog.pointee.first(where: { $0.hasPrefix("SERVER_TRAFFIC_SECRET_0 ") }),
            let digits = line.split(separator: " ").last.map({ Array($0) })
        else { return nil }
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
    }

    func exportedKey(label: String, count: Int) -> [UInt8] {
        var value = [UInt8](repeating: 0, count: count)
        SSL_export_keying_material(ssl, &value, count, label, label.utf8.count, [], 0, 1)
        return value
    }

    /// The client's Finished message of the last handshake.
    var clientFinished: [UInt8] {
        var value = [UInt8](repeating: 0, count: 64)
        let count = SSL_get_peer_finished(ssl, &value, 64)
        return Array(value.prefix(count))
    }
}

private func logKey(_ ssl: OpaquePointer?, _ line: UnsafePointer<CChar>?) {
    guard let log = SSL_get_ex_data(ssl, 0)?.assumingMemoryBound(to: [String].self), let line else { return }
    log.pointee.append(String(cString: line))
}

private func selectProtocol(
    _: OpaquePointer?, _ output: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ count: UnsafeMutablePointer<UInt8>?,
    _: UnsafePointer<UInt8>?, _: UInt32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let answer = context?.assumingMemoryBound(to: [UInt8].self) else { return SSL_TLSEXT_ERR_NOACK }
    let bytes = answer.pointee
    // The array outlives the handshake, and its storage does not move while nobody changes it.
    output?.pointee = bytes.withUnsafeBufferPointer { $0.baseAddress }
    count?.pointee = UInt8(truncatingIfNeeded: bytes.count)
    return SSL_TLSEXT_ERR_OK
}
