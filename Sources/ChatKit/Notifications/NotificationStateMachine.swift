// SPDX-License-Identifier: Apache-2.0
internal import struct Foundation.Calendar
internal import struct Foundation.Date
internal import XMPP

/// Decides what the user is told, and what is taken away again.
struct NotificationStateMachine {
    /// Something that happened, at a moment.
    enum Event {
        /// A message is new; with its conversation as it is now.
        case message(ChatMessage, Conversation)
        /// A known message is not what it was.
        case changed(ChatMessage)
        /// The list of conversations as it is now.
        case conversations([Conversation])
        case request(ContactRequest)
        case requestGone(Contact.ID)
        /// The user looks at a conversation, or at none.
        case focus(Conversation.ID?)
        case rules(NotificationRules)
    }

    private struct Shown {
        var notification: ChatNotification
        /// The newest message that was told of.
        var message: ChatMessage.ID?
        /// It is among the mentions that the conversation counts; one by a word of the rules is not.
        var isCounted = false
    }

    private(set) var rules: NotificationRules
    private let calendar: Calendar
    private var focus: Conversation.ID?
    private var shown: [ChatNotification.ID: Shown] = [:]
    private var conversations: [Conversation]?
    private var badge: Int?

    init(rules: NotificationRules, calendar: Calendar = .current) {
        self.rules = rules
        self.calendar = calendar
    }

    mutating func take(_ event: Event, at date: Date) -> [NotificationChange] {
        switch event {
        case .message(let message, let conversation): return announce(message, conversation, date)
        case .changed(let message): return correct(message)
        case .conversations(let list):
            conversations = list
            return withdrawRead(date) + count(date)
        case .request(let request): return announce(request, date)
        case .requestGone(let id): return withdraw(.request(id))
        case .focus(let conversation):
            focus = conversation
            return conversation.map { withdraw(.conversation($0)) } ?? []
        case .rules(let rules):
            self.rules = rules
            return withdrawRead(date) + count(date)
        }
    }

    private mutating func announce(
        _ message: ChatMessage, _ conversation: Conversation, _ date: Date
    ) -> [NotificationChange] {
        guard focus != conversation.id,
            let reason = rules.reason(for: message, in: conversation, at: date, calendar: calendar)
        else { return [] }
        let id = ChatNotification.ID.conversation(conversation.id)
        let before = shown[id]
        // The same message twice, as after a page of the archive, is told once.
        if let known = before?.message, known >= message.id { return [] }
        // What was read of it elsewhere meanwhile does not count any more.
        let count = min((before?.notification.count ?? 0) + 1, max(conversation.unread, 1))
        return post(
            notification(message, conversation, reason, count: count, isSilent: false), isCounted: message.isMention)
    }

    private func notification(
        _ message: ChatMessage, _ conversation: Conversation, _ reason: ChatNotification.Reason, count: Int,
        isSilent: Bool
    ) -> ChatNotification {
        ChatNotification(
            id: .conversation(conversation.id), reason: reason, account: message.account, peer: message.peer,
            title: rules.previews == .none ? nil : conversation.name ?? message.peer.description,
            sender: conversation.kind == .room && rules.previews != .none ? message.senderName : nil,
            body: rules.previews == .all ? Self.text(message) : nil, message: message.id, count: count,
            picture: rules.previews == .none ? nil : conversation.picture, isSilent: isSilent)
    }

    private mutating func announce(_ request: ContactRequest, _ date: Date) -> [NotificationChange] {
        guard rules.isOn, rules.announcesRequests, !rules.isQuiet(at: date, calendar),
            shown[.request(request.id)] == nil
        else { return [] }
        return post(
            ChatNotification(
                id: .request(request.id), reason: .request, account: request.account, peer: request.jid,
                title: rules.previews == .none ? nil : request.jid.description,
                sender: rules.previews == .none ? nil : request.nickname,
                body: rules.previews == .all ? request.text.map(Self.shortened) : nil, message: nil, count: 1,
                picture: nil,
                isSilent: false))
    }

    private mutating func post(
        _ notification: ChatNotification, isCounted: Bool = false
    ) -> [NotificationChange] {
        shown[notification.id] = Shown(
            notification: notification, message: notification.message, isCounted: isCounted)
        return [.post(notification)]
    }

    /// A message that was told of has another text, or none any more.
    private mutating func correct(_ message: ChatMessage) -> [NotificationChange] {
        let id = ChatNotification.ID.conversation(message.conversation)
        guard let before = shown[id], before.message == message.id else { return [] }
        if message.retracted != nil { return withdraw(id) }
        let known = before.notification
        guard rules.previews == .all, known.body != Self.text(message) else { return [] }
        return post(
            ChatNotification(
                id: id, reason: known.reason, account: known.account, peer: known.peer, title: known.title,
                sender: known.sender, body: Self.text(message), message: message.id, count: known.count,
                picture: known.picture, isSilent: true), isCounted: message.isMention)
    }

    private mutating func withdraw(_ id: ChatNotification.ID) -> [NotificationChange] {
        shown.removeValue(forKey: id) == nil ? [] : [.withdraw(id)]
    }

    /// Takes away what was read elsewhere, is gone, or is not to be told any more.
    private mutating func withdrawRead(_ date: Date) -> [NotificationChange] {
        guard let conversations else { return [] }
        var known: [Conversation.ID: Conversation] = [:]
        for conversation in conversations { known[conversation.id] = conversation }
        var gone: [ChatNotification.ID] = []
        for (id, told) in shown {
            switch id {
            case .conversation(let name):
                guard let conversation = known[name] else {
                    gone.append(id)
                    continue
                }
                if conversation.unread == 0 || conversation.isMuted(at: date) || !rules.isOn
                    || !rules.announcesStrangers && conversation.isStranger || !isWanted(told, conversation)
                {
                    gone.append(id)
                }
            case .request: if !rules.isOn || !rules.announcesRequests { gone.append(id) }
            }
        }
        return gone.flatMap { withdraw($0) }
    }

    /// Whether what was told still has its reason where only mentions are told: what names the user may be read, and what
    /// follows not.
    private func isWanted(_ told: Shown, _ conversation: Conversation) -> Bool {
        guard conversation.level == .mentions else { return true }
        return told.notification.reason == .mention && (conversation.mentions > 0 || !told.isCounted)
    }

    private mutating func count(_ date: Date) -> [NotificationChange] {
        guard let conversations else { return [] }
        let now = rules.badge(conversations, at: date)
        guard now != badge else { return [] }
        badge = now
        return [.badge(now)]
    }

    /// What a message says, or which files it brings.
    private static func text(_ message: ChatMessage) -> String {
        shortened(message.body.isEmpty ? message.files.map(\.name).joined(separator: ", ") : message.body)
    }

    private static func shortened(_ text: String) -> String {
        text.count > ChatNotification.maximumLength ? text.prefix(ChatNotification.maximumLength) + "…" : text
    }
}
