// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Glibc

/// One run of `apus chat`: history first, then messages both ways until the input ends.
///
/// Owned by the task that runs the command; the sources of what happens run beside it and feed one stream.
struct ChatSession {
    enum Happening: Sendable {
        case event(ChatEvent)
        case input([UInt8])
        case inputEnded
        case problem(ChatAPIError)
        /// The other side has not been told for a while whether we still write.
        case typingPause(Int)
    }

    let context: Context
    let conversation: ConversationID
    let isInteractive: Bool
    let happenings: AsyncStream<Happening>
    let feed: AsyncStream<Happening>.Continuation
    var view: ChatView
    var editor = LineEditor()
    /// Cuts input that is no terminal's.
    var lineDecoder = LineDecoder(limit: ChatLimits.bodyBytes)
    /// Messages that were shown, as they are now.
    var items: [String: MessageItem] = [:]
    /// Messages sent here that the server has not acknowledged.
    var waiting: Set<String> = []
    /// Why the first of them that failed did.
    var failure: ChatAPIError?
    var isLeaving = false
    var isTyping = false
    var typingTurn = 0
    var availability: PresenceSummary.Availability?

    init(context: Context, conversation: ConversationID) {
        self.context = context
        self.conversation = conversation
        isInteractive = context.input.isTerminal && context.output.style.isTerminal && !context.output.isJSON
        view = ChatView(output: context.output, isInteractive: isInteractive, name: conversation.conversation)
        (happenings, feed) = AsyncStream.makeStream()
    }

    mutating func run() async throws {
        let status = try await context.client.status()
        let limit = try context.line.number("limit", atLeast: 0, default: 20)
        if isInteractive { _ = TerminalMode.enter(.keys, 0) }
        defer { TerminalMode.restore() }
        try await view.begin()
        do {
            for item in try await Commands.page(context.client, conversation, limit) {
                items[item.id] = item
                try await view.show(item, editor)
            }
            try await markRead()
            try await view.draw(editor)
            try await follow(since: status.cursor)
        } catch {
            await view.end()
            throw error
        }
        await view.end()
    }

    private mutating func follow(since cursor: String?) async throws {
        let (context, conversation, feed, persists) = (context, conversation, feed, isInteractive)
        let sources = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await Self.readEvents(context, since: cursor, into: feed) }
                group.addTask { await Self.readInput(context, into: feed) }
                group.addTask { await Self.connect(context, conversation, persists: persists, into: feed) }
            }
        }
        defer { sources.cancel() }
        for await happening in happenings {
            if try await handle(happening) { break }
        }
        if Task.isCancelled {
            // Said while the profile is still open, so that the other side does not see us write for ever.
            let request = TypingRequest(conversation: conversation, isTyping: false)
            if isTyping { await Task.detached { try? await context.client.setTyping(request) }.value }
            throw ChatAPIError.cancelled
        }
        if isTyping { try? await context.client.setTyping(.init(conversation: conversation, isTyping: false)) }
    }

    func markRead() async throws(ChatAPIError) {
        do throws(ChatAPIError) {
            try await context.client.markRead(ReadRequest(conversation: conversation))
        } catch {
            // A conversation that has not begun cannot be read.
            guard error.code == .notFound else { throw error }
        }
    }
}

extension ChatSession {
    private static func readEvents(
        _ context: Context, since cursor: String?, into feed: AsyncStream<Happening>.Continuation
    ) async {
        do throws(ChatAPIError) {
            for try await event in try context.client.events(since: cursor) { feed.yield(.event(event)) }
        } catch {
            feed.yield(.problem(error))
        }
    }

    private static func readInput(_ context: Context, into feed: AsyncStream<Happening>.Continuation) async {
        for await piece in context.input.pieces() { feed.yield(.input(piece)) }
        feed.yield(.inputEnded)
    }

    /// In a pipe the first failure ends the command; somebody at a terminal can wait for a better time.
    private static func connect(
        _ context: Context, _ conversation: ConversationID, persists: Bool,
        into feed: AsyncStream<Happening>.Continuation
    ) async {
        do throws(ChatAPIError) {
            let request = ConnectRequest(
                account: conversation.account, persists: persists, timeout: persists ? .zero : .seconds(30))
            _ = try await context.client.connect(request)
        } catch {
            feed.yield(.problem(error))
        }
    }
}

extension Commands {
    static let chat = CommandSpec(
        path: ["chat"], summary: "talk with somebody, a line at a time",
        arguments: [ArgumentSpec(name: "JID", summary: "whom to talk with")],
        options: [
            CommandSpec.account,
            .value("limit", "N", short: "n", "begin with the newest N messages; the default is 20"),
        ],
        discussion:
            "Each line that is typed is sent; Ctrl-D ends. A clock beside a message says that it is queued, one "
            + "tick that the server has it, two that the other side has it. In a pipe, each line is sent, and the command "
            + "ends when the server has acknowledged them all."
    ) { context in
        let named = ConversationID(account: context.account, conversation: context.argument(0))
        var session = ChatSession(context: context, conversation: try await context.client.resolve(named))
        try await session.run()
    }
}
