// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

extension ChatCore {
    /// How long a call that needs a room waits for the account to be in it.
    public static let entryWait: Duration = .seconds(20)
}

extension AccountRunner {
    /// Where the user stands with a room, as far as a call has to know.
    private enum Entry {
        case inside
        case onTheWay
        /// Not to be in it, or out until the user goes in again; with the reason.
        case outside(String?)
    }

    /// Waits until the account is in a room in which the user wants to be, as it is some moments after each login.
    ///
    /// - Parameter isNeeded: Throws when the account is not in it; else the call goes on as well as it can.
    func waitForEntry(into room: JID, isNeeded: Bool, within limit: Duration) async throws {
        var entry = try await entry(of: room)
        if case .onTheWay = entry {
            let hub = store.hub
            entry = try await withThrowingTaskGroup { group in
                group.addTask { () -> Entry? in
                    let signal = hub.subscribe { !$0.conversations.isEmpty || $0.accounts }
                    while await signal.wait() {
                        let now = try await self.entry(of: room)
                        if case .onTheWay = now { continue }
                        return now
                    }
                    return nil
                }
                group.addTask {
                    try await Task.sleep(for: limit)
                    return nil
                }
                defer { group.cancelAll() }
                return try await group.next().flatMap(\.self) ?? .onTheWay
            }
        }
        guard isNeeded else { return }
        switch entry {
        case .inside: return
        case .onTheWay:
            throw ChatError(
                .roomNotReady, "the room \(room) has not let you in yet; try again in a moment", isRetryable: true)
        case .outside(let reason):
            let why = reason.map { ": \($0)" } ?? ""
            throw ChatError(.notInRoom, "you are not in \(room)\(why); go into it first")
        }
    }

    private func entry(of room: JID) async throws -> Entry {
        let account = account
        guard let known = try await store.read({ try Queries.room($0, account: account, room: room) }), known.isJoined
        else { return .outside(nil) }
        guard let link else { throw ChatError.notConnected(jid) }
        if await link.isInRoom(room) { return .inside }
        let state = roomStates.state(of: known.conversation)
        if let state, state.isFinal { return .outside(state.text ?? state.reason?.rawValue) }
        return known.exit.map { .outside($0) } ?? .onTheWay
    }
}
