// SPDX-License-Identifier: Apache-2.0
package import ApusCrypto

/// A stream of bytes carried by the messages of a WebSocket (RFC 6455) over TLS.
///
/// What is written becomes masked text frames, what is received is unpacked; a `StreamFraming` says how the messages
/// make up the stream. Pings are answered here.
// Unchecked: confined to the loop's thread; it is Sendable so that it can be handed there.
package final class WebSocketChannel: ByteChannel, ByteChannelDelegate, @unchecked Sendable {
    private enum Phase {
        case opening
        case open
        /// A close frame was sent.
        case closing
        case closed
    }

    package weak var delegate: (any ByteChannelDelegate)? {
        didSet { if delegate != nil { loop.execute { [self] in delegateCame() } } }
    }
    package var endpoint: Endpoint { lower.endpoint }
    package var tlsInformation: TLSInformation? { lower.tlsInformation }
    package var pendingBytes: Int { lower.pendingBytes }

    /// A peer that does not read gets no further answers to its pings.
    private static let pongLimit = 64 * 1024

    private let loop: EventLoop
    private let lower: TCPChannel
    private let framing: any StreamFraming
    private var phase = Phase.opening
    private var handshake: WebSocketHandshake
    private var decoder: WebSocketDecoder
    private var masks = MaskSource()
    private var completion: ((TransportError?) -> Void)?
    /// Frames that came with the handshake's end.
    private var unread: [UInt8] = []
    /// How the connection ended before anybody listened, or before what came with the handshake was taken.
    private var heldEnd: TransportError??
    private var isPaused = false
    private var hasPeerClosed = false
    /// Unpacked bytes of one read.
    private var received: [UInt8] = []
    private var output: [UInt8] = []

    init(loop: EventLoop, lower: TCPChannel, path: String, options: WebSocketOptions) {
        self.loop = loop
        self.lower = lower
        framing = options.makeFraming()
        decoder = WebSocketDecoder(limit: options.maximumMessageBytes)
        handshake = WebSocketHandshake(
            endpoint: lower.endpoint, path: path, subprotocol: options.subprotocol, nonce: randomBytes(16))
    }

    /// Makes the handshake; `completion` comes later, once.
    func open(_ completion: @escaping (TransportError?) -> Void) {
        self.completion = completion
        lower.delegate = self
        handshake.request.withUnsafeBytes { lower.write($0) }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) {
        guard phase == .open else { return }
        output.removeAll(keepingCapacity: output.capacity <= 128 * 1024)
        framing.outgoing(bytes) { message in
            WebSocketEncoder.append(.text, message, key: masks.next(), to: &output)
        }
        output.withUnsafeBytes { lower.write($0) }
    }

    package func startTLS(_ configuration: TLSConfiguration, unread: UnsafeRawBufferPointer) {
        // TLS is up; a second layer inside the messages does not exist (RFC 7395 §3.8).
        abort()
    }

    package func pauseReading() {
        isPaused = true
        lower.pauseReading()
    }

    package func resumeReading() {
        guard isPaused else { return }
        isPaused = false
        if unread.isEmpty { lower.resumeReading() } else { loop.execute { [self] in delegateCame() } }
    }

    package func close() {
        guard phase == .open || phase == .opening else { return }
        if phase == .open { sendClose(1000) }
        phase = .closing
        unread = []
        lower.close()
    }

    package func abort() {
        phase = .closed
        completion = nil
        delegate = nil
        unread = []
        lower.delegate = nil
        lower.abort()
    }

    // MARK: the connection below

    package func channelDidRead(_ bytes: UnsafeRawBufferPointer) {
        switch phase {
        case .opening:
            switch handshake.received(bytes) {
            case .wait: break
            case .fail(let error): fail(error)
            case .open(let unread):
                phase = .open
                self.unread = unread
                // Nothing is read before somebody listens.
                lower.pauseReading()
                let completion = self.completion
                self.completion = nil
                completion?(nil)
            }
        case .open: unpack(bytes)
        case .closing, .closed: break
        }
    }

    package func channelDidSecure(_ information: TLSInformation) {}

    package func channelDidDrain() {
        if phase == .open { delegate?.channelDidDrain() }
    }

    package func channelDidClose(_ error: TransportError?) {
        let wasOrderly = phase == .closing || hasPeerClosed
        guard phase != .closed else { return }
        if phase == .open, delegate == nil || !unread.isEmpty {
            heldEnd = .some(error)
            return
        }
        phase = .closed
        let reset = TransportError(.reset, "\(endpoint) closed the connection during the WebSocket handshake.")
        if let completion {
            self.completion = nil
            return completion(error ?? reset)
        }
        let cut = TransportError(.truncated, "\(endpoint) ended the WebSocket without closing it.")
        delegate?.channelDidClose(wasOrderly ? nil : error ?? cut)
    }

    private func delegateCame() {
        guard phase == .open, delegate != nil, !isPaused else { return }
        let bytes = unread
        unread = []
        bytes.withUnsafeBytes { unpack($0) }
        if let end = heldEnd { return channelDidClose(end) }
        if phase == .open, !isPaused { lower.resumeReading() }
    }

    /// Takes frames apart and gives the delegate what they held, at once.
    private func unpack(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        received.removeAll(keepingCapacity: received.capacity <= 128 * 1024)
        var failure: WebSocketError?
        var ping: [UInt8]?
        var closeCode: UInt16??
        do throws(WebSocketError) {
            try decoder.decode(bytes) { event in
                switch event {
                case .text(let piece, let begins, let ends):
                    guard failure == nil else { return }
                    do throws(WebSocketError) {
                        try framing.incoming(piece, begins: begins, ends: ends) { received += $0 }
                    } catch { failure = error }
                // RFC 6455 §5.5.3: the latest one is enough.
                case .ping(let payload): ping = payload
                case .pong: break
                case .close(let code): closeCode = .some(code)
                }
            }
        } catch { failure = failure ?? error }
        if let ping, failure == nil, pendingBytes < WebSocketChannel.pongLimit { send(.pong, ping) }
        deliver()
        guard phase == .open else { return }
        if let failure { return fail(failure) }
        if let closeCode {
            hasPeerClosed = true
            sendClose(closeCode)
            phase = .closing
            lower.close()
        }
    }

    private func deliver() {
        guard !received.isEmpty, phase == .open else { return }
        // The delegate may write, which uses other memory, or let go of this channel.
        let bytes = received
        withExtendedLifetime(self) {
            bytes.withUnsafeBytes { delegate?.channelDidRead($0) }
        }
    }

    private func fail(_ error: WebSocketError) {
        let text = "\(endpoint) cannot be used: \(error.summary)."
        let failure = TransportError(.webSocket(error), text)
        if phase == .open { sendClose(error.closeCode) }
        let completion = self.completion
        let delegate = self.delegate
        self.completion = nil
        phase = .closed
        lower.delegate = nil
        if completion == nil { lower.close() } else { lower.abort() }
        if let completion { return completion(failure) }
        delegate?.channelDidClose(failure)
    }

    private func sendClose(_ code: UInt16?) {
        send(.close, WebSocketEncoder.closePayload(code))
    }

    private func send(_ kind: WebSocketEncoder.Kind, _ payload: [UInt8]) {
        var frame: [UInt8] = []
        let key = masks.next()
        payload.withUnsafeBytes { WebSocketEncoder.append(kind, $0, key: key, to: &frame) }
        frame.withUnsafeBytes { lower.write($0) }
    }
}
