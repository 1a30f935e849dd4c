// SPDX-License-Identifier: Apache-2.0

/// Endpoints that failed lately: the next attempt begins elsewhere and comes to them last.
///
/// What is remembered is bounded, and for a while only: a server that was repaired gets its place back. Owner of the
/// state: its lock.
package final class FailedEndpoints: Sendable {
    private let entries = Locked<[Endpoint: MonotonicTime]>([:])
    private let capacity: Int
    private let lifetime: Duration

    /// Remembers up to 64 endpoints for 5 minutes each unless told otherwise.
    package init(capacity: Int = 64, lifetime: Duration = .seconds(300)) {
        self.capacity = max(capacity, 1)
        self.lifetime = lifetime
    }

    /// The endpoint refused, did not answer, or took the connection and was of no use.
    package func remember(_ endpoint: Endpoint, now: MonotonicTime = .now()) {
        entries.withLock { entries in
            if entries[endpoint] == nil, entries.count >= capacity,
                let oldest = entries.min(by: { $0.value < $1.value })
            {
                entries[oldest.key] = nil
            }
            entries[endpoint] = now
        }
    }

    /// The endpoint works.
    package func forget(_ endpoint: Endpoint) {
        entries.withLock { $0[endpoint] = nil }
    }

    /// Those that failed within the lifetime before `now`.
    package func recent(now: MonotonicTime = .now()) -> Set<Endpoint> {
        entries.withLock { entries in
            entries = entries.filter { $0.value.duration(to: now) < lifetime }
            return Set(entries.keys)
        }
    }
}
