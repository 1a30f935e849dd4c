// SPDX-License-Identifier: Apache-2.0
package import ApusCrypto

extension TCPChannel {
    package func startTLS(_ configuration: TLSConfiguration, unread: UnsafeRawBufferPointer) {
        guard phase == .open, tls == nil else { return }
        do {
            let session = try TLSSession(configuration)
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
        case .unreadableAuthority, .invalidIdentity: self.init(.tls(error), "\(text).")
        default: self.init(.tls(error), "\(text). The server's operator must repair this.")
        }
    }
}
