// SPDX-License-Identifier: Apache-2.0
import ApusTransport

extension XMPPSession {
    /// So many stanzas are handed out together at most.
    private static let batch = 64

    func received(_ bytes: UnsafeRawBufferPointer) {
        liveness?.heard(sinceStart)
        receivedBytes &+= UInt64(bytes.count)
        parser.append(bytes)
        pump()
    }

    /// Parses and handles what is there, until it is used up or somebody cannot follow.
    func pump() {
        guard !isPumping, channel != nil else { return }
        isPumping = true
        var count = 0
        loop: while channel != nil, pauses.isEmpty, !isHeldForCommit {
            let event: XMLStreamEvent
            do throws(XMLError) { event = try parser.next() } catch {
                fail(.violation("its XML cannot be read: \(error.reason)", error), StreamError(error))
                break
            }
            switch event {
            case .needsMoreBytes: break loop
            case .stanza(let element):
                if let machine = negotiation {
                    if element.matches(.streamFeatures) { announce(element, machine) }
                    if let action = negotiation?.element(element) { perform(action) }
                } else {
                    receive(element, counts: true)
                    count += 1
                    if count.isMultiple(of: Self.batch) { deliver() }
                }
            case .open(let header):
                if let action = negotiation?.header(
                    header, carriesStanzas: parser.hasDefaultNamespace(Namespace.client))
                {
                    perform(action)
                } else {
                    fail(.violation("a second stream header"), StreamError(.badFormat))
                }
            case .close: streamClosed()
            }
        }
        isPumping = false
        guard channel != nil else { return }
        deliver()
        answerRequest()
        flush()
    }

    private func announce(_ features: Element, _ machine: NegotiationStateMachine) {
        emit(
            .offered(
                StreamOffer(
                    features, StreamFeatures(features), isSecure: machine.isSecure,
                    isAuthenticated: machine.isAuthenticated)))
    }

    /// A stanza or a nonza of a stream that is up.
    func receive(_ element: Element, counts: Bool) {
        if element.matches(.message) {
            count(counts) { session throws(StanzaDecoder.Rejection) in
                let message = try session.decoder.message(element)
                if session.inboxes.take(message, element, own: session.boundJID) { return nil }
                if session.roomBook.isActive { session.roomSees(message) }
                for handler in session.messageHandlers { handler(message) }
                if session.store == nil { session.messageBatch.append(message) }
                return .message(message)
            }
        } else if element.matches(.presence) {
            count(counts) { session throws(StanzaDecoder.Rejection) in
                let presence = try session.decoder.presence(element)
                if session.roomBook.isActive, session.roomTakes(presence) { return nil }
                for handler in session.presenceHandlers { handler(presence) }
                if session.store == nil { session.presenceBatch.append(presence) }
                return .presence(presence)
            }
        } else if element.matches(.iq) {
            count(counts) { session throws(StanzaDecoder.Rejection) in
                let iq: IQ
                do throws(StanzaDecoder.Rejection) { iq = try session.decoder.iq(element) } catch {
                    if let answer = error.answer { session.refuse(element, answer) }
                    throw error
                }
                session.receive(iq)
                return .iq(iq)
            }
        } else if element.matches(.managementRequest) {
            answerDue = true
        } else if element.matches(.managementAnswer) {
            acknowledged(element)
        } else if element.matches(.streamError) {
            streamFailed(StreamError(element))
        } else if awaitsFeatures, element.matches(.streamFeatures) {
            learnFeatures(element)
        } else if element.namespace == StreamManagement.namespace || element.namespace == SASL2.namespace {
            fail(.violation("<\(element.localName)/> came out of order"), StreamError(.unsupportedStanzaType))
        } else {
            droppedStanzas &+= 1
        }
    }

    /// Handles one stanza and notes that it was: also one that breaks the rules, or the server would send it for ever.
    ///
    /// What `handle` gives is for everybody; nil was for an extension alone.
    @inline(__always)
    private func count(
        _ counts: Bool, _ handle: (isolated XMPPSession) throws(StanzaDecoder.Rejection) -> Stanza?
    ) {
        var stanza: Stanza?
        do throws(StanzaDecoder.Rejection) { stanza = try handle(self) } catch { droppedStanzas &+= 1 }
        if store == nil {
            if counts { management.handled(1) }
        } else {
            commits.waiting.append(.init(stanza: stanza, counts: counts))
            if commits.uncommitted >= CommitPipeline.limit { pause(.store) }
        }
    }

    /// Hands out what was gathered; a reader that is full stops the reading.
    func deliver() {
        if store != nil { startCommit(isUrgent: answerDue) }
        guard !messageBatch.isEmpty || !presenceBatch.isEmpty else { return }
        if !messageBatch.isEmpty {
            let capacity = messageBatch.count
            let batch = messageBatch
            messageBatch = []
            if !messagePublisher.isEmpty {
                if messagePublisher.publish(batch) { readerIsFull(capacity) }
                messageBatch.reserveCapacity(min(capacity, Self.batch))
            }
        }
        if !presenceBatch.isEmpty {
            _ = presencePublisher.publish(presenceBatch)
            presenceBatch = []
        }
    }

    func pause(_ reason: Pauses) {
        if pauses.isEmpty { channel?.pauseReading() }
        pauses.insert(reason)
    }

    func unpause(_ reason: Pauses) {
        guard pauses.contains(reason) else { return }
        pauses.remove(reason)
        guard pauses.isEmpty else { return }
        channel?.resumeReading()
        if reason == .reader { emit(.readingResumed) }
    }

    /// The loop's turn: somebody sent something, or a reader caught up.
    func turn() {
        if pauses.contains(.reader), !messagePublisher.isAnyFull, !roomBook.isAnyFull {
            unpause(.reader)
            pump()
        } else {
            flush()
        }
    }

    private func streamFailed(_ error: StreamError) {
        switch error.condition {
        case .conflict:
            // The other connection has the session now: asking for it back would take it away from there (OF12).
            forgetStream()
        case .systemShutdown, .connectionTimeout, .reset, .resourceConstraint, .seeOtherHost, .hostGone,
            .remoteConnectionFailed, .notAuthorized:
            break
        default: if let suspected = suspect(error) { return fail(suspected, nil) }
        }
        fail(.stream(error), nil)
    }

    /// The stream cannot be resumed any more.
    func forgetStream() {
        management.ended()
        commits.isDirty = true
    }

    /// The server closed the stream in good order; so do we.
    private func streamClosed() {
        if let action = negotiation?.closed() { return perform(action) }
        control.raw("</stream:stream>")
        flushControl()
        channel?.close()
        end(XMPPError(.connectionLost, "the server closed the stream", isRetryable: true))
    }

    func closed(_ error: TransportError?) {
        guard channel != nil else { return }
        if let error {
            let reason = XMPPError(transport: error, domain: account.jid.domain)
            // It was reached; what cut it off is another matter.
            end(
                reason.code == .tlsFailed
                    ? reason
                    : XMPPError(.connectionLost, reason.description, isRetryable: true, underlying: error))
        } else {
            end(XMPPError(.connectionLost, "the server closed the connection", isRetryable: true))
        }
    }

    /// Ends the stream because of an error of ours or theirs, telling the server where that helps.
    func fail(_ error: XMPPError, _ streamError: StreamError?) {
        guard channel != nil else { return }
        if let streamError {
            _ = try? control.element(streamError.element, inheriting: Namespace.client)
        }
        control.raw("</stream:stream>")
        flushControl()
        channel?.close()
        end(error)
    }

    /// Forgets the stream and wakes the driver.
    func end(_ error: XMPPError) {
        if let channel {
            endedInsideTLS = channel.tlsInformation != nil
            // Whoever takes a connection and is of no use then is not the first one to ask again.
            if onlineSince == nil, error.isRetryable {
                configuration.connector.report(channel.endpoint, worked: false)
            }
        }
        management.disconnected()
        channel?.delegate = nil
        channel = nil
        negotiation = nil
        isUnauthenticated = false
        answerDue = false
        control.removeAll()
        pauses.remove(.reader)
        progressed()
        for timer in [loginTimer, livenessTimer] { timer?.cancel() }
        liveness = nil
        deliver()
        roomsWentOffline()
        if management.resumption == nil || configuration.reconnect == .never { failRequests(error) }
        let driver = endOfStream
        endOfStream = nil
        driver?.resume(returning: error)
    }
}

extension StreamError {
    /// How the server hears that its XML cannot be read (RFC 6120 §4.9.3).
    init(_ error: XMLError) {
        switch error.kind {
        case .restricted: self.init(.restrictedXML)
        case .unsupportedEncoding: self.init(.unsupportedEncoding)
        case .limit: self.init(.policyViolation, text: error.reason)
        default: self.init(.notWellFormed)
        }
    }
}
