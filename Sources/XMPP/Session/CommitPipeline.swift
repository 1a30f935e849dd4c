// SPDX-License-Identifier: Apache-2.0

/// What waits to be made durable, and what of it is under way.
///
/// Plain bookkeeping, owned by the session.
struct CommitPipeline {
    /// A batch holds at most this many received stanzas (design, principle 7).
    static let batch = 50
    /// It waits at most that long for more.
    static let gather: Duration = .milliseconds(10)
    /// So many uncommitted stanzas stop the reading.
    static let limit = 256
    /// The wait before a failed commit is tried again.
    static let retry: Duration = .seconds(1)

    /// One received stanza; nil for one that was dropped and only counts.
    struct Received {
        var stanza: Stanza?
        /// Whether stream management counts it.
        var counts: Bool
    }

    var waiting: [Received] = []
    /// What the commit under way holds, to be delivered when it is done.
    var underWay: [Received] = []
    var isUnderWay = false
    var isFailing = false
    var isLoaded = false
    /// The session ends and the store fails: nothing is committed any more.
    var isGivenUp = false
    /// Something beside stanzas changed: counters, stream id.
    var isDirty = false
    var acknowledgedThrough: UInt64?
    var dropped: [UInt64: XMPPError] = [:]
    var givesBack: SessionCommit.LeftMessages?
    /// What to do when the commit under way is done.
    var afterwards: [() -> Void] = []

    /// Who waits for everything to be durable.
    var idle: [CheckedContinuation<Void, Never>] = []

    /// How many counted stanzas the commit under way holds.
    var underWayCount: UInt32 { underWay.reduce(0) { $1.counts ? $0 &+ 1 : $0 } }
    var uncommitted: Int { waiting.count + underWay.count }
    var hasWork: Bool { !waiting.isEmpty || isDirty || acknowledgedThrough != nil || !dropped.isEmpty }
}
