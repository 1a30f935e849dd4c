// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension ChatSession {
    /// Bytes of one line of piped input.
    private static let lineBytes = ChatLimits.bodyBytes
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
            if !partial.isEmpty { try await send(String(decoding: partial, as: UTF8.self)) }
            partial = []
            isLeaving = true
        case .problem(let error): throw error
        case .typingPause(let turn):
            if turn == typingTurn { try await setTyping(false) }
        }
        return isLeaving && waiting.isEmpty
    }

    private mutating func handle(_ event: ChatEvent) async throws {
        switch event.kind {
        case .message(let item), .messageChanged(let item):
            guard concerns(item.account, item.conversation) else { return }
            try await handle(item)
        case .typing(let account, let address, let isTyping) where concerns(account, address):
            try await view.typing(isTyping, editor)
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
        if let known = states.updateValue(item.state, forKey: item.id) {
            if known != item.state, item.direction == .outgoing { try await view.change(item, from: known, editor) }
        } else {
            try await view.show(item, editor)
            if item.direction == .incoming { try await markRead() }
        }
        if item.state.reached(.acknowledged) || item.state == .failed { waiting.remove(item.id) }
        if isLeaving, item.state == .failed, let failure = item.failure { throw failure }
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
        partial += bytes
        while let end = partial.firstIndex(of: 0x0A) {
            var line = Array(partial[..<end])
            if line.last == 0x0D { line.removeLast() }
            partial.removeFirst(end + 1)
            if !line.isEmpty { try await send(String(decoding: line, as: UTF8.self)) }
        }
        guard partial.count <= Self.lineBytes else {
            throw ChatAPIError(.tooLarge, "a line of the input has more than \(Self.lineBytes) bytes")
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
        if states.updateValue(item.state, forKey: item.id) == nil { try await view.show(item, editor) }
        if !item.state.reached(.acknowledged) { waiting.insert(item.id) }
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
