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
        // Whether, and how much of it, is said by the core's rules.
        guard let notify = item.notify, !targets.isEmpty, let conversations = try? await client.conversations(),
            let conversation = conversations.first(where: {
                $0.account == item.account && $0.conversation == item.conversation
            })
        else { return }
        let note = Self.note(item, in: conversation, notify, unread: conversations.reduce(0) { $0 + $1.unread })
        await withTaskGroup(of: Void.self) { group in
            for target in targets { group.addTask { _ = await sender.send(note, to: target) } }
        }
    }

    /// What a message says; a file that comes without words says its name.
    private static func text(of item: MessageItem) -> String {
        item.body.isEmpty ? item.files?.first?.name ?? "" : item.body
    }

    /// As much of a message as the user wants to be seen on a locked screen.
    static func note(
        _ item: MessageItem, in conversation: ConversationSummary, _ notify: NotifyItem, unread: Int
    ) -> PushNote {
        let name = conversation.name ?? item.senderName ?? item.conversation
        return PushNote(
            account: item.account, conversation: item.conversation, name: notify.hidesName == true ? nil : name,
            body: notify.hidesText == true ? "" : PushNote.shortened(text(of: item)), message: item.id, unread: unread)
    }
}
