// SPDX-License-Identifier: Apache-2.0
internal import ApusTransport

/// How the last messages are announced, so that of many who ask for the same message one looks.
///
/// Its lock owns the state.
final class AnnouncementBook: Sendable {
    typealias Announcement = (reason: ChatNotification.Reason, previews: NotificationRules.Previews)

    private struct State {
        var known: [ChatMessage.ID: Announcement?] = [:]
        /// Those that are known, the oldest first.
        var order: [ChatMessage.ID] = []
        var looking: [ChatMessage.ID: Task<Result<Announcement?, ChatError>, Never>] = [:]
    }

    /// So many are kept: readers are at most so far apart.
    private static let maximum = 512

    private let state = Locked(State())

    /// How a message is announced; asked of `look` once for all who ask while it is kept.
    func value(
        of message: ChatMessage.ID, _ look: @escaping @Sendable () async throws(ChatError) -> Announcement?
    ) async throws(ChatError) -> Announcement? {
        enum Found {
            case known(Announcement?)
            case looking(Task<Result<Announcement?, ChatError>, Never>)
        }
        let found = state.withLock { state -> Found in
            if let known = state.known[message] { return .known(known) }
            if let task = state.looking[message] { return .looking(task) }
            let task = Task<Result<Announcement?, ChatError>, Never> {
                let result: Result<Announcement?, ChatError>
                do throws(ChatError) { result = .success(try await look()) } catch { result = .failure(error) }
                self.keep(result, of: message)
                return result
            }
            state.looking[message] = task
            return .looking(task)
        }
        switch found {
        case .known(let announcement): return announcement
        case .looking(let task): return try await task.value.get()
        }
    }

    private func keep(_ result: Result<Announcement?, ChatError>, of message: ChatMessage.ID) {
        state.withLock { state in
            state.looking[message] = nil
            guard case .success(let announcement) = result else { return }
            state.known[message] = .some(announcement)
            state.order.append(message)
            if state.order.count > Self.maximum { state.known[state.order.removeFirst()] = nil }
        }
    }
}
