// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// Where lists of what programs can do survive the program that asked for them.
///
/// What comes back is checked against its hash again, so a damaged store does no harm.
public protocol CapabilityStore: Sendable {
    /// The text that was kept under that name, nil when there is none.
    func capabilities(named name: String) async -> String?
    /// Keeps a text under a name; an older one is replaced.
    func keep(_ capabilities: String, named name: String) async
}

/// The lists of what programs can do, by their hashes; may be shared by all accounts of a program.
///
/// Only a list that its hash stands for gets in. The hash of XEP-0115 can be made to stand for two lists (T140): one that
/// could be such a forgery is used for the address alone that sent it, until somebody else sends the same. Never decide
/// about security by what a contact's program says it can do.
///
/// Owner of the lists: its lock.
public final class CapabilityCache: Sendable {
    private struct Candidate {
        var sender: JID
        var digest: CapabilityDigest
    }

    private struct State {
        var lists: [String: DiscoInfo] = [:]
        var candidates: [String: Candidate] = [:]
    }

    private let state = Locked(State())
    private let store: (any CapabilityStore)?
    /// So many lists and candidates are in memory at most.
    private static let cap = 1000

    /// Makes an empty cache.
    /// - Parameter store: Keeps the lists beyond the life of the process. Defaults to none.
    public init(store: (any CapabilityStore)? = nil) { self.store = store }

    /// The list that a hash stands for.
    func list(for key: CapabilityKey) async -> DiscoInfo? {
        let name = key.storageName
        if let list = state.withLock({ $0.lists[name] }) { return list }
        guard let store, let text = await store.capabilities(named: name), let element = Self.parse(text),
            let digest = CapabilityDigest(element), digest.matches(key), let list = DiscoInfo(element)
        else { return nil }
        remember(list, name)
        return list
    }

    /// Notes a list that somebody sent for a hash; whether it stands for everybody now.
    @discardableResult
    func note(_ query: Element, for key: CapabilityKey, from sender: JID) async -> Bool {
        let plain = CapabilityDigest(query).flatMap { $0.matches(key) ? $0 : nil }
        let inherited = CapabilityDigest(query, inheriting: true).flatMap { $0.matches(key) ? $0 : nil }
        guard let digest = plain ?? inherited, let list = DiscoInfo(query) else { return false }
        let name = key.storageName
        var isTrusted = digest.isUnambiguous
        if case .hash = key { isTrusted = true }
        if !isTrusted {
            isTrusted = state.withLock { state in
                if let candidate = state.candidates[name] {
                    // Two accounts of one server may be one person.
                    return candidate.digest == digest && candidate.sender.domain != sender.domain
                }
                if state.candidates.count >= Self.cap { state.candidates = [:] }
                state.candidates[name] = Candidate(sender: sender.bare, digest: digest)
                return false
            }
        }
        guard isTrusted else { return false }
        remember(list, name)
        await store?.keep(query.xml, named: name)
        return true
    }

    private func remember(_ list: DiscoInfo, _ name: String) {
        var list = list
        list.node = nil
        state.withLock { [list] state in
            if state.lists.count >= Self.cap { state.lists = [:] }
            state.lists[name] = list
            state.candidates[name] = nil
        }
    }

    private static func parse(_ text: String) -> Element? {
        var parser = XMLStreamParser(limits: .beforeLogin)
        let bytes = Array(("<stream:stream xmlns:stream='\(Namespace.streams)'>" + text).utf8)
        bytes.withUnsafeBytes { parser.append($0) }
        guard case .open? = try? parser.next(), case .stanza(let element)? = try? parser.next() else { return nil }
        return element
    }
}
