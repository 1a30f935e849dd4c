// SPDX-License-Identifier: Apache-2.0

/// The two counters of stream management and the stanzas between them (XEP-0198 §4 and §5), without a clock.
///
/// Counting is modulo 2³². What is *received* here is what was handled for good: committed by the store.
package struct StreamManagementStateMachine: Sendable {
    package enum Acknowledgement: Sendable, Hashable {
        /// Nothing new.
        case none
        /// All stanzas up to this sequence number were handled by the server.
        case through(UInt64)
        /// The server claims more than was ever sent (§4): end the stream, believe nothing.
        case tooHigh(handled: UInt32, sent: UInt32)
    }

    /// Whether the server counts too.
    package private(set) var isEnabled = false
    /// The id to resume by, nil when the server does not keep the session.
    package private(set) var resumptionID: String?
    package private(set) var location: String?
    /// Stanzas of the server that were handled, modulo 2³².
    package private(set) var received: UInt32 = 0
    /// Stanzas of ours that were written on this stream, modulo 2³².
    package private(set) var sent: UInt32 = 0
    /// Stanzas of ours that the server handled on this stream, modulo 2³².
    package private(set) var acknowledged: UInt32 = 0
    package private(set) var unacknowledged = UnacknowledgedQueue()
    /// How many of those were written since the stream began, the oldest ones: the server cannot have handled more.
    private var onWire = 0
    /// How many of those were written on this connection.
    private var onConnection = 0
    /// The server said what it handled of the stream before, so that what was left of it was not handled.
    package private(set) var leftIsUnhandled = false
    /// An `<r/>` is on its way.
    package private(set) var awaitsAnswer = false
    /// The stream was resumed, and the server has not answered on it yet.
    package private(set) var isUnproven = false
    /// The stream ended after it was resumed and never answered: it may be asked for its count once more, and carries
    /// nothing.
    package private(set) var isSpent = false
    /// What the stream before left was not handled, as its last count said.
    private var knowsWhatIsLeft = false

    package init() {}

    /// Takes up what a store kept from an earlier run.
    package init(_ stored: StoredSession) {
        // Counters without the stanzas between them prove nothing: such a stream is not resumed (B154).
        let isWhole =
            stored.state.sentOnStream &- stored.state.acknowledgedOnStream
            == UInt32(truncatingIfNeeded: stored.unacknowledged.count)
        resumptionID = isWhole ? stored.state.streamID : nil
        location = stored.state.location
        isEnabled = resumptionID != nil
        received = stored.state.received
        sent = stored.state.sentOnStream
        acknowledged = stored.state.acknowledgedOnStream
        for stanza in stored.unacknowledged {
            unacknowledged.append(
                .init(
                    sequence: stanza.sequence, byteCount: stanza.bytes.count, kind: stanza.kind, id: stanza.id),
                stanza.bytes[...])
        }
        onWire = unacknowledged.count
    }

    /// What to resume, if anything.
    package var resumption: NegotiationStateMachine.Resumption? {
        resumptionID.map { .init(previousID: $0, received: received) }
    }

    /// Handled `count` more stanzas of the server; what came before `<enabled/>` is not counted (T091).
    package mutating func handled(_ count: Int) {
        if isEnabled { received &+= UInt32(truncatingIfNeeded: count) }
    }

    /// These stanzas are being written now.
    package mutating func wrote(_ batch: ArraySlice<UnacknowledgedQueue.Entry>, _ bytes: ArraySlice<UInt8>) {
        guard isEnabled else { return }
        sent &+= UInt32(truncatingIfNeeded: batch.count)
        onWire += batch.count
        onConnection += batch.count
        unacknowledged.append(contentsOf: batch, bytes)
    }

    /// These stanzas were to be written and the stream ended before: the next one gets them.
    package mutating func keep(_ batch: ArraySlice<UnacknowledgedQueue.Entry>, _ bytes: ArraySlice<UInt8>) {
        if !isEnabled { unacknowledged.append(contentsOf: batch, bytes) }
    }

    /// The oldest `count` stanzas are being written again.
    package mutating func rewrote(_ count: Int) {
        onConnection = max(onConnection, min(count, unacknowledged.count))
        onWire = max(onWire, onConnection)
    }

    /// Whether to ask the server for its count now: something is open, or the stream has to prove itself, and no question
    /// is.
    package mutating func takeRequest() -> Bool {
        guard isEnabled, !awaitsAnswer, isUnproven || !unacknowledged.isEmpty else { return false }
        awaitsAnswer = true
        return true
    }

    /// `<a h=…/>` arrived.
    package mutating func answered(_ handled: UInt32) -> Acknowledgement {
        (awaitsAnswer, isUnproven) = (false, false)
        return advance(to: handled)
    }

    /// `<resumed h=…/>` arrived: the counters go on, what is left is to be written again.
    package mutating func resumed(_ handled: UInt32) -> Acknowledgement {
        (awaitsAnswer, isUnproven) = (false, true)
        onConnection = 0
        return advance(to: handled)
    }

    /// The connection is gone.
    ///
    /// A server may read a resumed stream as the rest of the stanza in which the lost connection was cut: it handles
    /// nothing then, and answers nothing (docs/design/0003-half-a-stanza.md).
    package mutating func disconnected() {
        if isUnproven, awaitsAnswer, resumptionID != nil { isSpent = true }
    }

    /// The spent stream told its count, and ends without having carried anything more.
    package mutating func counted() {
        ended()
        knowsWhatIsLeft = true
    }

    /// A fresh stream is up, after `<failed h=…/>` if the server said so.
    ///
    /// Messages that the server did not handle stay, to be written again with the same ids; presence and IQ are of
    /// their own time and go. `dropped` gives those.
    package mutating func restarted(
        _ management: NegotiationStateMachine.EnabledManagement?, handledBefore: UInt32?,
        dropped: inout [UnacknowledgedQueue.Entry]
    ) -> Acknowledgement {
        var result = Acknowledgement.none
        leftIsUnhandled = knowsWhatIsLeft
        knowsWhatIsLeft = false
        if let handledBefore {
            let outcome = advance(to: handledBefore)
            if case .tooHigh = outcome {} else { leftIsUnhandled = true }
            // The old stream is over: a wrong count there proves nothing, and nothing is marked by it.
            if case .through = outcome { result = outcome }
        }
        dropped = unacknowledged.filter { $0.kind == .message }
        isEnabled = management != nil
        resumptionID = management?.canResume == true ? management?.id : nil
        location = management?.location
        (received, acknowledged, awaitsAnswer) = (0, 0, false)
        (isUnproven, isSpent) = (false, false)
        (onWire, onConnection) = (0, 0)
        sent = isEnabled ? UInt32(truncatingIfNeeded: unacknowledged.count) : 0
        return result
    }

    /// Without stream management nothing is acknowledged: what was written is out of our hands.
    package mutating func forgetUnacknowledged() {
        _ = unacknowledged.filter { _ in false }
        (onWire, onConnection) = (0, 0)
    }

    /// Gives all stanzas away that were left by the stream before; the new one has written nothing yet.
    package mutating func takeMessages() -> [UnacknowledgedQueue.Entry] {
        let taken = unacknowledged.filter { _ in false }
        (sent, onWire, onConnection) = (0, 0, 0)
        return taken
    }

    /// Whether nothing of what is unacknowledged was written on this connection.
    package var awaitsRewriting: Bool { onConnection == 0 && !unacknowledged.isEmpty }

    /// The session is over: nothing can be resumed.
    package mutating func ended() {
        resumptionID = nil
        location = nil
        isSpent = false
    }

    /// Takes one stanza out that cannot be delivered.
    package mutating func remove(sequence: UInt64) {
        let removed = unacknowledged.filter { $0.sequence != sequence }
        if isEnabled { sent &-= UInt32(truncatingIfNeeded: removed.count) }
        onWire = min(onWire, unacknowledged.count)
        onConnection = min(onConnection, onWire)
    }

    private mutating func advance(to handled: UInt32) -> Acknowledgement {
        let count = Int(handled &- acknowledged)
        guard count <= onWire else {
            return .tooHigh(handled: handled, sent: acknowledged &+ UInt32(truncatingIfNeeded: onWire))
        }
        guard count > 0, let sequence = unacknowledged.removeFirst(count) else { return .none }
        onWire -= count
        onConnection = max(0, onConnection - count)
        acknowledged = handled
        return .through(sequence)
    }
}
