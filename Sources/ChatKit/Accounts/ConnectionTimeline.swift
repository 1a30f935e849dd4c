// SPDX-License-Identifier: Apache-2.0
public import XMPP
public import struct Foundation.Date

/// What happened to an account's connection, the oldest first; only the latest ``capacity`` entries are kept.
public struct ConnectionTimeline: Sendable, Hashable {
    /// One thing that happened.
    public struct Entry: Sendable, Hashable {
        /// When it did.
        public let time: Date
        /// What it was.
        public let event: SessionEvent

        package init(time: Date, event: SessionEvent) {
            self.time = time
            self.event = event
        }

        /// Feeds the time to the hasher.
        public func hash(into hasher: inout Hasher) { hasher.combine(time) }
    }

    /// How many entries are kept.
    public static let capacity = 128

    /// What happened, the oldest first.
    public private(set) var entries: [Entry] = []

    /// Makes an empty timeline.
    public init() {}

    /// The entries from the beginning of the last attempt on.
    public var lastAttempt: ArraySlice<Entry> {
        let start = entries.lastIndex { if case .connecting = $0.event { true } else { false } }
        return entries[(start ?? entries.startIndex)...]
    }

    /// Adds what belongs into a timeline; the ups and downs of reading do not.
    package mutating func add(_ event: SessionEvent, at time: Date) {
        switch event {
        case .readingPaused, .readingResumed, .storeFailed, .storeRecovered, .dropped, .undeliverable: return
        default: break
        }
        entries.append(Entry(time: time, event: event))
        if entries.count > Self.capacity { entries.removeFirst(entries.count - Self.capacity) }
    }
}

extension ChatCore {
    /// What happened to an account's connection since the profile was opened.
    ///
    /// - Throws: ``ChatError/Code/unknownAccount``.
    public nonisolated func timeline(of account: JID) throws(ChatError) -> ConnectionTimeline {
        try runner(account).timeline
    }
}
