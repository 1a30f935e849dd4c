// SPDX-License-Identifier: Apache-2.0
package import ChatAPI
import ChatKit
import XMPP

extension LocalChatClient {
    package nonisolated func announcements() -> ChatEventStream {
        let merger = EventMerger()
        let core = core
        let reader = Task {
            for await change in core.notifications() {
                let kind = ChatAPI.ChatEvent.Kind(change)
                merger.post(Self.key(of: change), kind)
            }
            merger.end(Self.closing)
        }
        return ChatEventStream(
            next: { () async throws(ChatAPIError) -> ChatAPI.ChatEvent? in try await merger.next() },
            finish: {
                reader.cancel()
                merger.end(.cancelled)
            })
    }

    /// What takes the place of what, in the hands of a slow reader.
    private static func key(of change: NotificationChange) -> String {
        switch change {
        case .post(let notification): notification.id.name
        case .withdraw(let id): id.name
        case .badge: "unread"
        }
    }
}

extension ChatAPI.ChatEvent.Kind {
    init(_ change: NotificationChange) {
        switch change {
        case .post(let notification): self = .announcement(Announcement(notification))
        case .withdraw(let id): self = .announcementRemoved(id: id.name)
        case .badge(let count): self = .unread(count: count)
        }
    }
}

extension ChatNotification.ID {
    fileprivate var name: String {
        switch self {
        case .conversation(let id): "conversation \(id)"
        case .request(let id): "request \(id.account) \(id.jid)"
        }
    }
}

extension Announcement {
    fileprivate init(_ notification: ChatNotification) {
        let reason: Reason =
            switch notification.reason {
            case .message: .message
            case .mention: .mention
            case .request: .request
            }
        self.init(
            id: notification.id.name, reason: reason, account: notification.account.description,
            address: notification.peer.description, title: notification.title, sender: notification.sender,
            body: notification.body, message: notification.message?.description, count: notification.count,
            picture: notification.picture?.description, isSilent: notification.isSilent)
    }
}
