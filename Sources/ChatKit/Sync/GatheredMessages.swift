// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

/// What the messages of a page of an archive add to their conversations and to the event log: written once for all of them.
struct GatheredMessages {
    /// What is added to one conversation.
    fileprivate struct Addition {
        /// The place of the last message before all of them; nil when others may be behind one of them.
        var lastBefore: Int64?
        var lastMessage: Int64 = 0
        /// The places of the last message, of the last one that is nothing new to the user, of the last mention, and of the
        /// last other one that was not read; 0 for none.
        var last: Int64 = 0
        var lastRead: Int64 = 0
        var lastMention: Int64 = 0
        var lastUnread: Int64 = 0
        /// Places.
        var unread: [Int64] = []
        var mentions: [Int64] = []
        var isSent = false
        /// The user read as far as this on another device.
        var readThrough: Int64?
    }

    fileprivate var additions: [Int64: Addition] = [:]
    fileprivate var events: [Int64] = []
    private(set) var account: Int64 = 0

    var isEmpty: Bool { additions.isEmpty && events.isEmpty }

    /// The last place of a conversation that was added to.
    func last(in conversation: Int64) -> Int64? { additions[conversation]?.last }

    mutating func add(
        _ message: Int64, _ sort: Int64, to conversation: Int64, behind last: Int64?, isUnread: Bool, isMention: Bool,
        isSent: Bool
    ) {
        var addition = additions.removeValue(forKey: conversation) ?? Addition(lastBefore: last)
        if last == nil { addition.lastBefore = nil }
        if sort > addition.last { (addition.lastMessage, addition.last) = (message, sort) }
        switch (isUnread, isMention) {
        case (false, _): addition.lastRead = max(addition.lastRead, sort)
        case (true, true): addition.lastMention = max(addition.lastMention, sort)
        case (true, false): addition.lastUnread = max(addition.lastUnread, sort)
        }
        if isUnread { addition.unread.append(sort) }
        if isUnread, isMention { addition.mentions.append(sort) }
        if isSent { addition.isSent = true }
        additions[conversation] = addition
    }

    /// Notes that a conversation was read on another device.
    mutating func read(_ conversation: Int64, through sort: Int64) {
        additions[conversation, default: Addition()].readThrough = sort
    }

    /// Notes a row of the event log; false for one of another account.
    mutating func note(_ message: Int64, account: Int64) -> Bool {
        guard events.isEmpty || account == self.account else { return false }
        self.account = account
        events.append(message)
        return true
    }
}

extension StoreTransaction {
    /// Writes what was gathered; whatever looks at conversations or the event log comes after it.
    func settleGathered() throws {
        guard let page = gathered, !page.isEmpty else { return }
        gathered = GatheredMessages()
        for (conversation, addition) in page.additions.sorted(by: { $0.key < $1.key }) {
            var readsAll = false
            if let read = addition.readThrough, let last = addition.lastBefore { readsAll = read > last }
            if addition.last != 0 { try write(addition, to: conversation, readsAll: readsAll) }
            if !readsAll, let sort = addition.readThrough {
                try readElsewhere(conversation: conversation, through: sort)
            }
        }
        try record(messages: page.events, account: page.account)
    }

    /// As ``append(message:sort:to:behind:isUnread:isMention:isSent:)`` of each message would.
    ///
    /// - Parameter readsAll: The user has read all that was here before, and on to one of the new messages: nothing but what
    ///   is behind that is unread.
    private func write(
        _ addition: GatheredMessages.Addition, to conversation: Int64, readsAll: Bool
    ) throws {
        let read = readsAll ? addition.readThrough : nil
        let unread = addition.unread.filter { $0 > read ?? 0 }
        let mentions = addition.mentions.filter { $0 > read ?? 0 }
        try connection.run(
            """
            UPDATE conversation SET last_message = CASE WHEN ?2 > last_sort THEN ?1 ELSE last_message END,
                last_sort = max(last_sort, ?2),
                unread = iif(?11 IS NULL, unread, 0)
                    + iif(?12 > read_sort, ?13, (SELECT count(*) FROM json_each(?3) WHERE value > read_sort)),
                mentions = iif(?11 IS NULL, mentions, 0)
                    + (SELECT count(*) FROM json_each(?4) WHERE value > read_sort),
                read_sort = max(read_sort, coalesce(?11, 0)), marked_sort = max(marked_sort, coalesce(?11, 0)),
                is_hidden = 0, has_sent = has_sent OR ?5,
                is_archived = is_archived AND ?6 <= last_sort
                    AND (?7 <= last_sort OR coalesce(muted_until > ?9, 0) OR level = 'none')
                    AND (?8 <= last_sort OR coalesce(muted_until > ?9, 0) OR level IN ('none', 'mentions'))
            WHERE id = ?10
            """, addition.lastMessage, addition.last, JSONText.array(unread), JSONText.array(mentions),
            addition.isSent, addition.lastRead, addition.lastMention, addition.lastUnread, now, conversation, read,
            unread.min() ?? .max, unread.count)
    }
}
