// SPDX-License-Identifier: Apache-2.0

/// What one transaction, or one change in memory, touched; live queries look again when it concerns them.
package struct StoreChanges: Sendable {
    package var accounts = false
    /// Conversations by row id.
    package var conversations: Set<Int64> = []
    /// Messages by row id.
    package var messages: Set<Int64> = []
    /// Accounts (row ids) whose contacts changed.
    package var contacts: Set<Int64> = []
    /// Accounts (row ids) whose contacts came online, went offline, or say something else about themselves.
    package var presence: Set<Int64> = []
    package var requests = false
    /// Peers that started or stopped writing.
    package var typing = false
    /// People came into rooms, or went out.
    package var activities = false
    /// Rows of the event log were added.
    package var events = false
    /// Accounts (row ids) that have new work in the outbox.
    package var outbox: Set<Int64> = []
    /// Files wait to be sent or fetched, or lie where nothing leads to them any more.
    package var files = false
    /// A transfer of a file went on.
    package var transfers = false
    /// A conversation was muted until a moment, or is not any more.
    package var mutes = false
    /// A text was removed that must not stay in the log of the database either.
    package var erased = false

    package init(presence: Set<Int64> = []) { self.presence = presence }

    package var isEmpty: Bool {
        !accounts && conversations.isEmpty && messages.isEmpty && contacts.isEmpty && presence.isEmpty && !requests
            && !typing && !activities && !events && outbox.isEmpty && !files && !transfers
            && !mutes
    }
}
