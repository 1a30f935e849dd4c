// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

/// What was read, kept equal on all devices of the account (XEP-0490).
///
/// What is told is derived from what the database says, so that nothing is lost when a connection breaks.
extension AccountRunner {
    func take(_ news: PersonalNews) async {
        switch news {
        case .displayed(let states): if await keep(states) { await publishDisplayed() }
        case .displayedUnknown: await learnDisplayed()
        case .picture(let change): await take(change)
        case .bookmarks(let changes): await take(changes)
        }
    }

    /// Asks what the other devices have read, then tells what they do not know.
    func learnDisplayed() async {
        guard let link, let states = try? await link.displayedStates() else { return }
        _ = await keep(states)
        await publishDisplayed()
    }

    /// Takes over what the other devices have read; gives whether they have to be told again what was read here.
    ///
    /// Each place is told again once: devices that do not have the messages in one order yet would answer each other for ever.
    private func keep(_ states: [DisplayedState]) async -> Bool {
        let (account, told) = (account, toldAgain)
        let again = try? await store.write { transaction in
            var again: [PutBackReading] = []
            for state in states {
                guard let reading = try transaction.displayedElsewhere(state, account: account),
                    told[reading.conversation] != reading.read
                else { continue }
                try transaction.told(reading.conversation, through: reading.sort)
                again.append(reading)
            }
            return again
        }
        for reading in again ?? [] { toldAgain[reading.conversation] = reading.read }
        return again?.isEmpty == false
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
                // Before the call: news of another device that come with the answer must not be overwritten.
                try? await store.write { try $0.told(row.conversation, through: row.sort) }
                do {
                    try await link.publishDisplayed(state)
                } catch {
                    try? await store.write { try $0.told(row.conversation, through: row.synced) }
                    // What the server refuses now it refuses for the rest of the stream.
                    let code = (error as? XMPPError)?.code
                    if code == .notPrivate || code == .requestFailed { keepsReadingHere = true }
                    return
                }
            }
        }
    }
}
