// SPDX-License-Identifier: Apache-2.0

/// Finds the stanza that makes the server close the stream each time it is sent (poison in the outbox).
///
/// After a stream error the stanzas go out one at a time, each waiting for its acknowledgement. A stanza that was
/// alone on the wire at three stream errors is given up, and the others flow again.
package struct SuspicionStateMachine: Sendable {
    package enum Verdict: Sendable, Hashable {
        case keep
        /// Give this stanza up.
        case giveUp(UInt64)
    }

    package static let strikes = 3

    private var suspect: UInt64?
    private var count = 0
    /// Whether to send one stanza at a time.
    package private(set) var isCautious = false

    package init() {}

    /// The stream ended by an error that a stanza of ours may have caused.
    ///
    /// `oldest` is the first stanza that was written and not acknowledged.
    package mutating func streamFailed(oldest: UInt64?) -> Verdict {
        guard let oldest else { return .keep }
        isCautious = true
        count = suspect == oldest ? count + 1 : 1
        suspect = oldest
        guard count >= Self.strikes else { return .keep }
        (suspect, count) = (nil, 0)
        return .giveUp(oldest)
    }

    /// The server acknowledged something; `isEmpty` when nothing is left.
    package mutating func acknowledged(isEmpty: Bool) {
        (suspect, count) = (nil, 0)
        if isEmpty { isCautious = false }
    }
}
