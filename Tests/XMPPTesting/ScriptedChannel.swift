// SPDX-License-Identifier: Apache-2.0
package import ApusCrypto
package import ApusTransport

/// A channel whose far end is a script instead of a socket. TLS succeeds at once, with bindings of the script's choice.
// Unchecked: like every channel it is used on its loop's thread only; what the script sees goes through its lock.
package final class ScriptedChannel: ByteChannel, @unchecked Sendable {
    package weak var delegate: (any ByteChannelDelegate)? {
        didSet { if delegate != nil { deliverWaiting() } }
    }
    package let endpoint = Endpoint(host: "127.0.0.1", port: 5222)
    package var tlsInformation: TLSInformation?
    package var pendingBytes = 0
    /// What TLS reports once it starts.
    package var information: TLSInformation

    private let loop: EventLoop
    private let onWrite: @Sendable ([UInt8]) -> Void
    private let onEnd: @Sendable () -> Void
    private var waiting: [[UInt8]] = []
    private var isPaused = false
    private var hasEnded = false

    package init(
        loop: EventLoop, information: TLSInformation, onWrite: @escaping @Sendable ([UInt8]) -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) {
        self.loop = loop
        self.information = information
        self.onWrite = onWrite
        self.onEnd = onEnd
    }

    package func write(_ bytes: UnsafeRawBufferPointer) {
        guard !hasEnded, !bytes.isEmpty else { return }
        onWrite(Array(bytes))
    }

    package func startTLS(_ configuration: TLSConfiguration, unread: UnsafeRawBufferPointer) {
        tlsInformation = information
        loop.execute { self.delegate?.channelDidSecure(self.information) }
    }

    package func pauseReading() { isPaused = true }

    package func resumeReading() {
        isPaused = false
        loop.execute { self.deliverWaiting() }
    }

    package func close() {
        guard !hasEnded else { return }
        hasEnded = true
        onEnd()
        loop.execute { self.delegate?.channelDidClose(nil) }
    }

    package func abort() {
        guard !hasEnded else { return }
        hasEnded = true
        delegate = nil
        onEnd()
    }

    // MARK: the side of the script, from any thread

    package func receive(_ bytes: [UInt8]) {
        loop.execute {
            self.waiting.append(bytes)
            self.deliverWaiting()
        }
    }

    package func cut(_ error: TransportError?) {
        loop.execute {
            guard !self.hasEnded else { return }
            self.hasEnded = true
            self.delegate?.channelDidClose(error)
        }
    }

    private func deliverWaiting() {
        while !isPaused, !hasEnded, let delegate, !waiting.isEmpty {
            let bytes = waiting.removeFirst()
            bytes.withUnsafeBytes { delegate.channelDidRead($0) }
        }
    }
}
