// SPDX-License-Identifier: Apache-2.0
internal import ApusTransport

/// How far the transfers are that are under way; a passing state, never stored.
///
/// Owner of its state: its lock.
package final class TransferBook: Sendable {
    private struct Entry {
        var transfer: FileTransfer
        var told: ContinuousClock.Instant
    }

    private let entries = Locked<[MessageFile.ID: Entry]>([:])
    private let hub: ChangeHub
    /// So much time lies between two pieces of news of one transfer.
    private static let pause: Duration = .milliseconds(100)

    package init(hub: ChangeHub) { self.hub = hub }

    var all: [FileTransfer] {
        entries.withLock { $0.values.map(\.transfer) }.sorted { $0.id.rawValue < $1.id.rawValue }
    }

    func begin(_ transfer: FileTransfer) {
        entries.withLock { $0[transfer.id] = Entry(transfer: transfer, told: .now) }
        tell()
    }

    func progress(_ id: MessageFile.ID, completed: Int64, total: Int64?) {
        let isNews = entries.withLock { entries -> Bool in
            guard var entry = entries[id] else { return false }
            (entry.transfer.completed, entry.transfer.total) = (completed, total ?? entry.transfer.total)
            let isDue = ContinuousClock.now - entry.told >= Self.pause
            if isDue { entry.told = .now }
            entries[id] = entry
            return isDue
        }
        if isNews { tell() }
    }

    func end(_ id: MessageFile.ID) {
        let isKnown = entries.withLock { $0.removeValue(forKey: id) != nil }
        if isKnown { tell() }
    }

    private func tell() {
        var changes = StoreChanges()
        changes.transfers = true
        hub.publish(changes)
    }
}
