// SPDX-License-Identifier: Apache-2.0

/// Finds out whether a silent connection is dead: asks after a while, gives up after another (RFC 6120 §4.6).
///
/// Times are spans since some fixed moment of a monotonic clock that the caller reads.
package struct LivenessStateMachine: Sendable {
    package enum Action: Sendable, Hashable {
        /// Look again after that span.
        case wait(Duration)
        /// Ask the server for a sign of life, then look again after that span.
        case probe(Duration)
        /// Nothing came: the connection is dead.
        case dead
    }

    private let interval: Duration
    private let timeout: Duration
    private var lastHeard: Duration
    private var asked: Duration?

    package init(interval: Duration, timeout: Duration, now: Duration) {
        self.interval = interval
        self.timeout = timeout
        lastHeard = now
    }

    /// Bytes arrived, white space too.
    package mutating func heard(_ now: Duration) {
        lastHeard = now
        asked = nil
    }

    /// Something was sent that the server has to answer; silence from now on counts.
    package mutating func asked(_ now: Duration) { if asked == nil { asked = now } }

    /// The machine slept, or the network changed: do not wait for the interval.
    package mutating func suspect(_ now: Duration) -> Action {
        asked = now
        return .probe(timeout)
    }

    package mutating func tick(_ now: Duration) -> Action {
        if let asked {
            let left = timeout - (now - asked)
            return left <= .zero ? .dead : .wait(left)
        }
        let left = interval - (now - lastHeard)
        guard left <= .zero else { return .wait(left) }
        asked = now
        return .probe(timeout)
    }
}
