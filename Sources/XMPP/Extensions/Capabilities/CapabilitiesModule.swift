// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// Remembers what the programs of others can do, by the hashes in their presence (XEP-0115, XEP-0390).
///
/// What this program says about itself is the business of ``DiscoModule``.
public struct CapabilitiesModule: SessionModule {
    let book: CapabilityBook

    /// Makes the module.
    /// - Parameter cache: The lists by their hashes. Defaults to a cache of its own that is gone with the process.
    public init(cache: CapabilityCache = CapabilityCache()) { book = CapabilityBook(cache: cache) }

    /// Notes the hashes of each resource.
    public var presenceHandler: (@Sendable (Presence) -> Void)? { { [book] in book.received($0) } }
}

extension XMPPSession {
    /// What a resource's program can do; asks it only when nobody with the same hash was asked before.
    ///
    /// Takes the list from the cache of the ``CapabilitiesModule`` where the resource's presence has a known hash, and asks
    /// the resource otherwise, each at most once while its presence says the same. Throws ``XMPPError`` as
    /// ``discoverInfo(of:node:)`` does; cancelling ends the wait.
    /// - Parameter jid: A full address, whose presence was received.
    public func capabilities(of jid: JID) async throws -> DiscoInfo {
        for module in modules {
            guard let module = module as? CapabilitiesModule else { continue }
            return try await module.book.list(of: jid, session: self)
        }
        return try await discoverInfo(of: jid)
    }
}

/// Who announced which hashes, and whose lists do not stand for others.
///
/// Owner of its state: its lock.
final class CapabilityBook: Sendable {
    private struct Entry {
        var announced: Capabilities
        /// The list that this address sent, where it stands for nobody else.
        var list: DiscoInfo?
    }

    private struct State {
        var entries: [JID: Entry] = [:]
        var asking: [String: Task<Bool, Never>] = [:]
    }

    private let cache: CapabilityCache
    private let state = Locked(State())
    /// So many addresses are known at a time; more are asked each time.
    private static let cap = 5000

    init(cache: CapabilityCache) { self.cache = cache }

    func received(_ presence: Presence) {
        guard let from = presence.from else { return }
        switch presence.kind {
        case .available:
            // XEP-0115 §8.4: a server may leave out what has not changed.
            guard let announced = presence.capabilities else { return }
            state.withLock { state in
                if state.entries[from] == nil, state.entries.count >= Self.cap { return }
                if state.entries[from]?.announced != announced { state.entries[from] = Entry(announced: announced) }
            }
        case .unavailable: state.withLock { $0.entries[from] = nil }
        case .subscribe, .subscribed, .unsubscribe, .unsubscribed, .probe, .error: break
        }
    }

    func list(of jid: JID, session: XMPPSession) async throws -> DiscoInfo {
        guard let entry = state.withLock({ $0.entries[jid] }) else { return try await session.discoverInfo(of: jid) }
        if let list = entry.list { return list }
        guard let key = entry.announced.keys.first(where: { $0.isKnown }) else {
            let list = try await session.discoverInfo(of: jid)
            keep(list, for: jid, entry.announced)
            return list
        }
        if let list = await cache.list(for: key) { return list }
        // Many resources with one hash come online together: one of them is asked, the others wait for it.
        if let other = state.withLock({ $0.asking[key.storageName] }), await other.value,
            let list = await cache.list(for: key)
        {
            return list
        }
        return try await ask(jid, key, entry.announced, session)
    }

    private func ask(
        _ jid: JID, _ key: CapabilityKey, _ announced: Capabilities, _ session: XMPPSession
    ) async throws -> DiscoInfo {
        let asking = Task { try await self.answer(of: jid, key, session) }
        let name = key.storageName
        let verdict = Task { (try? await asking.value.isShared) ?? false }
        state.withLock { $0.asking[name] = verdict }
        defer { state.withLock { $0.asking[name] = nil } }
        let answer = try await withTaskCancellationHandler {
            try await asking.value
        } onCancel: {
            asking.cancel()
        }
        if !answer.isShared { keep(answer.list, for: jid, announced) }
        return answer.list
    }

    private func answer(
        of jid: JID, _ key: CapabilityKey, _ session: XMPPSession
    ) async throws -> (list: DiscoInfo, isShared: Bool) {
        let query = Element(Disco.info, attributes: ["node": key.node])
        let reply: IQ
        do {
            reply = try await session.get(query, to: jid)
        } catch let error as XMPPError where error.stanzaError?.condition == .itemNotFound {
            // It does not know its own hash: what it can do is worth something for it alone.
            return (try await session.discoverInfo(of: jid), false)
        }
        guard let element = reply.payload, let list = DiscoInfo(element) else {
            throw XMPPError(.invalidReply, "the answer does not say what is supported")
        }
        return (list, await cache.note(element, for: key, from: jid))
    }

    private func keep(_ list: DiscoInfo, for jid: JID, _ announced: Capabilities) {
        state.withLock { state in
            guard state.entries[jid]?.announced == announced else { return }
            state.entries[jid]?.list = list
        }
    }
}
