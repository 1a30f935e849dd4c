// SPDX-License-Identifier: Apache-2.0
package import ChatAPI
import ChatKit
import XMPP

extension LocalChatClient {
    /// What lasts comes from the core's own sequence, in order and without loss; what passes (presence, typing,
    /// connections) is read beside it, and of each subject only the newest waits for a slow reader.
    package nonisolated func events(since cursor: String?) -> ChatEventStream {
        var start: EventCursor?
        if let cursor {
            guard let number = Int64(cursor), number >= 0 else {
                return .failing(
                    ChatAPIError(
                        .invalidArgument, "\"\(cursor)\" is not a cursor",
                        hint: "take it from an event or from 'apus status --json'"))
            }
            start = EventCursor(rawValue: number)
        }
        let merger = EventMerger()
        let core = core
        let since = start
        let readers = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await Self.readLasting(core, since, into: merger) }
                group.addTask { await Self.readAccounts(core, into: merger) }
                group.addTask { await Self.readContacts(core, into: merger) }
                group.addTask { await Self.readTyping(core, into: merger) }
                group.addTask { await Self.readConversations(core, into: merger) }
                group.addTask { await Self.readTransfers(core, into: merger) }
                group.addTask { await Self.readActivities(core, into: merger) }
            }
        }
        return ChatEventStream(
            next: { () async throws(ChatAPIError) -> ChatAPI.ChatEvent? in try await merger.next() },
            finish: {
                readers.cancel()
                merger.end(.cancelled)
            })
    }

    private static func readLasting(_ core: ChatCore, _ since: EventCursor?, into merger: EventMerger) async {
        do throws(ChatError) {
            var isLive = false
            for try await known in core.events(since: since) {
                guard var event = ChatAPI.ChatEvent(known) else { continue }
                if case .live = known.kind { isLive = true }
                if isLive, case .message(let message) = known.kind, case .message(var item) = event.kind {
                    item.notify = await notify(message, core)
                    event.kind = .message(item)
                }
                guard await merger.put(event) else { return }
            }
            merger.end(closing)
        } catch {
            merger.end(ChatAPIError(error))
        }
    }

    /// How a message is announced; nil for one that is not.
    private static func notify(_ message: ChatMessage, _ core: ChatCore) async -> NotifyItem? {
        guard let told = try? await core.announcement(of: message),
            let reason = NotifyItem.Reason(rawValue: told.reason.rawValue)
        else { return nil }
        return NotifyItem(reason, .init(told.previews))
    }

    private static func readAccounts(_ core: ChatCore, into merger: EventMerger) async {
        do throws(ChatError) {
            var told: [JID: ConnectionState] = [:]
            for try await changes in core.accountUpdates() {
                for account in changes.inserted + changes.updated {
                    // The number of queued messages changes with each message; that is no news of the connection.
                    guard told.updateValue(account.connection, forKey: account.jid) != account.connection else {
                        continue
                    }
                    merger.post("connection \(account.jid)", .connection(AccountSummary(account)))
                }
                for jid in changes.removed {
                    told[jid] = nil
                    merger.post("connection \(jid)", .accountRemoved(account: jid.description))
                }
            }
        } catch {
            merger.end(ChatAPIError(error))
        }
    }

    private static func readContacts(_ core: ChatCore, into merger: EventMerger) async {
        do throws(ChatError) {
            var isFirst = true
            for try await changes in core.contactUpdates() {
                // At first only who is there is worth telling; the list itself is another call's matter.
                let news = (changes.inserted + changes.updated).filter { contact in
                    !isFirst || !contact.presence.resources.isEmpty
                }
                isFirst = false
                for contact in news {
                    merger.post("contact \(contact.account) \(contact.jid)", .contact(ContactSummary(contact)))
                }
            }
        } catch {
            merger.end(ChatAPIError(error))
        }
    }

    private static func readConversations(_ core: ChatCore, into merger: EventMerger) async {
        do throws(ChatError) {
            var isFirst = true
            var names: [Conversation.ID: (account: String, peer: String)] = [:]
            for try await changes in core.conversationUpdates() {
                for conversation in changes.inserted {
                    names[conversation.id] = (conversation.account.description, conversation.peer.description)
                }
                // The list itself is another call's matter.
                defer { isFirst = false }
                if isFirst { continue }
                for conversation in changes.inserted + changes.updated {
                    merger.post(
                        "conversation \(conversation.account) \(conversation.peer)",
                        .conversation(ConversationSummary(conversation)))
                }
                for id in changes.removed {
                    guard let name = names.removeValue(forKey: id) else { continue }
                    merger.post(
                        "conversation \(name.account) \(name.peer)",
                        .conversationRemoved(account: name.account, address: name.peer))
                }
            }
        } catch {
            merger.end(ChatAPIError(error))
        }
    }

    private static func readTransfers(_ core: ChatCore, into merger: EventMerger) async {
        do throws(ChatError) {
            var known: [MessageFile.ID: FileTransfer] = [:]
            for try await changes in core.transferUpdates() {
                for transfer in changes.inserted + changes.updated {
                    known[transfer.id] = transfer
                    merger.post("file \(transfer.id)", .transfer(FileProgress(transfer, isOver: false)))
                }
                for id in changes.removed {
                    guard let transfer = known.removeValue(forKey: id) else { continue }
                    merger.post("file \(id)", .transfer(FileProgress(transfer, isOver: true)))
                }
            }
        } catch {
            merger.end(ChatAPIError(error))
        }
    }

    private static func readTyping(_ core: ChatCore, into merger: EventMerger) async {
        do throws(ChatError) {
            for try await changes in core.typingUpdates() {
                for state in changes.inserted { post(state.id, true, merger) }
                for id in changes.removed { post(id, false, merger) }
            }
        } catch {
            merger.end(ChatAPIError(error))
        }
    }

    private static func post(_ id: TypingState.ID, _ isTyping: Bool, _ merger: EventMerger) {
        let (account, peer) = (id.account.description, id.peer.description)
        merger.post("typing \(account) \(peer)", .typing(account: account, address: peer, isTyping: isTyping))
    }
}

extension ChatAPI.ChatEvent {
    /// The core's event; nil for one that is told with the passing ones.
    init?(_ event: ChatKit.ChatEvent) {
        let cursor = event.cursor.description
        switch event.kind {
        case .message(let message): self.init(.message(MessageItem(message, cursor: cursor)), cursor: cursor)
        case .messageChanged(let message):
            self.init(.messageChanged(MessageItem(message, cursor: cursor)), cursor: cursor)
        case .messageRemoved(let id, let account, let peer):
            self.init(
                .messageRemoved(account: account.description, address: peer.description, message: id.description),
                cursor: cursor)
        case .contact: return nil
        case .contactRemoved(let id):
            self.init(.contactRemoved(account: id.account.description, address: id.jid.description), cursor: cursor)
        case .request(let request): self.init(.request(RequestSummary(request)), cursor: cursor)
        case .invitation(let invite): self.init(.request(RequestSummary(invite)), cursor: cursor)
        case .requestRemoved(let id):
            self.init(.requestRemoved(account: id.account.description, address: id.jid.description), cursor: cursor)
        case .gap: self.init(.gap, cursor: cursor)
        case .live: self.init(.live, cursor: cursor)
        }
    }
}
