// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import XMPP

@testable import ChatKit

/// An archive that a test fills: messages in order, each with the archive's id and time.
final class FakeArchive: Sendable {
    struct State {
        var messages: [CatchUpMessage] = []
        /// Where each was added.
        var indices: [String: Int] = [:]
        /// Called before each page with its position; an error of it is the answer.
        var before: (@Sendable (CatchUpPosition) async throws(CatchUpError) -> Void)?
        var isStable = true
        /// Nil for the truth.
        var isComplete: Bool?
        /// So many of the oldest it does not give now.
        var hidden = 0
        /// Gives this page for ever.
        var stuckAt: String?
        /// Gives a page for ever, each time with the next of these as its end.
        var circle: [String] = []
        var turns = 0
        /// How many messages each page was to have at most.
        var limits: [Int] = []
        /// Refuses to give more than so many at once.
        var most = Int.max
    }

    private let state = Locked(State())

    var all: [CatchUpMessage] { state.withLock { $0.messages } }
    var limits: [Int] { state.withLock { $0.limits } }

    func script(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    /// Adds a message as XML; its time is one second after the one before.
    func add(_ id: String, _ xml: String) throws {
        guard case .message(let message) = try StoreFixture.stanza(xml) else { return }
        state.withLock { state in
            let stamp = (state.messages.last?.stamp ?? 1_800_000_000_000) + 1000
            state.indices[id] = state.messages.count
            state.messages.append(CatchUpMessage(id: id, stamp: stamp, message: message))
        }
    }

    /// A message of bo@example.net.
    func fromBo(_ id: String, _ body: String, message: String? = nil) throws {
        try add(
            id,
            """
            <message from='bo@example.net/p' to='ann@example.org' type='chat' id='\(message ?? "id-\(id)")'>\
            <body>\(body)</body></message>
            """)
    }

    /// Writes the newest message late: it stands before the one with this id, and bears its time.
    func moveNewest(before id: String) {
        state.withLock { state in
            guard let index = state.messages.firstIndex(where: { $0.id == id }), let newest = state.messages.popLast()
            else { return }
            state.messages.insert(
                CatchUpMessage(id: newest.id, stamp: state.messages[index].stamp, message: newest.message), at: index)
        }
    }

    /// A message to bo@example.net.
    func toBo(_ id: String, _ body: String, message: String) throws {
        try add(
            id,
            """
            <message from='ann@example.org/fake' to='bo@example.net' type='chat' id='\(message)'><body>\(body)</body>\
            <origin-id xmlns='urn:xmpp:sid:0' id='\(message)'/></message>
            """)
    }

    func page(_ position: CatchUpPosition, limit: Int) async throws(CatchUpError) -> CatchUpPage {
        try await state.withLock { $0.before }?(position)
        let state = state.withLock { state in
            state.turns += 1
            state.limits.append(limit)
            return state
        }
        guard limit <= state.most else { throw .unavailable }
        if !state.circle.isEmpty {
            return CatchUpPage(
                messages: Array(state.messages.prefix(limit)), last: state.circle[state.turns % state.circle.count],
                isComplete: false)
        }
        let all = state.messages.dropFirst(state.hidden)
        if let stuck = state.stuckAt {
            return CatchUpPage(messages: Array(all.prefix(limit)), last: stuck, isComplete: false)
        }
        let rest: ArraySlice<CatchUpMessage>
        switch position {
        case .before(let id, let peer):
            let end = if let id { Self.index(of: id, state) } else { all.endIndex }
            guard let end else { throw .positionUnknown }
            return Self.backward(all[..<end], with: peer, limit, state)
        case .until(let time, let peer):
            return Self.backward(all.prefix { ($0.stamp ?? 0) <= time }, with: peer, limit, state)
        case .beginning: rest = all[...]
        case .newest: rest = all.suffix(1)
        case .since(let time): rest = all[(all.firstIndex { ($0.stamp ?? 0) >= time } ?? all.endIndex)...]
        case .after(let id):
            guard let index = Self.index(of: id, state) else { throw .positionUnknown }
            rest = all[(index + 1)...]
        }
        let page = Array(rest.prefix(limit))
        let isComplete = state.isComplete ?? (page.count == rest.count)
        return CatchUpPage(messages: page, isComplete: isComplete, isStable: state.isStable)
    }

    private static func backward(
        _ rest: ArraySlice<CatchUpMessage>, with peer: JID?, _ limit: Int, _ state: State
    ) -> CatchUpPage {
        var page: [CatchUpMessage] = []
        var isComplete = true
        for message in rest.reversed() {
            guard peer == nil || message.message.from?.bare == peer || message.message.to?.bare == peer else {
                continue
            }
            isComplete = page.count < limit
            if !isComplete { break }
            page.append(message)
        }
        return CatchUpPage(
            messages: page.reversed(), isComplete: state.isComplete ?? isComplete, isStable: state.isStable)
    }

    /// Where a message is that the archive gives now.
    private static func index(of id: String, _ state: State) -> Int? {
        let all = state.messages
        if let index = state.indices[id], index < all.count, all[index].id == id {
            return index < state.hidden ? nil : index
        }
        return all.dropFirst(state.hidden).firstIndex { $0.id == id }
    }
}
