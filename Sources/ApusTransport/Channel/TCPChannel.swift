// SPDX-License-Identifier: Apache-2.0
package import ApusCrypto
import ApusCLinux
import Glibc

/// A TCP connection, in clear or with TLS, on an event loop.
///
/// Every turn reads at most 64 KiB into a buffer that all channels of the loop share. What the delegate's calls make
/// necessary inside the channel (a failure to report, TLS to start, output to encrypt) is done at the end of the
/// turn, so that no delegate call comes inside one of the channel's own methods.
// Unchecked: confined to the loop's thread; it is Sendable so that it can be handed there.
package final class TCPChannel: ByteChannel, LoopEventHandler, LoopFlush, @unchecked Sendable {
    enum Phase {
        case open
        /// Closed by the owner: output is flushed, input dropped.
        case closing
        case closed
    }

    package weak var delegate: (any ByteChannelDelegate)? {
        didSet { if delegate != nil { requestFlush() } }
    }
    package let endpoint: Endpoint
    package internal(set) var tlsInformation: TLSInformation?

    let loop: EventLoop
    var descriptor: Int32
    var phase = Phase.open
    private var registration: LoopRegistration?
    private var interest: UInt32 = 0
    private var isParked = false
    private var isPaused = false
    private var needsFlush = false
    /// To be reported at the end of the turn.
    var failure: TransportError?
    /// Why the kernel takes no more output; what was received before may still be read.
    var writeError: Int32?

    /// Bytes for the kernel.
    let output = TLSBuffer()
    /// Bytes to encrypt first; those written before the handshake is finished wait here.
    let plainOutput = TLSBuffer()
    /// Decrypted bytes that came with the end of the handshake, or while paused.
    var heldInput: [UInt8] = []
    /// Bytes that came while closing.
    var discarded = 0
    /// The start of the TLS stream, received with the plaintext.
    var earlyInput: [UInt8] = []
    var tls: TLSSession?
    var isSecureAnnounced = false
    /// Who decides about a certificate that was refused, and whether that is under way.
    var decider: TLSTrustDecider?
    var isAskingTrust = false
    /// Told when such a question is put, and when it is answered.
    var onTrustQuestion: ((Bool) -> Void)?
    /// Set while direct TLS is made: nobody else hears of the handshake.
    var handshakeCompletion: ((TransportError?) -> Void)?
    var hasSentEnd = false
    /// close_notify came with bytes that the delegate has not taken yet.
    var hasPeerEnded = false
    private var closeTimer: (any LoopTimer)?

    init(loop: EventLoop, descriptor: Int32, endpoint: Endpoint) {
        self.loop = loop
        self.descriptor = descriptor
        self.endpoint = endpoint
    }

    deinit {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
    }

    package var pendingBytes: Int { output.count + plainOutput.count }

    package func pauseReading() {
        isPaused = true
        updateInterest()
    }

    package func resumeReading() {
        guard isPaused else { return }
        isPaused = false
        if heldInput.isEmpty { updateInterest() } else { requestFlush() }
    }

    /// So many bytes that come while closing are thrown away; then the connection is cut.
    static let mostDiscarded = 8 * 1024 * 1024

    package func close() {
        guard phase == .open else { return }
        phase = .closing
        heldInput = []
        closeTimer = loop.schedule(after: .seconds(2)) { [self] in finish(nil) }
        requestFlush()
    }

    package func abort() {
        guard phase != .closed else { return }
        release()
        delegate = nil
        handshakeCompletion = nil
        onTrustQuestion = nil
    }

    /// Whether input is taken from the socket now.
    var wantsInput: Bool {
        switch phase {
        case .closed: false
        case .closing: true
        case .open where isAskingTrust: false
        case .open: isHandshaking || (delegate != nil && !isPaused && heldInput.isEmpty && !hasPeerEnded)
        }
    }

    /// Whether the delegate may be given input now.
    var mayDeliver: Bool { phase == .open && delegate != nil && !isPaused }

    var isHandshaking: Bool { tls?.state == .handshaking }

    package func handleEvents(_ events: UInt32) {
        if events & EPOLLOUT.rawValue != 0 { writeOutput() }
        guard phase != .closed else { return }
        let hasEnded = events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
        if wantsInput {
            if hasEnded || events & EPOLLIN.rawValue != 0 { readInput() }
        } else if hasEnded {
            // Would be reported without end; reading finds it again.
            if let registration { loop.unregister(registration) }
            registration = nil
            isParked = true
        }
    }

    /// The end of a turn in which something was asked for.
    func flushOutput() {
        needsFlush = false
        // The owner may let go inside a delegate call.
        withExtendedLifetime(self) {
            if let failure, phase != .closed { return finish(failure) }
            takeEarlyInput()
            announceSecure()
            deliverHeldInput()
            if hasPeerEnded, heldInput.isEmpty, phase == .open { endedByPeer() }
            encryptOutput()
            sendEnd()
            updateInterest()
        }
    }

    func requestFlush() {
        guard !needsFlush, phase != .closed else { return }
        needsFlush = true
        loop.flushes.append(self)
    }

    /// Reports `error` at the end of the turn.
    func failLater(_ error: TransportError) {
        failure = failure ?? error
        requestFlush()
    }

    /// Tells epoll what is waited for.
    func updateInterest() {
        guard phase != .closed else { return }
        var wanted: UInt32 = 0
        if wantsInput { wanted |= EPOLLIN.rawValue }
        if !output.isEmpty { wanted |= EPOLLOUT.rawValue }
        if let registration {
            if wanted != interest { loop.modify(registration, wanted) }
        } else if wantsInput || (wanted != 0 && !isParked) {
            registration = loop.register(descriptor, wanted, self)
            isParked = false
            if registration == nil { failLater(TransportError(errno, "\(endpoint)")) }
        }
        interest = wanted
    }

    /// Ends the channel and says so, once.
    func finish(_ error: TransportError?) {
        guard phase != .closed else { return }
        let reported = phase == .closing ? nil : error
        release()
        if let completion = handshakeCompletion {
            handshakeCompletion = nil
            return completion(
                reported ?? TransportError(.reset, "\(endpoint) closed the connection during the TLS handshake."))
        }
        delegate?.channelDidClose(reported)
    }

    private func release() {
        phase = .closed
        if let registration { loop.unregister(registration) }
        registration = nil
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
        closeTimer?.cancel()
        closeTimer = nil
        output.removeAll()
        output.shrink()
        plainOutput.removeAll()
        plainOutput.shrink()
        heldInput = []
        earlyInput = []
    }
}
