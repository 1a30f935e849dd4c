// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Synchronization

/// The rooms that one session knows.
///
/// Owner of the list: its lock. What a room does is decided on the session's thread alone.
final class RoomBook: Sendable {
    private struct State {
        var cores: [JID: RoomCore] = [:]
        var queue = RoomJoinQueue()
        /// Rooms that one was invited to, and whether a password came with it.
        var invitations: [JID: Bool] = [:]
    }

    private let state = Locked(State())
    private let active = Atomic(false)
    let invitations = Publisher<RoomInvitation>(merge: { _, _ in false })
    /// So many invitations of one stream are told of.
    static let invitationCap = 256

    /// Whether anything that comes may be for a room: nothing is looked at otherwise.
    var isActive: Bool { active.load(ordering: .relaxed) }

    func activate() { active.store(true, ordering: .relaxed) }

    /// The room, also when nobody wanted it before.
    func core(of room: JID, _ make: () -> RoomCore) -> RoomCore {
        activate()
        return state.withLock { state in
            if let known = state.cores[room] { return known }
            let core = make()
            state.cores[room] = core
            return core
        }
    }

    func find(_ room: JID) -> RoomCore? { state.withLock { $0.cores[room] } }

    /// All rooms, by address.
    var all: [RoomCore] { state.withLock { $0.cores.values.sorted { $0.room < $1.room } } }

    /// Forgets a room that nobody is in.
    func forget(_ room: JID) { state.withLock { $0.cores[room] = nil } }

    var isAnyFull: Bool { isActive && state.withLock { Array($0.cores.values) }.contains { $0.isAnyFull } }

    func request(_ room: JID) -> Bool { state.withLock { $0.queue.request(room) } }
    func finished(_ room: JID) -> RoomCore? {
        state.withLock { state in state.queue.finished(room).flatMap { state.cores[$0] } }
    }

    /// Tells of an invitation, once for each room (XEP-0249 §5); a password makes it news.
    func invited(_ invitation: RoomInvitation) {
        let isNews = state.withLock { state in
            guard state.cores[invitation.room]?.isIn != true else { return false }
            let hadPassword = state.invitations[invitation.room]
            guard hadPassword != nil || state.invitations.count < Self.invitationCap else { return false }
            guard hadPassword == nil || (hadPassword == false && invitation.password != nil) else { return false }
            state.invitations[invitation.room] = invitation.password != nil
            return true
        }
        if isNews { _ = invitations.publish([invitation]) }
    }

    /// The invitation was answered: another one is news again.
    func answeredInvitation(to room: JID) { state.withLock { $0.invitations[room] = nil } }

    /// A new stream, not a resumed one: nobody waits in the line of before.
    func streamBegan() {
        state.withLock { state in
            state.queue.removeAll()
            state.invitations = [:]
        }
    }
}
