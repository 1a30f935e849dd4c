// SPDX-License-Identifier: Apache-2.0
package import ChatAPI

extension ProfileClient {
    package nonisolated func events(since cursor: String?) -> ChatEventStream {
        stream(HandOverReader(profile: self, cursor: cursor))
    }

    package nonisolated func announcements() -> ChatEventStream {
        stream(HandOverReader(profile: self, cursor: nil, isAnnouncing: true))
    }

    private nonisolated func stream(_ reader: HandOverReader) -> ChatEventStream {
        ChatEventStream(
            next: { () async throws(ChatAPIError) -> ChatEvent? in try await reader.next() },
            finish: { Task { await reader.finish() } })
    }
}

/// Reads one stream after another, each from where the last one stopped.
private actor HandOverReader {
    private let profile: ProfileClient
    private var cursor: String?
    private var stream: (number: Int, iterator: ChatEventStream.Iterator)?
    private var toldLive = false
    /// It tells what is announced, for which there is no place to go on from.
    private let isAnnouncing: Bool

    init(profile: ProfileClient, cursor: String?, isAnnouncing: Bool = false) {
        self.profile = profile
        self.cursor = cursor
        self.isAnnouncing = isAnnouncing
    }

    func finish() { stream = nil }

    func next() async throws(ChatAPIError) -> ChatEvent? {
        while true {
            let (number, opened) = try await open()
            var iterator = opened
            do throws(ChatAPIError) {
                guard let event = try await iterator.next() else { return nil }
                if let reached = event.cursor { cursor = reached }
                if event.kind == .live {
                    if toldLive { continue }
                    toldLive = true
                }
                return event
            } catch {
                if error.code == .cancelled || Task.isCancelled { throw error }
                guard ProfileClient.isHandOver(error, repeats: true) else { throw error }
                stream = nil
                await profile.drop(number)
            }
        }
    }

    private func open() async throws(ChatAPIError) -> (Int, ChatEventStream.Iterator) {
        if let stream { return stream }
        // A stream that starts at the end needs to know where that was, or a change of holders would leave a gap.
        if cursor == nil, !isAnnouncing { cursor = try await profile.status().cursor }
        let backend = try await profile.numberedBackend()
        let client = backend.backend.client
        let events = isAnnouncing ? client.announcements() : client.events(since: cursor)
        let opened = (backend.number, events.makeAsyncIterator())
        stream = opened
        return opened
    }
}
