// SPDX-License-Identifier: Apache-2.0
import ApusTransport

extension XMPPSession {
    /// Sends a message.
    ///
    /// It is serialised at once, on the caller's thread; the call waits only while more than 256 KiB wait to be
    /// written. While the session reconnects, messages wait for the next stream. What becomes of it, the ticket tells.
    ///
    /// Throws ``XMPPError`` when a text holds a character that XML forbids, or when the session is not connected; nothing
    /// was sent then. Cancelling ends the wait, not the message.
    @discardableResult
    public nonisolated func send(_ message: Message) async throws(XMPPError) -> SendTicket {
        let (sequence, isFull) = try sends.append(.message, id: message.id) { writer throws(XMLError) in
            try message.write(to: &writer)
        }
        if isFull { await sends.waitForRoom() }
        return SendTicket(sequence: sequence, queue: sends)
    }

    /// Sends a message without ever waiting, for handlers on the stream's thread; see ``send(_:)-(Message)``.
    ///
    /// Memory is bounded only by the caller.
    @discardableResult
    public nonisolated func post(_ message: Message) throws(XMPPError) -> SendTicket {
        let (sequence, _) = try sends.append(.message, id: message.id) { writer throws(XMLError) in
            try message.write(to: &writer)
        }
        return SendTicket(sequence: sequence, queue: sends)
    }

    /// Sends a presence as it is; for one's own availability see ``setPresence(_:)``.
    ///
    /// Waits and throws as ``send(_:)-(Message)`` does. A presence is never sent again on another stream.
    @discardableResult
    public nonisolated func send(_ presence: Presence) async throws(XMPPError) -> SendTicket {
        try post(presence)
    }

    @discardableResult
    nonisolated func post(_ presence: Presence) throws(XMPPError) -> SendTicket {
        let (sequence, _) = try sends.append(.presence, id: nil) { writer throws(XMLError) in
            try presence.write(to: &writer)
        }
        return SendTicket(sequence: sequence, queue: sends)
    }

    nonisolated func post(_ iq: IQ) throws(XMPPError) {
        _ = try sends.append(.iq, id: iq.id) { writer throws(XMLError) in try iq.write(to: &writer) }
    }

    /// Says how available this resource is, now and again on each new stream; nil goes offline and stays connected.
    ///
    /// Throws as ``send(_:)-(Message)`` does, save that while offline it only remembers.
    public func setPresence(_ presence: Presence?) throws(XMPPError) {
        self.presence = presence
        guard isOnline else { return }
        try post(presence ?? Presence(.unavailable))
    }

    /// Writes what waits, as far as the network, the store and caution permit.
    func flush() {
        guard case .online = phase, let channel, negotiation == nil, !isHeldForCommit else { return }
        if store != nil { return startCommit(isUrgent: false) }
        guard mayWrite(channel), sends.take(&outgoing, &outgoingEntries) else { return }
        management.wrote(outgoingEntries[...], outgoing.bytes[...])
        writeTaken(channel)
    }

    func mayWrite(_ channel: any ByteChannel) -> Bool {
        channel.pendingBytes <= SendQueue.highWater && !(suspicion.isCautious && !management.unacknowledged.isEmpty)
    }

    /// Gives the taken stanzas to the network, and asks for their acknowledgement.
    func writeTaken(_ channel: any ByteChannel) {
        let last = outgoingEntries.last?.sequence ?? 0
        requestAnswer(&outgoing)
        outgoing.bytes.withUnsafeBytes { channel.write($0) }
        outgoing.removeAll()
        outgoingEntries.removeAll(keepingCapacity: true)
        sends.wrote(through: last)
    }

    /// After a new or resumed stream: what the server did not handle goes out again, with the same ids.
    func rewriteUnacknowledged() {
        guard let channel, let first = management.unacknowledged.stanzas.first else { return }
        if suspicion.isCautious {
            control.raw(first.1)
        } else {
            control.raw(management.unacknowledged.pendingBytes)
        }
        if !management.isEnabled { _ = management.forgetUnacknowledged() }
        requestAnswer(&control)
        control.bytes.withUnsafeBytes { channel.write($0) }
        control.removeAll()
        if let last = management.unacknowledged.pending.last { sends.wrote(through: last.sequence) }
    }

    private func requestAnswer(_ writer: inout XMLWriter) {
        guard management.takeRequest() else { return }
        writer.raw("<r xmlns=\"urn:xmpp:sm:3\"/>")
        liveness?.asked(sinceStart)
    }

    /// `<a h=…/>` from the server.
    func acknowledged(_ element: Element) {
        guard let handled = element["h"].flatMap({ UInt32($0) }), management.isEnabled else {
            return fail(.violation("an acknowledgement without a count"), StreamError(.badFormat))
        }
        if case .tooHigh(let handled, let sent) = apply(management.answered(handled)) {
            return fail(
                .violation("it acknowledged more than was sent"),
                StreamManagement.handledCountTooHigh(handled, sent: sent))
        }
        if suspicion.isCautious {
            rewriteUnacknowledged()
        } else if let channel, !management.unacknowledged.isEmpty {
            requestAnswer(&control)
            control.bytes.withUnsafeBytes { channel.write($0) }
            control.removeAll()
        }
    }

    /// Notes what the server handled, for those who wait and for the store.
    @discardableResult
    func apply(_ outcome: StreamManagementStateMachine.Acknowledgement) -> StreamManagementStateMachine.Acknowledgement
    {
        if case .through(let sequence) = outcome {
            suspicion.acknowledged(isEmpty: management.unacknowledged.isEmpty)
            sends.acknowledged(through: sequence)
            if store != nil { commits.acknowledgedThrough = sequence }
        }
        return outcome
    }

    /// These stanzas will not be sent again.
    func giveUp(_ entries: [UnacknowledgedQueue.Entry], _ error: XMPPError) {
        guard !entries.isEmpty else { return }
        sends.fail(entries.map(\.sequence), error)
        if store != nil { for entry in entries { commits.dropped[entry.sequence] = error } }
        emit(.dropped(count: entries.count))
    }

    func suspect(_ error: StreamError) {
        guard case .giveUp(let sequence) = suspicion.streamFailed(oldest: management.unacknowledged.first?.sequence),
            let entry = management.unacknowledged.first
        else { return }
        management.remove(sequence: sequence)
        let reason = XMPPError(
            .undeliverable,
            "the server closed the stream each time this was sent (\(error)); it will not be sent again",
            underlying: error)
        sends.fail([sequence], reason)
        if store != nil { commits.dropped[sequence] = reason }
        emit(.undeliverable(id: entry.id, reason))
    }

    /// Answers `<r/>` with the number of stanzas that were handled for good.
    func answerRequest() {
        guard answerDue, let channel, commits.uncommitted == 0 || store == nil else { return }
        answerDue = false
        writeAnswer()
        control.bytes.withUnsafeBytes { channel.write($0) }
        control.removeAll()
    }

    func writeAnswer() {
        guard management.isEnabled else { return }
        control.raw("<a xmlns=\"urn:xmpp:sm:3\" h=\"")
        control.decimal(management.received)
        control.raw("\"/>")
    }

    func write(_ element: Element) {
        _ = try? control.element(element, inheriting: Namespace.client)
        flushControl()
    }

    func flushControl() {
        guard let channel else { return control.removeAll() }
        control.bytes.withUnsafeBytes { channel.write($0) }
        control.removeAll()
    }

    /// The end in good order (RFC 6120 §4.4): at most 2 seconds.
    func sayGoodbye() async {
        if presence != nil { _ = try? post(Presence(.unavailable)) }
        flush()
        let deadline = configuration.clock.now.advanced(by: .seconds(2))
        await commitsFinished()
        flush()
        while management.isEnabled, channel != nil, !management.unacknowledged.isEmpty,
            configuration.clock.now < deadline
        {
            await settle(.milliseconds(20))
        }
        guard channel != nil else { return }
        answerDue = false
        writeAnswer()
        control.raw("</stream:stream>")
        flushControl()
        management.ended()
        commits.isDirty = true
        channel?.close()
        while endOfStream != nil, channel != nil, configuration.clock.now < deadline { await settle(.milliseconds(10)) }
    }

    /// Lets the loop do other things for a while.
    private func settle(_ span: Duration) async {
        let gate = WakeGate()
        let timer = configuration.clock.schedule(after: span) { gate.open() }
        await gate.wait()
        timer.cancel()
    }
}
