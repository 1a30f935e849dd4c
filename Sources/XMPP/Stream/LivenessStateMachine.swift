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
    /// Since when the server owes its count, whatever else it says meanwhile.
    private var owedSince: Duration?
    /// That count is the first sign that the server reads what it is sent.
    private var isUnproven = false
    /// The last count was no news though something is open: ask again at the next tick.
    private var isStalled = false

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

    /// The server was asked for its count; silence from now on counts.
    ///
    /// A stream that has to prove itself by the answer may be silent for half the timeout, and talk for all of it.
    package mutating func asked(_ now: Duration, isUnproven: Bool = false) {
        if asked == nil { asked = now }
        if owedSince == nil { owedSince = now }
        if isUnproven { self.isUnproven = true }
    }

    /// The server gave its count; whether that was any progress.
    package mutating func answered(progressed: Bool) {
        isStalled = !progressed
        isUnproven = false
        if progressed { owedSince = nil }
    }

    /// Nothing is read for now, so nothing can be said about the other side.
    package mutating func excused(_ now: Duration) {
        heard(now)
        owedSince = nil
    }

    /// The machine slept, or the network changed: do not wait for the interval.
    package mutating func suspect(_ now: Duration) -> Action {
        asked = now
        return .probe(timeout)
    }

    package mutating func tick(_ now: Duration) -> Action {
        // A server that talks and never acknowledges is of no use (T098): it has much longer, then that is the end, too.
        let patience = owedSince.map { (isUnproven ? timeout : interval + timeout) - (now - $0) }
        if let patience, patience <= .zero { return .dead }
        if isStalled {
            isStalled = false
            asked = now
            return .probe(timeout)
        }
        if let asked {
            let left = (isUnproven ? timeout / 2 : timeout) - (now - asked)
            return left <= .zero ? .dead : .wait(min(left, patience ?? left))
        }
        let left = interval - (now - lastHeard)
        guard left <= .zero else { return .wait(min(left, patience ?? left)) }
        asked = now
        return .probe(timeout)
    }
}
