// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// How many requests a session may make: a bucket of tokens that fills again with time.
///
/// It is far above what a page of ours needs, and stops one that has gone wild.
final class WebRates: Sendable {
    struct Bucket {
        var tokens: Double
        var time: UInt64
    }

    private static let reads = (capacity: 600.0, perSecond: 100.0)
    private static let writes = (capacity: 200.0, perSecond: 20.0)
    /// Requests without a session share one bucket.
    private static let sessions = 256

    private let buckets = Locked<[String: Bucket]>([:])
    private let now: @Sendable () -> UInt64

    init(now: @escaping @Sendable () -> UInt64 = { WebConnectionRecord.now }) { self.now = now }

    func allows(_ session: String, isWrite: Bool) -> Bool {
        let limit = isWrite ? Self.writes : Self.reads
        let time = now()
        return buckets.withLock { buckets in
            let name = (isWrite ? "w " : "r ") + session
            if buckets.count > Self.sessions, buckets[name] == nil { buckets.removeAll() }
            var bucket = buckets[name] ?? Bucket(tokens: limit.capacity, time: time)
            let passed = Double(time &- bucket.time) / 1e9
            bucket.tokens = min(limit.capacity, bucket.tokens + passed * limit.perSecond)
            bucket.time = time
            defer { buckets[name] = bucket }
            guard bucket.tokens >= 1 else { return false }
            bucket.tokens -= 1
            return true
        }
    }
}
