// SPDX-License-Identifier: Apache-2.0
import ChatAPI

/// Turns messages that come in into notifications, for browsers that have no page open.
struct PushWatch: Sendable {
    let client: any ChatClient
    let sender: PushSender
    let streams: WebStreams

    /// Runs until its task is cancelled; begins again where it stopped when the core goes away for a while.
    func run() async {
        // Nothing is read for nobody.
        while sender.store.targets.isEmpty {
            do { try await Task.sleep(for: .seconds(1)) } catch { return }
        }
        var cursor = try? await client.status().cursor
        while !Task.isCancelled {
            do throws(ChatAPIError) {
                var isLive = false
                for try await event in client.events(since: cursor) {
                    if let reached = event.cursor { cursor = reached }
                    switch event.kind {
                    case .live: isLive = true
                    case .message(let item) where isLive: await tell(item)
                    default: continue
                    }
                }
            } catch {
                if error.code == .cancelled { return }
            }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    func tell(_ item: MessageItem) async {
        let targets = sender.store.targets.filter { !streams.has($0.session) }
        let text = item.body.isEmpty ? item.files?.first?.name ?? "" : item.body
        guard item.direction == .incoming, !text.isEmpty, !targets.isEmpty,
            let conversations = try? await client.conversations(),
            let conversation = conversations.first(where: {
                $0.account == item.account && $0.conversation == item.conversation
            }), Self.isWanted(item, in: conversation, now: .now)
        else { return }
        let note = PushNote(
            account: item.account, conversation: item.conversation, name: conversation.name ?? item.senderName,
            body: PushNote.shortened(text), message: item.id, unread: conversations.reduce(0) { $0 + $1.unread })
        await withTaskGroup(of: Void.self) { group in
            for target in targets { group.addTask { _ = await sender.send(note, to: target) } }
        }
    }

    /// What the conversation's level and mute say.
    static func isWanted(_ item: MessageItem, in conversation: ConversationSummary, now: Timestamp) -> Bool {
        if let until = conversation.mutedUntil, until > now { return false }
        return switch conversation.level {
        case .all: true
        case .mentions: item.isMention == true
        case .none: false
        }
    }
}
