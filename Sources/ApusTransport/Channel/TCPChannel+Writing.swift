// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import Glibc

extension TCPChannel {
    /// How much encrypted output waits for the kernel before the rest is left unencrypted.
    private static let encryptedLimit = 128 * 1024
    /// How much is encrypted at once: four full records.
    private static let encryptedPiece = 64 * 1024

    package func write(_ bytes: UnsafeRawBufferPointer) {
        guard phase == .open, writeError == nil, !bytes.isEmpty else { return }
        if tls == nil {
            send(bytes)
            if !output.isEmpty { updateInterest() }
        } else {
            plainOutput.append(bytes)
            requestFlush()
        }
    }

    /// Gives bytes to the kernel; what it does not take is queued.
    func send(_ bytes: UnsafeRawBufferPointer) {
        guard phase != .closed, writeError == nil, !bytes.isEmpty else { return }
        guard output.isEmpty else { return output.append(bytes) }
        let taken = sendNow(bytes)
        if taken < bytes.count, writeError == nil {
            output.append(UnsafeRawBufferPointer(rebasing: bytes[taken...]))
        }
    }

    /// The socket takes more.
    func writeOutput() {
        guard phase != .closed, !output.isEmpty else { return updateInterest() }
        output.removeFirst(sendNow(output.bytes))
        guard output.isEmpty else { return }
        output.shrink(to: 4096)
        if plainOutput.isEmpty {
            if phase == .open { delegate?.channelDidDrain() }
            sendEnd()
        } else {
            encryptOutput()
            sendEnd()
        }
        updateInterest()
    }

    /// Encrypts what is pending, in as few records as it fits in.
    func encryptOutput() {
        guard let tls, !plainOutput.isEmpty, phase != .closed, writeError == nil else { return }
        guard tls.state == .established || tls.state == .closedByPeer else { return }
        let records = loop.buffers.ciphertext
        while !plainOutput.isEmpty, output.count < TCPChannel.encryptedLimit, writeError == nil {
            let piece = UnsafeRawBufferPointer(rebasing: plainOutput.bytes.prefix(TCPChannel.encryptedPiece))
            records.removeAll()
            do {
                try tls.write(piece, output: records)
            } catch {
                return failLater(TransportError(error))
            }
            send(records.bytes)
            plainOutput.removeFirst(piece.count)
        }
        records.removeAll()
        records.shrink(to: 128 * 1024)
        guard plainOutput.isEmpty else { return }
        plainOutput.shrink(to: 4096)
        if output.isEmpty, phase == .open { delegate?.channelDidDrain() }
    }

    /// After `close`: close_notify and the end of TCP, once everything before is with the kernel.
    func sendEnd() {
        guard phase == .closing else { return }
        if let tls, writeError == nil, tls.state == .established || tls.state == .closedByPeer {
            guard plainOutput.isEmpty else { return }
            let alert = loop.buffers.ciphertext
            alert.removeAll()
            tls.close(output: alert)
            send(alert.bytes)
            alert.removeAll()
        }
        guard output.isEmpty, !hasSentEnd else { return }
        hasSentEnd = true
        if writeError != nil || shutdown(descriptor, Int32(SHUT_WR)) != 0 { finish(nil) }
    }

    private func sendNow(_ bytes: UnsafeRawBufferPointer) -> Int {
        let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        if count >= 0 { return count }
        let number = errno
        if number == EAGAIN || number == EINTR { return 0 }
        // What the peer said before it went is still to be read; the end follows.
        writeError = number
        output.removeAll()
        plainOutput.removeAll()
        return 0
    }
}
