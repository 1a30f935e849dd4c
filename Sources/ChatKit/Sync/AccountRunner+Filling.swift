// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

/// Fetches what lies in gaps, when somebody looks there.
extension AccountRunner {
    /// Fetches the part of a gap that lies next to what is here; gives whether something is still missing.
    ///
    /// Whoever asks while another asks for the same conversation gets that one's answer.
    func fill(_ gap: Int64, in conversation: Int64, limit: Int) async throws -> Bool {
        if let running = fills[conversation] { return try await running.value }
        let task = Task { try await self.fillOnce(gap, in: conversation, limit: limit) }
        fills[conversation] = task
        defer { fills[conversation] = nil }
        return try await task.value
    }

    private func fillOnce(_ gap: Int64, in conversation: Int64, limit: Int) async throws -> Bool {
        guard let link, let sessionStore, connection.isOnline else { throw ChatError.notConnected(jid) }
        guard let place = try await store.read({ try Queries.gapPlace($0, gap, in: conversation) }) else {
            return false
        }
        let peer = try JID(stored: place.peer)
        let scope = place.isRoom ? ArchiveScope(room: peer) : .own(jid)
        let with = place.isRoom ? nil : peer
        do {
            let page: CatchUpPage
            let first: CatchUpPosition =
                if place.beforeID == nil, let time = place.beforeTime {
                    .until(time, with: with)
                } else {
                    .before(place.beforeID, with: with)
                }
            do throws(CatchUpError) { page = try await ask(link, first, of: scope, limit: limit) } catch {
                // One that does not know the message may know its time.
                guard case .positionUnknown = error, let time = place.beforeTime else { throw error }
                page = try await ask(link, .until(time, with: with), of: scope, limit: limit)
            }
            return try await sessionStore.fill(page, gap: gap, in: conversation, of: scope)
        } catch let error as CatchUpError {
            throw ChatError(error, jid)
        }
    }
}

extension ChatError {
    init(_ error: CatchUpError, _ jid: JID) {
        switch error {
        case .interrupted: self = .notConnected(jid)
        case .failed:
            self.init(.requestFailed, "the archive did not answer; try again", isRetryable: true)
        case .positionUnknown, .unavailable:
            self.init(.requestFailed, "the server does not have what was said there")
        }
    }
}
