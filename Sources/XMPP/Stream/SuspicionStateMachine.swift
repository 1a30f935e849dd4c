// SPDX-License-Identifier: Apache-2.0

/// Finds the message that makes the server close the stream each time it is sent (poison in the outbox).
///
/// After a stream error the messages go out one at a time, each waiting for its acknowledgement. A message that was in
/// front at three stream errors is given up, and the others flow again. It is known by its id, which it keeps on every
/// stream; its sequence number may change.
package struct SuspicionStateMachine: Sendable {
    package enum Verdict: Sendable, Hashable {
        case keep
        /// Give this stanza up.
        case giveUp(UInt64)
    }

    package static let strikes = 3

    private var suspect: String?
    private var count = 0
    /// So many messages more go out one at a time.
    private var doubtful = 0
    /// The message that is on its way alone, and whether it is the suspect.
    private var underWay: (sequence: UInt64, isSuspect: Bool)?

    package init() {}

    /// Whether to send one message at a time.
    package var isCautious: Bool { doubtful > 0 }

    /// The stream ended by an error that a message of ours may have caused.
    ///
    /// `oldest` is the first message that was written and not acknowledged, `open` the number of all of those.
    package mutating func streamFailed(oldest: UnacknowledgedQueue.Entry, open: Int) -> Verdict {
        let name = Self.name(oldest)
        underWay = nil
        doubtful = max(doubtful, open)
        count = suspect == name ? count + 1 : 1
        suspect = name
        guard count >= Self.strikes else { return .keep }
        (suspect, count) = (nil, 0)
        doubtful -= 1
        return .giveUp(oldest.sequence)
    }

    /// A stanza is written while the session is cautious.
    package mutating func wrote(_ entry: UnacknowledgedQueue.Entry) {
        guard entry.kind == .message else { return }
        underWay = (entry.sequence, Self.name(entry) == suspect)
    }

    /// The server handled everything up to `sequence`.
    package mutating func acknowledged(through sequence: UInt64) {
        guard let underWay, underWay.sequence <= sequence else { return }
        self.underWay = nil
        doubtful = max(0, doubtful - 1)
        if underWay.isSuspect || doubtful == 0 { (suspect, count) = (nil, 0) }
    }

    private static func name(_ entry: UnacknowledgedQueue.Entry) -> String { entry.id ?? "#\(entry.sequence)" }
}
