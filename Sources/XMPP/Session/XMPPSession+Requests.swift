// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// A request that waits for its reply.
struct PendingRequest: Sendable {
    var continuation: CheckedContinuation<IQ, any Error>
    var timer: any LoopTimer
    /// After a good answer the session is over, and the server closes the stream: that is no error then.
    var endsSession = false
}

extension XMPPSession {
    /// So many requests of others are worked on at a time; more are told to come back later.
    private static let answersAtATime = 64

    /// Sends a request and waits for its one reply (RFC 6120 §8.2.3), matched on id and sender.
    ///
    /// Returns the result. Throws ``XMPPError``: `requestFailed` with the other side's ``StanzaError``, `timedOut`,
    /// `connectionLost` when the stream ends and cannot be resumed, `notConnected` when the session is not online. Cancelling
    /// the task forgets the request at once and throws `CancellationError`.
    public func request(_ iq: IQ, timeout: Duration = .seconds(30)) async throws -> IQ {
        try await request(iq, timeout: timeout, endsSession: false)
    }

    /// As ``request(_:timeout:)``; with `endsSession` a good answer is the last thing that happens on the session.
    func request(_ iq: IQ, timeout: Duration = .seconds(30), endsSession: Bool) async throws -> IQ {
        guard case .online = phase else {
            throw XMPPError(.notConnected, "the session is not online", isRetryable: true)
        }
        guard iq.kind == .get || iq.kind == .set else {
            throw XMPPError(.invalidArgument, "only a get or a set has a reply")
        }
        var iq = iq
        let id = iq.id ?? configuration.randomness.token()
        iq.id = id
        guard !tracker.isOpen(id: id) else {
            throw XMPPError(.invalidArgument, "a request with the id \(id) is open already")
        }
        let reply = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<IQ, any Error>) in
                if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                open(iq, id, timeout, endsSession, continuation)
            }
        } onCancel: {
            loop.execute { [weak self] in
                self?.assumeIsolated { $0.close(id, CancellationError()) }
            }
        }
        if reply.kind == .error { throw XMPPError.request(reply.error ?? StanzaError(.undefinedCondition)) }
        return reply
    }

    /// Sends a get request with a payload; see ``request(_:timeout:)``.
    public func get(_ payload: Element, to: JID? = nil, timeout: Duration = .seconds(30)) async throws -> IQ {
        try await request(IQ(.get, to: to, payload: payload), timeout: timeout)
    }

    /// Sends a set request with a payload; see ``request(_:timeout:)``.
    public func set(_ payload: Element, to: JID? = nil, timeout: Duration = .seconds(30)) async throws -> IQ {
        try await request(IQ(.set, to: to, payload: payload), timeout: timeout)
    }

    private func open(
        _ iq: IQ, _ id: String, _ timeout: Duration, _ endsSession: Bool,
        _ continuation: CheckedContinuation<IQ, any Error>
    ) {
        var iq = iq
        if isComponent, iq.from == nil { iq.from = boundJID }
        do {
            if isUnauthenticated {
                try iq.write(to: &control)
                flushControl()
            } else {
                try post(iq)
            }
        } catch {
            control.removeAll()
            return continuation.resume(throwing: error)
        }
        let who = iq.to?.description ?? account.jid.domain
        let timer = configuration.clock.schedule(after: timeout) { [weak self] in
            self?.assumeIsolated {
                $0.close(id, XMPPError(.timedOut, "\(who) did not answer within \(timeout)", isRetryable: true))
            }
        }
        let pending = PendingRequest(continuation: continuation, timer: timer, endsSession: endsSession)
        _ = tracker.open(id: id, to: iq.to, token: pending)
        flush()
    }

    private func close(_ id: String, _ error: any Error) {
        guard let pending = tracker.close(id: id) else { return }
        pending.timer.cancel()
        pending.continuation.resume(throwing: error)
    }

    func failRequests(_ error: XMPPError) {
        for pending in tracker.closeAll() {
            pending.timer.cancel()
            pending.continuation.resume(throwing: error)
        }
    }

    /// An IQ of the stream that is up: a reply to us, or a request.
    func receive(_ iq: IQ) {
        switch iq.kind {
        case .result, .error:
            guard let id = iq.id, let domain = try? JID(account.jid.domain),
                let pending = tracker.complete(
                    id: id, from: iq.from, own: isUnauthenticated ? nil : boundJID, domain: domain)
            else {
                droppedStanzas &+= 1
                return
            }
            pending.timer.cancel()
            if pending.endsSession, iq.kind == .result { phase = .disconnecting }
            pending.continuation.resume(returning: iq)
        case .get, .set: answer(iq)
        }
    }

    private func answer(_ request: IQ) {
        guard let payload = request.payload, let boundJID else { return }
        guard let module = requestHandlers[payload.name] else {
            return reply(to: request, .error(StanzaError(.serviceUnavailable)))
        }
        reply(to: request, module.answer(request, RequestContext(own: boundJID, features: features, session: self)))
    }

    private func reply(to request: IQ, _ answer: RequestAnswer) {
        switch answer {
        case .result(let payload): respond(request.result(payload), to: request)
        case .error(let error): respond(request.failure(error), to: request)
        case .ignore: droppedStanzas &+= 1
        case .later(let work):
            guard answersUnderWay < Self.answersAtATime else {
                return respond(request.failure(StanzaError(.resourceConstraint)), to: request)
            }
            answersUnderWay += 1
            Task.detached { [weak self] in
                var answer = await work()
                while case .later(let more) = answer { answer = await more() }
                await self?.finish(request, answer)
            }
        }
    }

    private func finish(_ request: IQ, _ answer: RequestAnswer) {
        answersUnderWay -= 1
        reply(to: request, answer)
    }

    /// Answers a request that breaks the rules, but says who wants an answer to what (RFC 6120 §8.2.3).
    func refuse(_ request: Element, _ error: StanzaError) {
        guard boundJID != nil, let id = request.filled("id") else { return }
        var reply = IQ(.error, to: request.address("from"), id: id, payload: error.element)
        if isComponent { reply.from = request.address("to") ?? boundJID }
        respond(reply)
    }

    /// Whoever was asked answers: a component speaks for many.
    private func respond(_ reply: IQ, to request: IQ) {
        guard isComponent else { return respond(reply) }
        var reply = reply
        reply.from = request.to ?? boundJID
        respond(reply)
    }

    /// Replies never wait: a peer that asks faster than it reads is slowed by the mark of the queue.
    private func respond(_ reply: IQ) {
        guard !sends.isOverHighWater else {
            droppedStanzas &+= 1
            return
        }
        _ = try? post(reply)
    }
}
