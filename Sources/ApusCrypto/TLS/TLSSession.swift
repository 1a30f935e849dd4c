// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL

/// How far a session is.
package enum TLSState: Sendable, Hashable {
    /// The handshake goes on; more bytes of the server are needed.
    case handshaking
    /// The certificate was refused, and the configuration's decider is to say whether it holds all the same.
    case awaitingTrust
    /// Application bytes may be written and are read.
    case established
    /// The server sent the closing alert: nothing more will be read. Writing is still possible.
    case closedByPeer
    /// An error was thrown; the session is of no more use.
    case failed
}

/// The client side of one TLS connection: bytes in, bytes out, no socket.
///
/// The owner moves bytes between the network and this object. Every method takes the buffer that bytes to send are
/// appended to; it must be sent also after an error, since it may hold the alert that tells the server why. The
/// session keeps no buffer of its own between calls, save a record that has arrived in part. It is confined to one
/// thread at a time (or one serial executor) and never waits.
package final class TLSSession {
    /// How far the session is.
    package private(set) var state = TLSState.handshaking

    private let ssl: OpaquePointer
    private let wire: UnsafeMutablePointer<TLSWire>
    private var handshakeBytes = 0
    private var hasSentClose = false
    /// What came while somebody decides.
    private var heldInput: [UInt8] = []

    /// The most bytes of plaintext in one record (RFC 8446 §5.1).
    package static let recordBytes = 16384
    /// The most bytes that a server may spend on a handshake.
    static let handshakeBytesLimit = 256 * 1024

    /// Prepares a session; nothing is sent until `start(output:)`.
    ///
    /// - Throws: `unreadableAuthority` or `invalidIdentity`. The first session of a trust set reads its files, which
    ///   blocks for some milliseconds.
    package init(_ configuration: TLSConfiguration) throws(TLSError) {
        let configuration = try configuration.validated()
        let context = try TLSContext.shared(for: configuration.trust)
        ERR_clear_error()
        guard let ssl = SSL_new(context.handle), let stream = BIO_new(TLSWire.method) else {
            throw TLSError(.handshake("no session"), "the TLS library could not be set up")
        }
        self.ssl = ssl
        wire = .allocate(capacity: 1)
        wire.initialize(to: TLSWire(configuration))
        BIO_set_data(stream, wire)
        SSL_set_bio(ssl, stream, stream)
        SSL_set_ex_data(ssl, 0, wire)
        SSL_set_connect_state(ssl)
        if configuration.sendsServerName, case .domain(let name) = configuration.identity {
            _ = name.withCString { name in
                SSL_ctrl(
                    ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name),
                    UnsafeMutableRawPointer(mutating: name))
            }
        }
        if let tickets = configuration.tickets {
            SSL_clear_options(ssl, apus_tls_no_ticket())
            if let earlier = tickets.take(for: configuration) {
                SSL_set_session(ssl, earlier)
                SSL_SESSION_free(earlier)
            }
        }
        if let certificate = configuration.clientCertificate { try certificate.use(in: ssl) }
        let protocols = configuration.encodedProtocols
        if !protocols.isEmpty {
            SSL_set_alpn_protos(ssl, protocols, UInt32(protocols.count))
            apus_set_extension_callback(ssl, noteExtension)
        }
    }

    deinit {
        // A lost connection spoils no ticket (RFC 8446 §6.1); the library would have it so.
        if state == .established || state == .closedByPeer { SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN) }
        SSL_free(ssl)
        wire.deinitialize(count: 1)
        wire.deallocate()
    }

    /// Begins the handshake: appends the client's first message to `output`.
    package func start(output: TLSBuffer) throws(TLSError) {
        try receive(UnsafeRawBufferPointer(start: nil, count: 0), plaintext: output, output: output)
    }

    /// Takes all of `ciphertext`, which came from the server, and appends what it decrypts to to `plaintext`.
    ///
    /// `plaintext` grows by no more than the ciphertext and one record. After an error it holds what was decrypted
    /// before the fault.
    ///
    /// - Returns: the state after these bytes. `handshaking` means that more are needed.
    @discardableResult
    package func receive(
        _ ciphertext: UnsafeRawBufferPointer, plaintext: TLSBuffer, output: TLSBuffer
    ) throws(TLSError) -> TLSState {
        if state == .awaitingTrust {
            try hold(ciphertext)
            return state
        }
        guard state == .handshaking || state == .established else { return state }
        wire.pointee.input = ciphertext.baseAddress?.assumingMemoryBound(to: UInt8.self)
        wire.pointee.inputCount = ciphertext.count
        wire.pointee.output = Unmanaged.passUnretained(output)
        defer { leaveWire() }
        ERR_clear_error()
        if state == .handshaking {
            try continueHandshake(with: ciphertext.count)
            if state == .awaitingTrust {
                let rest = UnsafeRawBufferPointer(start: wire.pointee.input, count: wire.pointee.inputCount)
                try hold(rest)
            }
            guard state == .established else { return state }
        }
        let held = plaintext.count
        while true {
            let room = plaintext.reserve(Self.recordBytes)
            var count = 0
            let result = SSL_read_ex(ssl, room.baseAddress, room.count, &count)
            if result == 1 {
                plaintext.commit(count)
                continue
            }
            switch SSL_get_error(ssl, result) {
            case SSL_ERROR_WANT_READ:
                // The library lets go of its read buffer after data only; tickets and key updates would leave it.
                if plaintext.count == held { SSL_free_buffers(ssl) }
                return state
            case SSL_ERROR_ZERO_RETURN:
                state = .closedByPeer
                return state
            default:
                throw failure(.records)
            }
        }
    }

    /// Why the certificate was refused, in the state `awaitingTrust`.
    package var refusal: TLSError? { state == .awaitingTrust ? wire.pointee.refusal : nil }

    /// Goes on with the handshake that waits for a decision, as `receive` does; without effect in any other state.
    ///
    /// - Throws: the refusal when the certificate is not accepted, else what `receive` throws.
    @discardableResult
    package func decide(
        accepts: Bool, plaintext: TLSBuffer, output: TLSBuffer
    ) throws(TLSError) -> TLSState {
        guard state == .awaitingTrust else { return state }
        state = .handshaking
        wire.pointee.decision = accepts
        let bytes = heldInput
        heldInput = []
        let result = bytes.withUnsafeBytes { bytes -> Result<TLSState, TLSError> in
            do throws(TLSError) {
                return .success(try receive(bytes, plaintext: plaintext, output: output))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func hold(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
        heldInput.append(contentsOf: bytes)
        guard heldInput.count <= Self.handshakeBytesLimit else {
            state = .failed
            throw TLSError(.flood, "\(wire.pointee.configuration.name) does not come to an end with the TLS handshake")
        }
    }

    /// Encrypts all of `plaintext` and appends the records to `output`.
    ///
    /// Up to 16 KiB make one record, so what is pending should be joined before this is called.
    package func write(_ plaintext: UnsafeRawBufferPointer, output: TLSBuffer) throws(TLSError) {
        guard state == .established || state == .closedByPeer, !hasSentClose else {
            throw TLSError(.notEstablished, "the TLS connection with \(wire.pointee.configuration.name) is not open")
        }
        wire.pointee.output = Unmanaged.passUnretained(output)
        defer { leaveWire() }
        ERR_clear_error()
        var rest = plaintext[...]
        while !rest.isEmpty {
            let record = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.recordBytes))
            var count = 0
            let result = SSL_write_ex(ssl, record.baseAddress, record.count, &count)
            guard result == 1 else { throw failure(.records) }
            rest = rest.dropFirst(count)
        }
    }

    /// Appends the closing alert to `output`, once; writing is over.
    ///
    /// Does nothing before the handshake is finished.
    package func close(output: TLSBuffer) {
        guard state == .established || state == .closedByPeer, !hasSentClose else { return }
        hasSentClose = true
        wire.pointee.output = Unmanaged.passUnretained(output)
        defer { leaveWire() }
        ERR_clear_error()
        SSL_shutdown(ssl)
        ERR_clear_error()
    }

    /// To be called when the network says that no more bytes will come.
    ///
    /// - Throws: `closedUncleanly` unless the server's closing alert was read before (RFC 8446 §6.1), and
    ///   `closedInHandshake` if there is no connection yet. Returns after a clean end and after an earlier error.
    package func endOfInput() throws(TLSError) {
        let name = wire.pointee.configuration.name
        switch state {
        case .closedByPeer, .failed:
            return
        case .handshaking, .awaitingTrust:
            state = .failed
            throw TLSError(.closedInHandshake, "\(name) closed the connection during the TLS handshake")
        case .established:
            state = .failed
            throw TLSError(
                .closedUncleanly, "the connection with \(name) ended without the closing message of TLS")
        }
    }

    /// What was agreed on; nil before the handshake is finished.
    ///
    /// Read anew at each call.
    package var information: TLSInformation? {
        state == .established || state == .closedByPeer ? TLSInformation(of: ssl) : nil
    }

    private func continueHandshake(with count: Int) throws(TLSError) {
        let result = SSL_do_handshake(ssl)
        guard result != 1 else { return try finishHandshake() }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: break
        case SSL_ERROR_WANT_RETRY_VERIFY:
            state = .awaitingTrust
            return
        default: throw failure(.handshake)
        }
        handshakeBytes += count
        if handshakeBytes > Self.handshakeBytesLimit {
            state = .failed
            throw TLSError(.flood, "\(wire.pointee.configuration.name) does not come to an end with the TLS handshake")
        }
    }

    private func finishHandshake() throws(TLSError) {
        let configuration = wire.pointee.configuration
        if let answer = selectedProtocol(of: ssl), !configuration.applicationProtocols.contains(answer) {
            state = .failed
            throw .foreignProtocol(answer, configuration)
        }
        wire.pointee.controlMessages = ControlMessageBudget()
        state = .established
    }

    private func failure(_ phase: TLSPhase) -> TLSError {
        state = .failed
        let wire = wire.pointee
        if wire.controlMessages.isExceeded {
            ERR_clear_error()
            return TLSError(.flood, "\(wire.configuration.name) floods the TLS connection with control messages")
        }
        return wire.refusal ?? TLSError(queued: phase, name: wire.configuration.name)
    }

    private func leaveWire() {
        wire.pointee.input = nil
        wire.pointee.inputCount = 0
        wire.pointee.output = nil
    }
}
