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

    /// Sends a presence; for one's own availability see ``setPresence(_:)``.
    ///
    /// One that says that one is available carries what the modules add, as the hashes of one's features (XEP-0115 §4).
    /// Waits and throws as ``send(_:)-(Message)`` does. A presence is never sent again on another stream.
    @discardableResult
    public nonisolated func send(_ presence: Presence) async throws(XMPPError) -> SendTicket {
        try post(presence)
    }

    @discardableResult
    nonisolated func post(_ presence: Presence) throws(XMPPError) -> SendTicket {
        var presence = presence
        if presence.kind == .available {
            for payload in presencePayloads { presence.setPayload(payload.name, payload) }
            inboxes.announceAvatar(in: &presence)
        }
        let (sequence, _) = try sends.append(.presence, id: nil) { [presence] writer throws(XMLError) in
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
        guard isOnline else {
            if presenceNews == .told { presenceNews = .changed }
            return
        }
        try post(presence ?? Presence(.unavailable))
        presenceNews = .told
        tellRooms(presence)
    }

    /// What the server knows of our presence on this stream.
    enum PresenceNews {
        /// Nothing yet.
        case untold
        case told
        /// Something that became wrong while the connection was away.
        case changed
    }

    /// Nobody gets a message who never said that he is there; a stream that is resumed may have been cut before that.
    func tellPresence() {
        let news = presenceNews == .changed ? presence ?? Presence(.unavailable) : presence
        guard presenceNews != .told, let news, (try? post(news)) != nil else { return }
        presenceNews = .told
    }

    /// Writes what waits, as far as the network, the store and caution permit.
    func flush() {
        guard case .online = phase, let channel, negotiation == nil, !isHeldForCommit else { return }
        if store != nil { return startCommit(isUrgent: false) }
        guard mayWrite(channel), takeSends() else { return }
        management.wrote(outgoingEntries[...], outgoing.bytes[...])
        writeTaken(channel)
    }

    /// Takes what waits; under suspicion no more than a few messages of it.
    func takeSends() -> Bool {
        suspicion.isCautious && management.isEnabled
            ? sends.take(messages: suspicion.allowance, &outgoing, &outgoingEntries)
            : sends.take(&outgoing, &outgoingEntries)
    }

    func mayWrite(_ channel: any ByteChannel) -> Bool {
        guard channel.pendingBytes <= SendQueue.highWater else { return false }
        guard management.isEnabled else { return true }
        return suspicion.isCautious
            ? management.unacknowledged.isEmpty : !management.unacknowledged.isOverHighWater
    }

    /// Gives the taken stanzas to the network, and asks for their acknowledgement.
    func writeTaken(_ channel: any ByteChannel) {
        let last = outgoingEntries.last?.sequence ?? 0
        if suspicion.isCautious { suspicion.wrote(outgoingEntries[...]) }
        requestAnswer(&outgoing)
        outgoing.bytes.withUnsafeBytes { channel.write($0) }
        outgoing.removeAll()
        outgoingEntries.removeAll(keepingCapacity: true)
        sends.wrote(through: last)
        handedOver(through: last)
        if progressGate != nil { progressed() }
    }

    /// After a new or resumed stream: what the server did not handle goes out again, with the same ids.
    ///
    /// A resumed stream is asked for its count in any case: the answer proves that it is read.
    func rewriteUnacknowledged() {
        guard let channel else { return }
        guard let last = management.unacknowledged.pending.last else {
            requestAnswer(&control)
            if control.count > 0 { flushControl() }
            return
        }
        if suspicion.isCautious, management.isEnabled {
            let group = management.unacknowledged.leading(messages: suspicion.allowance)
            suspicion.wrote(group.entries)
            control.raw(group.bytes)
            management.rewrote(group.entries.count)
        } else {
            control.raw(management.unacknowledged.pendingBytes)
            management.rewrote(management.unacknowledged.count)
        }
        requestAnswer(&control)
        control.bytes.withUnsafeBytes { channel.write($0) }
        control.removeAll()
        sends.wrote(through: last.sequence)
        if !management.isEnabled {
            management.forgetUnacknowledged()
            handedOver(through: last.sequence)
        }
    }

    /// Without stream management a stanza is out of our hands when the network has it: the store need not keep it.
    private func handedOver(through sequence: UInt64) {
        if store != nil, !management.isEnabled { commits.acknowledgedThrough = sequence }
    }

    private func requestAnswer(_ writer: inout XMLWriter) {
        guard management.takeRequest() else { return }
        writer.raw("<r xmlns=\"urn:xmpp:sm:3\"/>")
        askedForCount()
    }

    /// `<a h=…/>` from the server.
    func acknowledged(_ element: Element) {
        guard let handled = element["h"].flatMap({ UInt32($0) }), management.isEnabled else {
            return fail(.violation("an acknowledgement without a count"), StreamError(.badFormat))
        }
        // What a resumed stream answers first may leave out what was written after the question: it is asked again.
        let isProof = management.isUnproven
        let outcome = apply(management.answered(handled))
        if case .tooHigh(let handled, let sent) = outcome { return acknowledgedTooMuch(handled, sent) }
        let hasProgressed = isProof || outcome != .none
        countAnswered(progressed: hasProgressed || management.unacknowledged.isEmpty)
        guard hasProgressed else { return }
        if management.awaitsRewriting {
            rewriteUnacknowledged()
        } else if let channel, !management.unacknowledged.isEmpty {
            requestAnswer(&control)
            control.bytes.withUnsafeBytes { channel.write($0) }
            control.removeAll()
        }
    }

    /// XEP-0198 §6: nothing is believed, and the two sides begin anew.
    func acknowledgedTooMuch(_ handled: UInt32, _ sent: UInt32) {
        forgetStream()
        fail(
            .violation("it acknowledged more than was sent"),
            StreamManagement.handledCountTooHigh(handled, sent: sent))
    }

    /// Notes what the server handled, for those who wait and for the store.
    @discardableResult
    func apply(_ outcome: StreamManagementStateMachine.Acknowledgement) -> StreamManagementStateMachine.Acknowledgement
    {
        if case .through(let sequence) = outcome {
            suspicion.acknowledged(through: sequence)
            if management.unacknowledged.isEmpty { progressed() }
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

    /// A store that takes messages back gets what the stream before left, written or not; nothing of it is sent again here.
    func giveBack() {
        guard let store, store.takesMessagesBack else { return }
        let left = management.takeMessages() + sends.takeMessagesBack()
        commits.givesBack = management.leftIsUnhandled ? .notHandled : .unknown
        commits.isDirty = true
        let text = "the session could not be resumed; the store has the message"
        sends.fail(left.map(\.sequence), XMPPError(.connectionLost, text, isRetryable: true))
    }

    /// Takes messages again, after a commit that gave some back (``SessionCommit/givesBack``).
    ///
    /// Until then ``send(_:)-(Message)`` throws, so that what is to be sent again goes before what is new. Gives how often
    /// messages were given back so far: when that is the number of the last call, what was sent since then still counts.
    @discardableResult
    public nonisolated func acceptMessages() -> Int { sends.acceptMessages() }

    /// The stream ended by an error that a message of ours may have caused; gives the error to end with, nil when none can.
    ///
    /// Whatever the condition, that one is worth another attempt: without the message, or to find out which it is.
    func suspect(_ error: StreamError) -> XMPPError? {
        let open = management.unacknowledged.pending.filter { $0.kind == .message }
        let plain = XMPPError.stream(error)
        let result = XMPPError(plain.code, plain.description, isRetryable: true, underlying: error)
        // A resumed stream may be read as the rest of what was cut before: that is no message's fault.
        let isMisread = management.isUnproven && error.condition == .notWellFormed
        guard let entry = open.first, !isMisread else { return management.isUnproven ? result : nil }
        let verdict = suspicion.streamFailed(oldest: entry, open: open.count)
        guard case .giveUp(let sequence) = verdict else { return result }
        management.remove(sequence: sequence)
        let reason = XMPPError(
            .undeliverable,
            "the server closed the stream each time this was sent (\(error)); it will not be sent again",
            underlying: error)
        sends.fail([sequence], reason)
        if store != nil { commits.dropped[sequence] = reason }
        emit(.undeliverable(id: entry.id, reason))
        return result
    }

    /// Answers `<r/>` with the number of stanzas that were handled for good.
    func answerRequest(isCommitted: Bool = false) {
        guard answerDue, let channel, negotiation == nil, commits.uncommitted == 0 || isCommitted else { return }
        // Under steady load the store never has everything: then each commit is answered for, until one has.
        answerDue = commits.uncommitted > 0
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

    /// The end in good order (RFC 6120 §4.4): at most 2 seconds for the server, and as much for a store that fails.
    func sayGoodbye() async {
        if presence != nil { _ = try? post(Presence(.unavailable)) }
        flush()
        let deadline = configuration.clock.now.advanced(by: Self.goodbye)
        await commitsFinished(until: deadline)
        flush()
        await wait(until: deadline) {
            channel == nil || (sends.isEmpty && (!management.isEnabled || management.unacknowledged.isEmpty))
        }
        guard channel != nil else { return }
        answerDue = false
        writeAnswer()
        control.raw("</stream:stream>")
        flushControl()
        forgetStream()
        channel?.close()
        await wait(until: deadline) { channel == nil }
    }

    static var goodbye: Duration { .seconds(2) }

    /// Lets the loop do other things until the condition holds or the time has come.
    private func wait(until deadline: MonotonicTime, _ isDone: () -> Bool) async {
        let left = configuration.clock.now.duration(to: deadline)
        guard !isDone(), left > .zero else { return }
        let timer = configuration.clock.schedule(after: left) { [weak self] in
            self?.assumeIsolated { $0.progressed() }
        }
        while !isDone(), configuration.clock.now < deadline {
            let gate = WakeGate()
            progressGate = gate
            await gate.wait()
        }
        timer.cancel()
    }

    /// Something happened that ``disconnect()`` may wait for.
    func progressed() {
        progressGate?.open()
        progressGate = nil
    }
}
