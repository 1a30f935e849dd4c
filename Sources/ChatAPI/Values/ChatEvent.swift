// SPDX-License-Identifier: Apache-2.0

/// Something that changed in the profile.
///
/// Events with a cursor are never lost: a stream that starts at a cursor begins with everything after it. Events
/// without one tell of a passing state (presence, typing, connection); only the newest of each subject is kept for a
/// reader that lags behind.
package struct ChatEvent: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A message is new, incoming or outgoing.
        case message(MessageItem)
        /// The state of a known message changed.
        case messageChanged(MessageItem)
        /// A message is no longer there: it was a change of another one, which came later.
        case messageRemoved(account: String, address: String, message: String)
        /// A row of the list of conversations is not what it was; ask for the list when a stream begins.
        case conversation(ConversationSummary)
        /// A conversation is no longer in the list.
        case conversationRemoved(account: String, address: String)
        /// A contact is new or changed, or its presence did.
        case contact(ContactSummary)
        /// A contact was removed.
        case contactRemoved(account: String, address: String)
        /// Somebody asks to see our presence.
        case request(RequestSummary)
        /// A request was answered or taken back.
        case requestRemoved(account: String, address: String)
        /// The other side writes, or stopped.
        case typing(account: String, address: String, isTyping: Bool)
        /// People came into a room, or went out.
        case roomActivity(RoomActivityItem)
        /// A file goes up or comes.
        case transfer(FileProgress)
        /// An account's connection changed.
        case connection(AccountSummary)
        /// An account is not, or no longer, one of the profile's; also one whose first login failed.
        case accountRemoved(account: String)
        /// To be shown; only among `announcements()`, as the next two.
        case announcement(Announcement)
        /// To be taken away, if it is shown.
        case announcementRemoved(id: String)
        /// So many messages are to be looked at.
        case unread(count: Int)
        /// Events after the cursor that was asked for are no longer kept; what follows is what is left.
        case gap
        /// All that happened before has been told; what follows is live.
        case live
    }

    package var cursor: String?
    package var kind: Kind

    package init(_ kind: Kind, cursor: String? = nil) {
        self.kind = kind
        self.cursor = cursor
    }
}

extension ChatEvent: Codable {
    private enum CodingKeys: String, CodingKey {
        case type, cursor, message, contact, request, account, address, conversation, id, transfer, announcement, count
        case activity
        case isTyping = "typing"
    }

    private enum Name: String, Codable {
        case message
        case messageChanged = "message-changed"
        case messageRemoved = "message-removed"
        case conversation
        case conversationRemoved = "conversation-removed"
        case contact
        case contactRemoved = "contact-removed"
        case request
        case requestRemoved = "request-removed"
        case typing, transfer, connection
        case roomActivity = "room-activity"
        case accountRemoved = "account-removed"
        case announcement
        case announcementRemoved = "announcement-removed"
        case unread
        case gap, live
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func address() throws -> (String, String) {
            (try values.decode(String.self, forKey: .account), try values.decode(String.self, forKey: .address))
        }
        switch try values.decode(Name.self, forKey: .type) {
        case .message: kind = .message(try values.decode(MessageItem.self, forKey: .message))
        case .messageChanged: kind = .messageChanged(try values.decode(MessageItem.self, forKey: .message))
        case .messageRemoved:
            let (account, peer) = try address()
            kind = .messageRemoved(
                account: account, address: peer, message: try values.decode(String.self, forKey: .id))
        case .conversation:
            kind = .conversation(try values.decode(ConversationSummary.self, forKey: .conversation))
        case .conversationRemoved:
            let (account, peer) = try address()
            kind = .conversationRemoved(account: account, address: peer)
        case .contact: kind = .contact(try values.decode(ContactSummary.self, forKey: .contact))
        case .contactRemoved:
            let (account, contact) = try address()
            kind = .contactRemoved(account: account, address: contact)
        case .request: kind = .request(try values.decode(RequestSummary.self, forKey: .request))
        case .requestRemoved:
            let (account, contact) = try address()
            kind = .requestRemoved(account: account, address: contact)
        case .typing:
            let (account, contact) = try address()
            let isTyping = try values.decode(Bool.self, forKey: .isTyping)
            kind = .typing(account: account, address: contact, isTyping: isTyping)
        case .roomActivity: kind = .roomActivity(try values.decode(RoomActivityItem.self, forKey: .activity))
        case .transfer: kind = .transfer(try values.decode(FileProgress.self, forKey: .transfer))
        case .connection: kind = .connection(try values.decode(AccountSummary.self, forKey: .account))
        case .accountRemoved: kind = .accountRemoved(account: try values.decode(String.self, forKey: .account))
        case .announcement: kind = .announcement(try values.decode(Announcement.self, forKey: .announcement))
        case .announcementRemoved: kind = .announcementRemoved(id: try values.decode(String.self, forKey: .id))
        case .unread: kind = .unread(count: try values.decode(Int.self, forKey: .count))
        case .gap: kind = .gap
        case .live: kind = .live
        }
        cursor = try values.decodeIfPresent(String.self, forKey: .cursor)
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        func put(_ name: Name, _ account: String, _ address: String) throws {
            try values.encode(name, forKey: .type)
            try values.encode(account, forKey: .account)
            try values.encode(address, forKey: .address)
        }
        switch kind {
        case .message(let item):
            try values.encode(Name.message, forKey: .type)
            try values.encode(item, forKey: .message)
        case .messageChanged(let item):
            try values.encode(Name.messageChanged, forKey: .type)
            try values.encode(item, forKey: .message)
        case .messageRemoved(let account, let address, let message):
            try put(.messageRemoved, account, address)
            try values.encode(message, forKey: .id)
        case .conversation(let conversation):
            try values.encode(Name.conversation, forKey: .type)
            try values.encode(conversation, forKey: .conversation)
        case .conversationRemoved(let account, let address): try put(.conversationRemoved, account, address)
        case .contact(let contact):
            try values.encode(Name.contact, forKey: .type)
            try values.encode(contact, forKey: .contact)
        case .contactRemoved(let account, let address): try put(.contactRemoved, account, address)
        case .request(let request):
            try values.encode(Name.request, forKey: .type)
            try values.encode(request, forKey: .request)
        case .requestRemoved(let account, let address): try put(.requestRemoved, account, address)
        case .typing(let account, let address, let isTyping):
            try put(.typing, account, address)
            try values.encode(isTyping, forKey: .isTyping)
        case .roomActivity(let activity):
            try values.encode(Name.roomActivity, forKey: .type)
            try values.encode(activity, forKey: .activity)
        case .transfer(let progress):
            try values.encode(Name.transfer, forKey: .type)
            try values.encode(progress, forKey: .transfer)
        case .connection(let account):
            try values.encode(Name.connection, forKey: .type)
            try values.encode(account, forKey: .account)
        case .accountRemoved(let account):
            try values.encode(Name.accountRemoved, forKey: .type)
            try values.encode(account, forKey: .account)
        case .announcement(let announcement):
            try values.encode(Name.announcement, forKey: .type)
            try values.encode(announcement, forKey: .announcement)
        case .announcementRemoved(let id):
            try values.encode(Name.announcementRemoved, forKey: .type)
            try values.encode(id, forKey: .id)
        case .unread(let count):
            try values.encode(Name.unread, forKey: .type)
            try values.encode(count, forKey: .count)
        case .gap: try values.encode(Name.gap, forKey: .type)
        case .live: try values.encode(Name.live, forKey: .type)
        }
        try values.encodeIfPresent(cursor, forKey: .cursor)
    }
}
