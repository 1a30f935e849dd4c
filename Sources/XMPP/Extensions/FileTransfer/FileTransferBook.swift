// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// The transfers of one session: each is known by the full address of the other side and an identifier (XEP-0166 §5).
///
/// Owner of its state: its lock.
final class FileTransferBook: Sendable {
    private struct Key: Hashable {
        let peer: JID
        let id: String
    }

    private struct State {
        var sessions: [Key: JingleSession] = [:]
        var streams: [Key: IncomingFile] = [:]
        var initiations: [Key: InitiationOffer] = [:]
    }

    /// So many may be open at a time, and with one account.
    static let most = 64
    static let mostOfOne = 8

    /// Offers for whoever wants them.
    let offers = Publisher<FileOffer>()
    private let state = Locked(State())

    // MARK: Sessions

    func session(_ peer: JID, _ sid: String) -> JingleSession? {
        state.withLock { $0.sessions[Key(peer: peer, id: sid)] }
    }

    /// False when there is one already, or too many.
    func add(_ session: JingleSession) -> Bool {
        state.withLock { state in
            let key = Key(peer: session.peer, id: session.sid)
            guard state.sessions[key] == nil, Self.hasRoom(state, for: session.peer) else { return false }
            state.sessions[key] = session
            return true
        }
    }

    func remove(_ session: JingleSession) {
        state.withLock { state in
            let key = Key(peer: session.peer, id: session.sid)
            if state.sessions[key] === session { state.sessions[key] = nil }
        }
    }

    // MARK: Offers of the protocol before

    func add(_ offer: InitiationOffer, _ peer: JID, _ id: String) -> Bool {
        state.withLock { state in
            let key = Key(peer: peer, id: id)
            guard state.initiations[key] == nil, Self.hasRoom(state, for: peer) else { return false }
            state.initiations[key] = offer
            return true
        }
    }

    func closed(_ peer: JID, _ id: String) { state.withLock { $0.initiations[Key(peer: peer, id: id)] = nil } }

    private static func hasRoom(_ state: State, for peer: JID) -> Bool {
        let account = peer.bare
        let all = state.sessions.count + state.initiations.count
        let own = state.sessions.keys.count { $0.peer.bare == account }
        return all < most && own + state.initiations.keys.count { $0.peer.bare == account } < mostOfOne
    }

    // MARK: Streams of bytes

    func stream(_ peer: JID, _ sid: String) -> IncomingFile? {
        state.withLock { $0.streams[Key(peer: peer, id: sid)] }
    }

    /// From now on that stream may come; false when one of that name is there already.
    func expect(_ file: IncomingFile, from peer: JID, sid: String) -> Bool {
        state.withLock { state in
            let key = Key(peer: peer, id: sid)
            guard state.streams[key] == nil else { return false }
            state.streams[key] = file
            return true
        }
    }

    func forget(from peer: JID, sid: String) { state.withLock { $0.streams[Key(peer: peer, id: sid)] = nil } }

    // MARK: The end

    /// The connection is gone, and the transfers with it.
    func failAll(_ error: XMPPError) {
        let all = state.withLock { state in
            defer { state = State() }
            return state
        }
        for session in all.sessions.values { session.fail(error) }
        for file in all.streams.values { file.fail(error) }
        for offer in all.initiations.values { offer.decline() }
    }
}
