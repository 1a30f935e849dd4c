// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

/// What was read, kept equal on all devices of the account (XEP-0490).
///
/// What is told is derived from what the database says, so that nothing is lost when a connection breaks.
extension AccountRunner {
    func take(_ news: PersonalNews) async {
        switch news {
        case .displayed(let states): await keep(states)
        case .displayedUnknown: await learnDisplayed()
        case .picture(let change): await take(change)
        case .bookmarks(let changes): await take(changes)
        }
    }

    /// Asks what the other devices have read, then tells what they do not know.
    func learnDisplayed() async {
        guard let link, let states = try? await link.displayedStates() else { return }
        await keep(states)
        await publishDisplayed()
    }

    private func keep(_ states: [DisplayedState]) async {
        let account = account
        try? await store.write { transaction in
            for state in states { try transaction.displayedElsewhere(state, account: account) }
        }
    }

    /// Tells the other devices what was read here.
    func publishDisplayed() async {
        guard !isPublishingDisplayed else { return wantsPublishDisplayed = true }
        isPublishingDisplayed = true
        defer { isPublishingDisplayed = false }
        repeat {
            wantsPublishDisplayed = false
            await publishDisplayedOnce()
        } while wantsPublishDisplayed
    }

    private func publishDisplayedOnce() async {
        let account = account
        while !keepsReadingHere, connection.isOnline, let link {
            let rows = try? await store.read { try Queries.unsynced($0, account: account) }
            guard let rows, !rows.isEmpty else { return }
            for row in rows {
                guard let peer = try? JID(stored: row.peer), let archive = try? JID(stored: row.archive) else {
                    continue
                }
                let state = DisplayedState(conversation: peer, message: StanzaID(id: row.id, by: archive))
                do {
                    try await link.publishDisplayed(state)
                } catch {
                    // What the server refuses now it refuses for the rest of the stream.
                    let code = (error as? XMPPError)?.code
                    if code == .notPrivate || code == .requestFailed { keepsReadingHere = true }
                    return
                }
                try? await store.write { transaction in
                    try transaction.connection.run(
                        "UPDATE conversation SET synced_sort = max(synced_sort, ?) WHERE id = ?", row.sort,
                        row.conversation)
                }
            }
        }
    }
}
