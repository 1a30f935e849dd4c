// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension ChatSession {
    /// How long after the last key the other side is told that we have stopped.
    private static let typingPause = Duration.seconds(10)

    /// Deals with one thing that happened; true when the chat is over.
    mutating func handle(_ happening: Happening) async throws -> Bool {
        switch happening {
        case .event(let event): try await handle(event)
        case .input(let bytes):
            if isInteractive { return try await keys(bytes) }
            try await lines(bytes)
        case .inputEnded:
            if isInteractive { return true }
            // A last line without its line feed counts.
            if lineDecoder.bufferedBytes > 0 { try await lines([0x0A]) }
            isLeaving = true
        case .problem(let error): throw error
        case .typingPause(let turn):
            if turn == typingTurn { try await setTyping(false) }
        }
        guard isLeaving, waiting.isEmpty else { return false }
        if let failure { throw failure }
        return true
    }

    private mutating func handle(_ event: ChatEvent) async throws {
        switch event.kind {
        case .message(let item), .messageChanged(let item):
            guard concerns(item.account, item.conversation) else { return }
            try await handle(item)
        case .typing(let account, let address, let isTyping) where concerns(account, address):
            try await view.typing(isTyping, editor)
        case .roomActivity(let activity) where concerns(activity.account, activity.room):
            try await view.show(activity, editor)
        case .contact(let contact) where concerns(contact.account, contact.address):
            let now = contact.presence.availability
            if now != .unknown, now != availability {
                availability = now
                let status = contact.presence.status.map { $0.isEmpty ? "" : " (\(Plain.line($0)))" } ?? ""
                try await view.note("\(Plain.line(contact.address)) is \(now.rawValue)\(status)", editor)
            }
        case .connection(let account) where conversation.account ?? account.address == account.address:
            try await show(account)
        default: break
        }
    }

    private mutating func handle(_ item: MessageItem) async throws {
        if let known = items.updateValue(item, forKey: item.id) {
            if known.state != item.state, item.direction == .outgoing {
                try await view.change(item, from: known.state, editor)
            }
        } else {
            try await view.show(item, editor)
            if item.direction == .incoming { try await markRead() }
        }
        settle(item)
    }

    /// Takes note of a message that needs no more waiting for.
    private mutating func settle(_ item: MessageItem) {
        let isStuck = item.state == .failed || item.state == .needsConfirmation
        guard item.state.reached(.acknowledged) || isStuck else { return }
        let wasWaiting = waiting.remove(item.id) != nil
        if wasWaiting, isStuck, failure == nil {
            failure = item.failure ?? Commands.stuck(item.state)
        }
    }

    private mutating func show(_ account: AccountSummary) async throws {
        let words: String
        switch account.connection.phase {
        case .online: words = account.connection.isResumed ? "online again, nothing was lost" : "online"
        case .waiting:
            let cause = account.connection.error.map { ": " + Plain.line($0.description) } ?? ""
            words = "not connected\(cause); trying again, messages are queued"
        case .failed:
            if let error = account.connection.error { throw error }
            return
        case .connecting, .offline: return
        }
        try await view.note(words, editor)
    }

    private func concerns(_ account: String, _ address: String) -> Bool {
        address == conversation.conversation && (conversation.account ?? account) == account
    }

    private mutating func keys(_ bytes: [UInt8]) async throws -> Bool {
        for action in editor.feed(bytes) {
            switch action {
            case .changed: try await setTyping(!editor.text.isEmpty)
            case .submitted(let text):
                try await view.draw(editor)
                if !text.allSatisfy(\.isWhitespace) { try await send(text) }
            case .ended: return true
            case .redraw: break
            }
        }
        try await view.draw(editor)
        return false
    }

    private mutating func lines(_ bytes: [UInt8]) async throws {
        lineDecoder.append(bytes)
        while let line = try nextLine() {
            let text = line.last == 0x0D ? line.dropLast() : line[...]
            if !text.isEmpty { try await send(String(decoding: text, as: UTF8.self)) }
        }
    }

    private mutating func nextLine() throws(ChatAPIError) -> [UInt8]? {
        do throws(LineDecoder.LineTooLong) {
            return try lineDecoder.next()
        } catch {
            throw ChatAPIError(
                .tooLarge, "a line of the input has more than \(error.limit) bytes", hint: "send it in parts")
        }
    }

    private mutating func send(_ text: String) async throws {
        // The message itself tells the other side that we have stopped writing.
        isTyping = false
        typingTurn += 1
        let request = SendRequest(
            account: conversation.account, conversation: conversation.conversation, body: text,
            key: Commands.randomKey())
        let item = try await context.client.send(request).message
        waiting.insert(item.id)
        // What the stream of events has told of it is newer.
        if items[item.id] == nil {
            items[item.id] = item
            try await view.show(item, editor)
        }
        settle(items[item.id] ?? item)
    }

    private mutating func setTyping(_ typing: Bool) async throws {
        typingTurn += 1
        if typing {
            let (turn, feed) = (typingTurn, feed)
            Task {
                try? await Task.sleep(for: Self.typingPause)
                feed.yield(.typingPause(turn))
            }
        }
        guard isTyping != typing else { return }
        isTyping = typing
        do throws(ChatAPIError) {
            try await context.client.setTyping(TypingRequest(conversation: conversation, isTyping: typing))
        } catch {
            // A notice that cannot be given now is not worth a word.
            if error.code == .cancelled { throw error }
        }
    }
}
