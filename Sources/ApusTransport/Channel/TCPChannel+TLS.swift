// SPDX-License-Identifier: Apache-2.0
package import ApusCrypto

extension TCPChannel {
    package func startTLS(_ configuration: TLSConfiguration, unread: UnsafeRawBufferPointer) {
        guard phase == .open, tls == nil else { return }
        do {
            let session = try TLSSession(configuration)
            decider = configuration.decider
            tls = session
            let hello = loop.buffers.ciphertext
            hello.removeAll()
            try session.start(output: hello)
            send(hello.bytes)
            hello.removeAll()
            earlyInput.append(contentsOf: unread)
            requestFlush()
        } catch {
            failLater(TransportError(error))
        }
    }

    /// Asks about the certificate that was refused; nothing is read meanwhile, and the loop goes on with other work.
    func askForTrust() {
        guard let refusal = tls?.refusal, let decider, !isAskingTrust else { return }
        isAskingTrust = true
        onTrustQuestion?(true)
        decider.decide(refusal) { [loop, weak self] accepts in
            loop.execute { [weak self] in self?.trustDecided(accepts) }
        }
    }

    private func trustDecided(_ accepts: Bool) {
        guard isAskingTrust, phase == .open, let tls else { return }
        isAskingTrust = false
        onTrustQuestion?(false)
        advance(tls) { (plaintext, answer) throws(TLSError) in
            try tls.decide(accepts: accepts, plaintext: plaintext, output: answer)
        }
        updateInterest()
    }

    /// Makes the handshake before there is a delegate; `completion` comes later, once.
    func startDirectTLS(_ configuration: TLSConfiguration, _ completion: @escaping (TransportError?) -> Void) {
        handshakeCompletion = completion
        startTLS(configuration)
    }
}

extension TransportError {
    /// A failure of TLS with what can be done about it.
    package init(_ error: TLSError) {
        let text = error.summary.prefix(1).uppercased() + error.summary.dropFirst()
        switch error.code {
        case .closedUncleanly: self.init(.truncated, "\(text).")
        case .expired: self.init(.tls(error), "\(text). The server's operator must renew it.")
        case .notYetValid: self.init(.tls(error), "\(text). Is this machine's clock right?")
        case .selfSigned, .unknownAuthority:
            self.init(.tls(error), "\(text). Trust its authority or pin it only if you know this server.")
        case .nameMismatch:
            self.init(.tls(error), "\(text). Check the address; otherwise the server's operator must repair this.")
        case .notPinned:
            self.init(.tls(error), "\(text). Pin the new certificate only if you know why it changed.")
        case .keyNotPinned:
            self.init(.tls(error), "\(text). Pin the new key only if you know that the server's key was to change.")
        case .unreadableAuthority, .unreadableClientCertificate, .invalidIdentity: self.init(.tls(error), "\(text).")
        default: self.init(.tls(error), "\(text). The server's operator must repair this.")
        }
    }
}
