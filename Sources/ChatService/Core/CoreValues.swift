// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatKit
import Foundation
import XMPP

// The core's values in the words of the interface.

extension Timestamp {
    init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        self.init(milliseconds: Int64(exactly: min(max(milliseconds, -6.3e13), 2.6e14)) ?? 0)
    }
}

extension AccountSummary {
    init(_ account: ChatAccount) {
        self.init(
            address: account.jid.description, isEnabled: account.isEnabled,
            connection: ConnectionStatus(account.connection), queued: account.queued,
            gaps: account.gaps.isEmpty ? nil : account.gaps.map { AccountSummary.ArchiveGap($0) })
    }
}

extension AccountSummary.ArchiveGap {
    init(_ gap: ChatKit.ArchiveGap) {
        let reason =
            switch gap.reason {
            case .newDevice: "new-device"
            case .anchorLost: "anchor-lost"
            case .other(let text): text
            }
        self.init(reason: reason, noticed: Timestamp(gap.noticed), isLoss: gap.isLoss)
    }
}

extension ChatAPI.RegistrationForm {
    /// The fields besides name and password; those have options of their own on the command line.
    init(_ form: XMPP.RegistrationForm, pictures: [String: Picture] = [:]) {
        let others = form.fields.filter { field in
            field.name != nil && !["username", "password"].contains(field.name) && field.kind != .fixed
        }
        self.init(
            instructions: form.instructions.isEmpty ? nil : form.instructions.joined(separator: "\n"),
            fields: others.map { field in
                let picture = pictures[field.name ?? ""].map {
                    PictureData(type: $0.format.mediaType, data: Data($0.bytes))
                }
                return Field(
                    name: field.name ?? "",
                    label: ([field.title] + (picture == nil ? field.media : [])).joined(separator: " "),
                    isRequired: field.isRequired, isSecret: field.kind == .secret, value: field.values.first,
                    options: field.options.map(\.value), picture: picture)
            },
            webAddress: form.elsewhere)
    }
}

extension ConnectionStatus {
    init(_ state: ConnectionState) {
        self.init(.offline, since: Timestamp(state.since), error: state.error.map { ChatAPIError($0) })
        switch state.phase {
        case .offline: break
        case .connecting: phase = .connecting
        case .online(let bound, let resumed):
            phase = .online
            boundAddress = bound.description
            isResumed = resumed
        case .waiting(let retry):
            phase = .waiting
            retryAt = Timestamp(retry)
        case .failed: phase = .failed
        }
    }
}

extension ContactSummary {
    init(_ contact: Contact) {
        self.init(
            account: contact.account.description, address: contact.jid.description, name: contact.name,
            groups: contact.groups, subscription: Subscription(rawValue: contact.subscription.rawValue) ?? .none,
            isAsked: contact.isAsked, presence: PresenceSummary(contact.presence),
            picture: contact.picture?.description)
    }
}

extension PresenceSummary {
    init(_ presence: ContactPresence) {
        let availability: Availability =
            switch presence.availability {
            case .chat: .chat
            case .online: .online
            case .away: .away
            case .extendedAway: .xa
            case .doNotDisturb: .dnd
            case .offline: .offline
            case .unknown: .unknown
            }
        self.init(availability, status: presence.status, resources: presence.resources.map(\.name))
    }
}

extension RequestSummary {
    init(_ request: ChatKit.ContactRequest) {
        self.init(
            account: request.account.description, address: request.jid.description, text: request.text,
            receivedAt: Timestamp(request.received))
    }

    init(_ invite: RoomInvite) {
        self.init(
            account: invite.account.description, address: invite.room.description, kind: .room,
            inviter: invite.inviter?.description, text: invite.reason, receivedAt: Timestamp(invite.received))
    }
}

extension MessageItem {
    init(_ message: ChatMessage, cursor: String? = nil) {
        let (state, failure) = ChatAPI.MessageState.reading(message.state)
        self.init(
            id: message.id.description, account: message.account.description, conversation: message.peer.description,
            direction: message.direction == .incoming ? .incoming : .outgoing, sender: message.sender.description,
            body: message.body, time: Timestamp(message.sent), state: state, failure: failure,
            originID: message.originID, archiveID: message.archiveID, key: message.idempotencyKey,
            mayBeRepeated: message.mayBeDuplicated, cursor: cursor, position: message.position)
        senderName = message.senderName
        reply = message.reply.map { QuotedItem($0) }
        reactions = message.reactions.isEmpty ? nil : message.reactions.map { ReactionItem($0) }
        edited = message.edited.map { Timestamp($0) }
        retracted = message.retracted.map { Timestamp($0) }
        moderation = message.moderation.map { ModerationItem(by: $0.by, reason: $0.reason) }
        files = message.files.isEmpty ? nil : message.files.map { FileItem($0) }
        isMention = message.isMention ? true : nil
        isChanging = message.isChanging ? true : nil
    }
}

extension QuotedItem {
    init(_ quoted: QuotedMessage) {
        self.init(
            message: quoted.id?.description, sender: quoted.sender?.description, senderName: quoted.senderName,
            isOwn: quoted.isOwn, body: quoted.body)
    }
}

extension ReactionItem {
    /// So many people of one reaction are named.
    private static let named = 20

    init(_ reaction: MessageReaction) {
        self.init(
            emoji: reaction.emoji, count: reaction.count, people: Array(reaction.people.prefix(Self.named)),
            isOwn: reaction.isOwn)
    }
}

extension ConversationSummary {
    init(_ conversation: Conversation) {
        let isBegun = conversation.lastMessage != nil
        self.init(
            account: conversation.account.description, conversation: conversation.peer.description,
            kind: conversation.kind == .room ? .room : .chat, name: conversation.name, unread: conversation.unread,
            mentions: conversation.mentions, last: conversation.lastMessage.map { MessageItem($0) },
            draft: conversation.draft, isPinned: conversation.isPinned, isArchived: conversation.isArchived,
            level: NotificationLevel(conversation.level), mutedUntil: conversation.mutedUntil.map { Timestamp($0) },
            readThrough: conversation.readThrough?.description,
            lastActivity: isBegun ? Timestamp(conversation.lastActivity) : nil,
            picture: conversation.picture?.description, isStranger: conversation.isStranger,
            room: conversation.room.map { ChatAPI.RoomStatus($0) })
    }
}

extension ChatAPI.MessageState {
    static func reading(_ state: ChatKit.MessageState) -> (ChatAPI.MessageState, ChatAPIError?) {
        switch state {
        case .queued: (.queued, nil)
        case .written: (.written, nil)
        case .acknowledged: (.acknowledged, nil)
        case .delivered: (.delivered, nil)
        case .displayed: (.displayed, nil)
        case .needsConfirmation: (.needsConfirmation, nil)
        case .received: (.received, nil)
        case .failed(let failure): (.failed, ChatAPIError(failure))
        }
    }
}

extension ChatKit.MessageState {
    init?(_ state: ChatAPI.MessageState) {
        switch state {
        case .queued: self = .queued
        case .written: self = .written
        case .acknowledged: self = .acknowledged
        case .delivered: self = .delivered
        case .displayed: self = .displayed
        case .needsConfirmation, .received, .failed: return nil
        }
    }
}
