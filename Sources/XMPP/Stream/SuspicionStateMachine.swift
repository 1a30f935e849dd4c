// SPDX-License-Identifier: Apache-2.0

/// Finds the message that makes the server close the stream each time it is sent (poison in the outbox).
///
/// After a stream error one message goes out alone, and then, as long as all are acknowledged, twice as many together each
/// time. Those that were together when the next error came go one at a time. A message that was in front at three stream
/// errors is given up, and the others flow again. It is known by its id, which it keeps on every stream; its sequence
/// number may change.
package struct SuspicionStateMachine: Sendable {
    package enum Verdict: Sendable, Hashable {
        case keep
        /// Give this stanza up.
        case giveUp(UInt64)
    }

    package static let strikes = 3
    /// So many messages go out together at most while any is doubtful, and so many one at a time after an error.
    package static let largestGroup = 32

    private var suspect: String?
    private var count = 0
    /// So many messages more go out under caution.
    private var doubtful = 0
    /// So many of them go out one at a time: they were together when the stream ended.
    private var alone = 0
    /// So many of them go out together otherwise.
    private var group = 1
    /// The messages that are on their way: the last one, how many, and whether the suspect is among them.
    private var underWay: (sequence: UInt64, count: Int, hasSuspect: Bool)?

    package init() {}

    /// Whether to send a few messages at a time, each time until all of them are acknowledged.
    package var isCautious: Bool { doubtful > 0 }

    /// How many messages may go out together while the session is cautious.
    package var allowance: Int { alone > 0 ? 1 : group }

    /// The stream ended by an error that a message of ours may have caused.
    ///
    /// `oldest` is the first message that was written and not acknowledged, `open` the number of all of those.
    package mutating func streamFailed(oldest: UnacknowledgedQueue.Entry, open: Int) -> Verdict {
        let name = Self.name(oldest)
        if let underWay, underWay.count > 1 { alone = min(open, underWay.count) }
        group = 1
        underWay = nil
        doubtful = max(doubtful, open)
        count = suspect == name ? count + 1 : 1
        suspect = name
        guard count >= Self.strikes else { return .keep }
        (suspect, count) = (nil, 0)
        proved(1)
        return .giveUp(oldest.sequence)
    }

    /// These stanzas are written while the session is cautious.
    package mutating func wrote(_ entries: ArraySlice<UnacknowledgedQueue.Entry>) {
        var (count, last, hasSuspect) = (0, UInt64(0), false)
        for entry in entries where entry.kind == .message {
            count += 1
            last = entry.sequence
            if let suspect, Self.name(entry) == suspect { hasSuspect = true }
        }
        if count > 0 { underWay = (last, count, hasSuspect) }
    }

    /// The server handled everything up to `sequence`.
    package mutating func acknowledged(through sequence: UInt64) {
        guard let underWay, underWay.sequence <= sequence else { return }
        self.underWay = nil
        if alone == 0 { group = min(group * 2, Self.largestGroup) }
        proved(underWay.count)
        if underWay.hasSuspect || doubtful == 0 { (suspect, count) = (nil, 0) }
    }

    private mutating func proved(_ count: Int) {
        doubtful = max(0, doubtful - count)
        alone = max(0, alone - count)
        if doubtful == 0 { (alone, group) = (0, 1) }
    }

    private static func name(_ entry: UnacknowledgedQueue.Entry) -> String { entry.id ?? "#\(entry.sequence)" }
}
