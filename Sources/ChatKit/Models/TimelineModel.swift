// SPDX-License-Identifier: Apache-2.0
public import Observation

/// A conversation from some message on to its end, for the main thread: it follows what happens, and grows upwards.
///
/// What comes in or is filled in never moves the message at which it begins.
@MainActor
@Observable
public final class TimelineModel {
    /// The conversation.
    public let conversation: Conversation.ID
    /// The messages, the oldest first; empty before ``isLoaded``.
    public private(set) var messages: [ChatMessage] = []
    /// The messages were read once.
    public private(set) var isLoaded = false
    /// There are older ones in the profile.
    public private(set) var hasOlder = false
    /// Why it is not kept up to date any more; nil while it is.
    public private(set) var error: ChatError?
    private let core: ChatCore
    @ObservationIgnored private var reading = Reading()

    /// Begins so many messages before the end; 50 unless said otherwise.
    public init(_ conversation: Conversation.ID, of core: ChatCore, limit: Int = 50) {
        self.conversation = conversation
        self.core = core
        follow(from: nil, limit: limit)
    }

    /// Begins so many messages earlier, if there are any; returns when they are there.
    ///
    /// - Throws: ``ChatError``: `storageFailed`.
    public func loadOlder(_ count: Int = 50) async throws(ChatError) {
        guard let first = messages.first else { return }
        let page = try await core.timeline(conversation, at: .before(first.id), limit: count)
        guard let beginning = page.messages.first, messages.first?.id == first.id else { return }
        messages = page.messages + messages
        hasOlder = page.hasOlder
        follow(from: beginning.id, limit: count)
    }

    private func follow(from first: ChatMessage.ID?, limit: Int) {
        let query = core.timelineUpdates(conversation, from: first, limit: limit)
        let (core, conversation) = (core, conversation)
        let reading = Reading()
        self.reading = reading
        reading.begin { [weak self, weak reading] in
            do throws(ChatError) {
                for try await changes in query {
                    var hasOlder = false
                    if let oldest = changes.rows.first {
                        let older = try await core.timeline(conversation, at: .before(oldest.id), limit: 1)
                        hasOlder = !older.messages.isEmpty
                    }
                    guard await Self.hand(changes.rows, hasOlder, to: self, of: reading) else { return }
                }
            } catch {
                await self?.fail(error)
            }
        }
    }

    /// Gives the messages to the model; false when that is gone, or follows another query by now.
    private static func hand(
        _ rows: [ChatMessage], _ hasOlder: Bool, to model: TimelineModel?, of reading: Reading?
    ) -> Bool {
        guard let model, let reading, model.reading === reading else { return false }
        model.messages = rows
        model.hasOlder = hasOlder
        model.isLoaded = true
        return true
    }

    private func fail(_ error: ChatError) { self.error = error }
}
