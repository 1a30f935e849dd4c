// SPDX-License-Identifier: Apache-2.0
package import ApusCrypto

/// A connection that carries bytes both ways, in clear or through TLS.
///
/// It belongs to its event loop: it can be handed over freely, but every call must be made on the loop's thread.
package protocol ByteChannel: AnyObject, Sendable {
    /// Gets the events; held weakly. Nothing is read while there is none.
    var delegate: (any ByteChannelDelegate)? { get set }
    /// Where the channel leads.
    var endpoint: Endpoint { get }
    /// What TLS agreed on, nil before it has.
    var tlsInformation: TLSInformation? { get }
    /// Bytes that were written here but not yet taken by the kernel.
    var pendingBytes: Int { get }

    /// Sends bytes, or keeps a copy of what the kernel does not take now; never blocks, ignored after the end.
    ///
    /// Under TLS the bytes of one turn of the loop leave together at its end.
    func write(_ bytes: UnsafeRawBufferPointer)

    /// Starts TLS as the client: after everything written so far, and nothing received after `unread` is plaintext.
    ///
    /// `unread` are the bytes that the delegate was given but that follow what made it start TLS (`<proceed/>`):
    /// they are the start of the TLS stream (RFC 6120 §5.4.2.3). The delegate must not use them.
    func startTLS(_ configuration: TLSConfiguration, unread: UnsafeRawBufferPointer)

    /// Stops calls of `channelDidRead` after the one at work, and the decrypting behind it.
    func pauseReading()
    func resumeReading()

    /// Ends in order: sends what is pending and TLS's close_notify, waits up to 2 s for the peer to end, too.
    /// What still arrives is dropped; `channelDidClose(nil)` follows later, never inside this call.
    func close()
    /// Ends at once: pending bytes are dropped and the delegate gets no further call.
    func abort()
}

extension ByteChannel {
    package func startTLS(_ configuration: TLSConfiguration) {
        startTLS(configuration, unread: UnsafeRawBufferPointer(start: nil, count: 0))
    }
}

/// Hears what happens on a channel; all calls come on the loop's thread, and any channel call is allowed in them.
package protocol ByteChannelDelegate: AnyObject {
    /// Bytes arrived (after decryption), at most one call per read of the socket. They are valid during the call.
    func channelDidRead(_ bytes: UnsafeRawBufferPointer)
    /// TLS is up and the peer's certificate was accepted; comes before the first byte that was read through TLS.
    func channelDidSecure(_ information: TLSInformation)
    /// The kernel has taken everything that was pending after a `write` returned.
    func channelDidDrain()
    /// The channel has ended; called once, unless it was aborted.
    ///
    /// nil = in order: our own `close`, the peer's close_notify, or without TLS the end of TCP. `.truncated` = TCP
    /// ended inside TLS without close_notify.
    func channelDidClose(_ error: TransportError?)
}
