// SPDX-License-Identifier: Apache-2.0

/// A sequence of events for one reader; leaving the loop, or cancelling the reader's task, ends it at its source.
package struct ChatEventStream: AsyncSequence, Sendable {
    package typealias Element = ChatEvent
    package typealias Failure = ChatAPIError

    private let source: Source

    /// Asks `next` for one event at a time, never twice at once; nil is the end.
    ///
    /// `finish` is called once when nobody reads any more.
    package init(
        next: @escaping @Sendable () async throws(ChatAPIError) -> ChatEvent?, finish: @escaping @Sendable () -> Void
    ) {
        source = Source(next: next, finish: finish)
    }

    package func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: Source

        package mutating func next() async throws(ChatAPIError) -> ChatEvent? {
            try await source.next()
        }

        package mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ChatAPIError) -> ChatEvent? {
            try await source.next()
        }
    }

    fileprivate final class Source: Sendable {
        let next: @Sendable () async throws(ChatAPIError) -> ChatEvent?
        let finish: @Sendable () -> Void

        init(
            next: @escaping @Sendable () async throws(ChatAPIError) -> ChatEvent?,
            finish: @escaping @Sendable () -> Void
        ) {
            self.next = next
            self.finish = finish
        }

        deinit { finish() }
    }
}

extension ChatEventStream {
    /// A stream that only fails, for a source that cannot be opened.
    package static func failing(_ error: ChatAPIError) -> ChatEventStream {
        ChatEventStream(next: { () async throws(ChatAPIError) -> ChatEvent? in throw error }, finish: {})
    }
}
