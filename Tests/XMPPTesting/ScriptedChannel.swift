// SPDX-License-Identifier: Apache-2.0
package import ApusCrypto
package import ApusTransport

/// A channel whose far end is a script instead of a socket. TLS succeeds at once, with bindings of the script's choice.
// Unchecked: like every channel it is used on its loop's thread only; what the script sees goes through its lock.
package final class ScriptedChannel: ByteChannel, @unchecked Sendable {
    package weak var delegate: (any ByteChannelDelegate)? {
        didSet { if delegate != nil { deliverWaiting() } }
    }
    package let endpoint: Endpoint
    package var tlsInformation: TLSInformation?
    package var pendingBytes = 0
    /// What TLS reports once it starts.
    package var information: TLSInformation

    private let loop: EventLoop
    private let onWrite: @Sendable ([UInt8]) -> Void
    private let onEnd: @Sendable () -> Void
    /// Told whether the session wants to read, and which bytes it hands on to TLS.
    package var onPause: (@Sendable (Bool) -> Void)?
    package var onTLS: (@Sendable ([UInt8]) -> Void)?
    private var waiting: [[UInt8]] = []
    private var isPaused = false
    private var hasEnded = false

    package init(
        loop: EventLoop, information: TLSInformation, endpoint: Endpoint = Endpoint(host: "127.0.0.1", port: 5222),
        onWrite: @escaping @Sendable ([UInt8]) -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) {
        self.loop = loop
        self.information = information
        self.endpoint = endpoint
        self.onWrite = onWrite
        self.onEnd = onEnd
    }

    package func write(_ bytes: UnsafeRawBufferPointer) {
        guard !hasEnded, !bytes.isEmpty else { return }
        onWrite(Array(bytes))
    }

    package func startTLS(_ configuration: TLSConfiguration, unread: UnsafeRawBufferPointer) {
        tlsInformation = information
        onTLS?(Array(unread))
        loop.execute { self.delegate?.channelDidSecure(self.information) }
    }

    package func pauseReading() {
        isPaused = true
        onPause?(true)
    }

    package func resumeReading() {
        isPaused = false
        onPause?(false)
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

    /// Lets the network take nothing, or everything again.
    package func block(_ bytes: Int) async {
        await withCheckedContinuation { continuation in
            loop.execute {
                self.pendingBytes = bytes
                if bytes == 0 { self.delegate?.channelDidDrain() }
                continuation.resume()
            }
        }
    }

    private func deliverWaiting() {
        while !isPaused, !hasEnded, let delegate, !waiting.isEmpty {
            let bytes = waiting.removeFirst()
            bytes.withUnsafeBytes { delegate.channelDidRead($0) }
        }
    }
}
