// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// The way into the store: one commit at a time, in order.
extension XMPPSession {
    /// While this holds nothing is read or written: the store does not know the stream yet.
    var isHeldForCommit: Bool { !commits.afterwards.isEmpty }

    func loadStore() async {
        guard let store, !commits.isLoaded else { return }
        await commitsFinished()
        while !Task.isCancelled {
            do {
                let stored = try await store.load()
                let isOurs = stored.map { isOfThisAccount($0) } ?? false
                management =
                    stored.flatMap { isOurs ? StreamManagementStateMachine($0) : nil } ?? StreamManagementStateMachine()
                (isOfEarlierRun, presenceNews) = (management.resumption != nil, .untold)
                if let stored {
                    if isOurs { boundJID = stored.state.boundJID }
                    sends.continueFrom(stored.state.nextSequence)
                    sends.acknowledges(true)
                }
                commits.isLoaded = true
                return
            } catch {
                emit(.storeFailed(String(describing: error)))
                await pauseBriefly()
            }
        }
    }

    /// What was sent for another account is never sent for this one (T101).
    private func isOfThisAccount(_ stored: StoredSession) -> Bool {
        guard let bound = stored.state.boundJID, account.jid.local != nil else { return true }
        return bound.bare == account.jid.bare
    }

    private func pauseBriefly() async {
        guard !commits.isGivenUp else { return }
        let gate = WakeGate()
        commitGate = gate
        let timer = configuration.clock.schedule(after: CommitPipeline.retry) { gate.open() }
        await withTaskCancellationHandler {
            await gate.wait(isolation: self)
        } onCancel: {
            gate.open()
        }
        timer.cancel()
    }

    /// Runs `work` when everything that is known now is durable; at once without a store.
    func afterCommit(_ work: @escaping () -> Void) {
        guard store != nil else { return work() }
        commits.afterwards.append(work)
        startCommit(isUrgent: true)
    }

    /// Starts a commit if there is reason to and none is under way.
    ///
    /// Received stanzas alone wait up to 10 ms for company; stanzas of ours, acknowledgements asked for and full
    /// batches do not.
    func startCommit(isUrgent: Bool) {
        guard let store, !commits.isUnderWay, !commits.isGivenUp else { return }
        let writes = takesSends && !sends.isEmpty
        let isFull = commits.waiting.count >= CommitPipeline.batch
        guard isUrgent || writes || isFull || isHeldForCommit else {
            if commits.hasWork { gatherMore() }
            return
        }
        guard writes || commits.hasWork else { return commitDone() }
        commitTimer?.cancel()
        commitTimer = nil
        commits.isUnderWay = true
        commits.underWay = Array(commits.waiting.prefix(CommitPipeline.batch))
        commits.waiting.removeFirst(commits.underWay.count)
        let commit = nextCommit(writes: writes)
        Task { await self.run(commit, in: store) }
    }

    private var takesSends: Bool {
        guard case .online = phase, let channel, negotiation == nil, !isHeldForCommit else { return false }
        return mayWrite(channel)
    }

    private func gatherMore() {
        guard commitTimer == nil else { return }
        commitTimer = configuration.clock.schedule(after: CommitPipeline.gather) { [weak self] in
            self?.assumeIsolated { session in
                session.commitTimer = nil
                session.startCommit(isUrgent: true)
            }
        }
    }

    private func nextCommit(writes: Bool) -> SessionCommit {
        var sent: [SentStanza] = []
        if writes, takeSends() {
            management.wrote(outgoingEntries[...], outgoing.bytes[...])
            var offset = outgoing.bytes.startIndex
            for entry in outgoingEntries {
                let end = offset + entry.byteCount
                sent.append(
                    SentStanza(
                        sequence: entry.sequence, kind: entry.kind, id: entry.id,
                        bytes: Array(outgoing.bytes[offset..<end])))
                offset = end
            }
        }
        let commit = SessionCommit(
            received: commits.underWay.compactMap(\.stanza), sent: sent,
            acknowledgedThrough: commits.acknowledgedThrough, dropped: commits.dropped,
            givesBack: commits.givesBack,
            state: SessionState(
                streamID: management.resumptionID, boundJID: boundJID, location: management.location,
                received: management.received &+ (management.isEnabled ? commits.underWayCount : 0),
                sentOnStream: management.sent, acknowledgedOnStream: management.acknowledged,
                nextSequence: sends.nextSequence))
        commits.acknowledgedThrough = nil
        commits.dropped = [:]
        commits.givesBack = nil
        commits.isDirty = false
        return commit
    }

    /// Until it works: nothing may be lost because a disk was full for a while.
    private func run(_ commit: SessionCommit, in store: any SessionStore) async {
        while true {
            do {
                try await store.commit(commit)
                break
            } catch {
                if !commits.isFailing {
                    commits.isFailing = true
                    pause(.store)
                    emit(.storeFailed(String(describing: error)))
                }
                await pauseBriefly()
                if commits.isGivenUp { return commitsGivenUp() }
            }
        }
        if commits.isFailing {
            commits.isFailing = false
            emit(.storeRecovered)
        }
        commitDone()
    }

    /// The session ends while its store does not work: what is not durable was not handled, so nobody hears of it, and the
    /// server will offer it again.
    private func commitsGivenUp() {
        let waiting = commits.idle
        commits = CommitPipeline()
        commits.isGivenUp = true
        outgoing.removeAll()
        outgoingEntries.removeAll(keepingCapacity: true)
        unpause(.store)
        for waiter in waiting { waiter.resume() }
    }

    private func commitDone() {
        let done = commits.underWay
        management.handled(Int(commits.underWayCount))
        commits.underWay = []
        commits.isUnderWay = false
        if !outgoingEntries.isEmpty { writeCommitted() }
        publish(done)
        let work = commits.hasWork && isHeldForCommit ? [] : commits.afterwards
        if !work.isEmpty {
            commits.afterwards = []
            for item in work { item() }
        }
        let wakes = commits.idle
        if !commits.hasWork {
            commits.idle = []
            for waiter in wakes { waiter.resume() }
        }
        if commits.uncommitted < CommitPipeline.limit / 2, pauses.contains(.store) {
            unpause(.store)
            pump()
        }
        answerRequest(isCommitted: true)
        startCommit(isUrgent: answerDue)
    }

    /// The stanzas of ours that are durable now; if the stream ended meanwhile, the next one repeats them.
    private func writeCommitted() {
        if case .online = phase, let channel, negotiation == nil {
            writeTaken(channel)
        } else {
            management.keep(outgoingEntries[...], outgoing.bytes[...])
            outgoing.removeAll()
            outgoingEntries.removeAll(keepingCapacity: true)
        }
    }

    private func publish(_ done: [CommitPipeline.Received]) {
        guard !done.isEmpty else { return }
        for item in done {
            switch item.stanza {
            case .message(let message): messageBatch.append(message)
            case .presence(let presence): presenceBatch.append(presence)
            case .iq, nil: break
            }
        }
        if !messageBatch.isEmpty, messagePublisher.publish(messageBatch) { readerIsFull(messageBatch.count) }
        if !presenceBatch.isEmpty { _ = presencePublisher.publish(presenceBatch) }
        messageBatch = []
        presenceBatch = []
    }

    /// Waits until nothing is left to commit.
    func commitsFinished() async {
        guard store != nil, !commits.isGivenUp, commits.isUnderWay || commits.hasWork else { return }
        await withCheckedContinuation { continuation in
            commits.idle.append(continuation)
            startCommit(isUrgent: true)
        }
    }

    /// The same, but a store that fails is given up at the deadline.
    func commitsFinished(until deadline: MonotonicTime) async {
        guard store != nil, commits.isUnderWay || commits.hasWork else { return }
        let left = max(.zero, configuration.clock.now.duration(to: deadline))
        let timer = configuration.clock.schedule(after: left) { [weak self] in
            self?.assumeIsolated { session in
                guard session.commits.isFailing else { return }
                session.commits.isGivenUp = true
                session.commitGate?.open()
            }
        }
        await commitsFinished()
        timer.cancel()
    }
}
