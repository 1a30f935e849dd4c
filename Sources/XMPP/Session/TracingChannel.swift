// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport

/// Stands between a session and its channel and shows both directions to a log.
// Unchecked: confined to the loop's thread, like every channel; it is Sendable so that it can be handed there.
final class TracingChannel: ByteChannel, ByteChannelDelegate, @unchecked Sendable {
    private let channel: any ByteChannel
    private let sent: StreamTap
    private let received: StreamTap
    private let note: (String) -> Void

    weak var delegate: (any ByteChannelDelegate)? {
        didSet { channel.delegate = delegate == nil ? nil : self }
    }

    init(_ channel: any ByteChannel, _ trace: StreamTrace, account: JID) {
        self.channel = channel
        let redactor = StreamRedactor(showsText: trace.showsText)
        sent = StreamTap(redactor) { trace.write(.init(account: account, direction: .sent, text: $0)) }
        received = StreamTap(redactor) { trace.write(.init(account: account, direction: .received, text: $0)) }
        note = { trace.write(.init(account: account, direction: .note, text: $0)) }
        note("connected to \(channel.endpoint)")
        if let information = channel.tlsInformation { note("\(information.protocolVersion), \(information.cipher)") }
    }

    var endpoint: Endpoint { channel.endpoint }
    var tlsInformation: TLSInformation? { channel.tlsInformation }
    var pendingBytes: Int { channel.pendingBytes }

    func write(_ bytes: UnsafeRawBufferPointer) {
        sent.take(bytes)
        channel.write(bytes)
    }

    func startTLS(_ configuration: TLSConfiguration, unread: UnsafeRawBufferPointer) {
        channel.startTLS(configuration, unread: unread)
    }

    func pauseReading() { channel.pauseReading() }
    func resumeReading() { channel.resumeReading() }
    func close() { channel.close() }

    func abort() {
        note("given up")
        channel.abort()
    }

    func channelDidRead(_ bytes: UnsafeRawBufferPointer) {
        received.take(bytes)
        delegate?.channelDidRead(bytes)
    }

    func channelDidSecure(_ information: TLSInformation) {
        note("\(information.protocolVersion), \(information.cipher)")
        delegate?.channelDidSecure(information)
    }

    func channelDidDrain() { delegate?.channelDidDrain() }

    func channelDidClose(_ error: TransportError?) {
        note(error.map { "ended: \($0.description)" } ?? "ended in order")
        delegate?.channelDidClose(error)
    }
}

extension SessionConfiguration {
    /// The channel itself, or with the log in between where there is one.
    func traced(_ channel: any ByteChannel, account: JID) -> any ByteChannel {
        guard let trace else { return channel }
        return TracingChannel(channel, trace, account: account)
    }
}
