// SPDX-License-Identifier: Apache-2.0

/// The stanzas that were written and not yet acknowledged, in order: one run of bytes and a list of lengths.
package struct UnacknowledgedQueue: Sendable {
    package struct Entry: Sendable, Hashable {
        package var sequence: UInt64
        package var byteCount: Int
        package var kind: SentStanza.Kind
        package var id: String?

        package init(sequence: UInt64, byteCount: Int, kind: SentStanza.Kind, id: String?) {
            self.sequence = sequence
            self.byteCount = byteCount
            self.kind = kind
            self.id = id
        }
    }

    private var entries: [Entry] = []
    private var firstEntry = 0
    private var bytes: [UInt8] = []
    private var firstByte = 0

    package init() {}

    package var count: Int { entries.count - firstEntry }
    package var isEmpty: Bool { count == 0 }
    package var first: Entry? { isEmpty ? nil : entries[firstEntry] }
    package var pending: ArraySlice<Entry> { entries[firstEntry...] }
    package var pendingBytes: ArraySlice<UInt8> { bytes[firstByte...] }
    /// So much is unacknowledged that nothing more should be written (T098).
    package var isOverHighWater: Bool { bytes.count - firstByte > Self.highWater || count > Self.highWaterCount }

    /// Four times what a server is likely to have in its buffers.
    package static let highWater = 4 * 1024 * 1024
    package static let highWaterCount = 16384

    package mutating func append(_ entry: Entry, _ stanza: ArraySlice<UInt8>) {
        entries.append(entry)
        bytes.append(contentsOf: stanza)
    }

    package mutating func append(contentsOf batch: ArraySlice<Entry>, _ stanzas: ArraySlice<UInt8>) {
        entries.append(contentsOf: batch)
        bytes.append(contentsOf: stanzas)
    }

    /// The oldest stanzas up to the `limit`th message, that one included, with their bytes.
    package func leading(messages limit: Int) -> (entries: ArraySlice<Entry>, bytes: ArraySlice<UInt8>) {
        var (end, endOfBytes, messages) = (firstEntry, firstByte, 0)
        while end < entries.count, messages < limit {
            endOfBytes += entries[end].byteCount
            if entries[end].kind == .message { messages += 1 }
            end += 1
        }
        return (entries[firstEntry..<end], bytes[firstByte..<endOfBytes])
    }

    /// Takes the oldest stanzas away; gives the sequence number of the last of them.
    package mutating func removeFirst(_ count: Int) -> UInt64? {
        guard count > 0, count <= self.count else { return nil }
        let last = firstEntry + count - 1
        for index in firstEntry...last { firstByte += entries[index].byteCount }
        let sequence = entries[last].sequence
        firstEntry = last + 1
        compact()
        return sequence
    }

    /// Keeps the stanzas for which `keeps` says so; gives the others.
    package mutating func filter(_ keeps: (Entry) -> Bool) -> [Entry] {
        var kept = UnacknowledgedQueue()
        var removed: [Entry] = []
        for (entry, stanza) in stanzas {
            if keeps(entry) { kept.append(entry, stanza) } else { removed.append(entry) }
        }
        self = kept
        return removed
    }

    /// Each stanza with its bytes.
    package var stanzas: [(Entry, ArraySlice<UInt8>)] {
        var result: [(Entry, ArraySlice<UInt8>)] = []
        var offset = firstByte
        for entry in pending {
            result.append((entry, bytes[offset..<offset + entry.byteCount]))
            offset += entry.byteCount
        }
        return result
    }

    /// Gives memory back in steps that cost as much as they free.
    private mutating func compact() {
        if firstEntry == entries.count {
            let isLarge = bytes.capacity > 64 * 1024
            entries.removeAll(keepingCapacity: !isLarge)
            bytes.removeAll(keepingCapacity: !isLarge)
            (firstEntry, firstByte) = (0, 0)
        } else if firstByte > 64 * 1024, firstByte > bytes.count / 2 {
            bytes.removeFirst(firstByte)
            entries.removeFirst(firstEntry)
            (firstEntry, firstByte) = (0, 0)
        }
    }
}
