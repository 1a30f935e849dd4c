// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import Glibc

extension TCPChannel {
    /// One read of the socket and at most one call of the delegate.
    func readInput() {
        let buffer = loop.buffers.input
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count > 0 {
            guard phase == .open else { return discard(count) }
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            if tls == nil { deliver(bytes) } else { decrypt(bytes) }
        } else if count == 0 {
            inputEnded()
        } else {
            let number = errno
            if number != EAGAIN, number != EINTR { finish(TransportError(number, "\(endpoint)")) }
        }
    }

    /// Input is still taken while closing, or a reset would overtake what was written last; but not without end.
    private func discard(_ count: Int) {
        discarded += count
        if discarded > Self.mostDiscarded { finish(nil) }
    }

    func takeEarlyInput() {
        guard !earlyInput.isEmpty, phase == .open else { return }
        let bytes = earlyInput
        earlyInput = []
        bytes.withUnsafeBytes { decrypt($0) }
    }

    func announceSecure() {
        guard let tlsInformation, !isSecureAnnounced, phase == .open, let delegate else { return }
        isSecureAnnounced = true
        delegate.channelDidSecure(tlsInformation)
    }

    func deliverHeldInput() {
        guard !heldInput.isEmpty, mayDeliver else { return }
        let bytes = heldInput
        heldInput = []
        bytes.withUnsafeBytes { delegate?.channelDidRead($0) }
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) {
        // Without a delegate nobody can end this channel any more.
        guard let delegate else { return abort() }
        delegate.channelDidRead(bytes)
    }

    private func decrypt(_ bytes: UnsafeRawBufferPointer) {
        guard let tls else { return }
        advance(tls) { (plaintext, answer) throws(TLSError) in
            try tls.receive(bytes, plaintext: plaintext, output: answer)
        }
    }

    /// Lets TLS do one step, and does what follows from it.
    func advance(_ tls: TLSSession, _ step: (TLSBuffer, TLSBuffer) throws(TLSError) -> TLSState) {
        let plaintext = loop.buffers.plaintext
        let answer = loop.buffers.ciphertext
        plaintext.removeAll()
        answer.removeAll()
        let wasHandshaking = tls.state == .handshaking || tls.state == .awaitingTrust
        var failure: TLSError?
        do {
            _ = try step(plaintext, answer)
        } catch {
            failure = error
        }
        // Also after a failure: the alert tells the server why.
        send(answer.bytes)
        answer.removeAll()
        if wasHandshaking, tls.state == .established || tls.state == .closedByPeer { secured(tls) }
        hold(plaintext)
        if phase == .open, tls.state == .awaitingTrust { askForTrust() }
        if phase == .open, let failure {
            finish(TransportError(failure))
        } else if phase == .open, tls.state == .closedByPeer {
            hasPeerEnded = true
            if heldInput.isEmpty { endedByPeer() }
        } else if wasHandshaking {
            requestFlush()
        }
    }

    /// Gives decrypted bytes to the delegate or keeps them until it wants some.
    private func hold(_ plaintext: TLSBuffer) {
        defer {
            plaintext.removeAll()
            plaintext.shrink(to: 128 * 1024)
        }
        guard !plaintext.isEmpty, phase == .open else { return }
        if mayDeliver, heldInput.isEmpty {
            delegate?.channelDidRead(plaintext.bytes)
        } else {
            heldInput.append(contentsOf: plaintext.bytes)
            updateInterest()
        }
    }

    private func secured(_ tls: TLSSession) {
        tlsInformation = tls.information
        if let completion = handshakeCompletion {
            handshakeCompletion = nil
            completion(nil)
        } else {
            announceSecure()
        }
    }

    /// close_notify: answered, and the end of the channel.
    func endedByPeer() {
        guard let tls else { return }
        let answer = loop.buffers.ciphertext
        answer.removeAll()
        tls.close(output: answer)
        send(answer.bytes)
        answer.removeAll()
        finish(nil)
    }

    /// The peer's FIN.
    private func inputEnded() {
        guard phase == .open else { return finish(nil) }
        if let tls {
            do {
                try tls.endOfInput()
            } catch {
                return finish(TransportError(error))
            }
        }
        finish(writeError.map { TransportError($0, "\(endpoint)") })
    }
}
