// SPDX-License-Identifier: Apache-2.0

/// Takes the pages of an archive over while the next ones are asked for.
///
/// What comes while a transaction is written is the next transaction: with a slow server each page is one of its own, with a
/// fast one many pages share one, so that a leaf of an index that several of them touch is written once. The order stays, so
/// the anchor never goes past what is not here. What is still in memory when the process ends is asked for again.
package actor ArchivePages {
    /// So many messages wait at most; whoever adds another page then waits for the disk.
    private static let mostWaiting = 4000

    private let store: AccountSessionStore
    private let scope: ArchiveScope
    /// What was not begun yet.
    private var waiting: [CatchUpPage] = []
    private var writing: Task<Void, Never>?
    private var failure: (any Error)?

    init(_ store: AccountSessionStore, _ scope: ArchiveScope) {
        self.store = store
        self.scope = scope
    }

    /// Those of the account's own archive.
    package init(own store: AccountSessionStore) { self.init(store, .own(store.jid)) }

    /// Has a page taken over soon; throws when one before it could not be.
    package func add(_ page: CatchUpPage) async throws {
        try check()
        if let last = waiting.indices.last, waiting[last].isStable, page.isStable {
            waiting[last].join(page)
        } else {
            waiting.append(page)
        }
        if writing == nil { writeNext() }
        while let writing, waiting.reduce(0, { $0 + $1.messages.count }) >= Self.mostWaiting { await writing.value }
        try check()
    }

    /// Waits until all pages are here, durable with the last one of the archive; throws when one could not be taken over, as are
    /// none behind it then.
    package func finish() async throws {
        while let writing { await writing.value }
        try check()
    }

    private func check() throws { if let failure { throw failure } }

    private func writeNext() {
        guard !waiting.isEmpty else { return }
        let page = waiting.removeFirst()
        writing = Task {
            do { try await store.take(page, of: scope) } catch {
                failure = error
                waiting = []
            }
            writing = nil
            writeNext()
        }
    }
}
