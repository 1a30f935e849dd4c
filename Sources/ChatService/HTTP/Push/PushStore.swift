// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import ChatAPI
import Foundation

/// The browsers that want notifications, and the key that the service signs with; both in the profile's folder `web`.
final class PushStore: Sendable {
    private struct State {
        var targets: [PushTarget] = []
        var key: SigningKey?
    }

    private let folder: String
    private let state = Locked(State())
    /// One change at a time; held while the disk is waited for, which `state` is not.
    private let turn = Locked(())

    init(folder: String) {
        self.folder = folder
        let data = FileManager.default.contents(atPath: folder + "/push.json") ?? Data()
        let targets = (try? JSONDecoder().decode([PushTarget].self, from: data)) ?? []
        state.withLock { $0.targets = targets }
    }

    var targets: [PushTarget] { state.withLock { $0.targets } }

    /// Makes a change where nobody else waits for the disk.
    func apart(_ change: @escaping @Sendable (PushStore) throws(ChatAPIError) -> Void) async throws(ChatAPIError) {
        try await BlockingQueue.shared.run { () throws(ChatAPIError) in try change(self) }
    }

    /// The key, made when it is asked for the first time; browsers are bound to it, so it stays.
    func key() throws(ChatAPIError) -> SigningKey {
        if let key = state.withLock({ $0.key }) { return key }
        let path = folder + "/vapid.pem"
        let data = FileManager.default.contents(atPath: path)
        let known = data.flatMap { SigningKey(pem: String(decoding: $0, as: UTF8.self)) }
        guard let key = known ?? SigningKey.make() else { throw ChatAPIError(.fault, "no key can be made") }
        if known == nil { try WebAccessFile.replace(path, with: Array(key.pem.utf8)) }
        state.withLock { $0.key = key }
        return key
    }

    /// A session has one; a new one takes the place of the old one.
    func set(_ target: PushTarget) throws(ChatAPIError) {
        try change { targets in
            targets.removeAll { $0.session == target.session || $0.endpoint == target.endpoint }
            targets.append(target)
        }
    }

    func remove(session: String) throws(ChatAPIError) {
        try change { $0.removeAll { $0.session == session } }
    }

    func remove(endpoint: String) throws(ChatAPIError) {
        try change { $0.removeAll { $0.endpoint == endpoint } }
    }

    /// Forgets browsers that are signed out.
    func keepOnly(_ sessions: Set<String>) throws(ChatAPIError) {
        guard targets.contains(where: { !sessions.contains($0.session) }) else { return }
        try change { $0.removeAll { !sessions.contains($0.session) } }
    }

    private func change(_ body: (inout [PushTarget]) -> Void) throws(ChatAPIError) {
        try turn.withLock { (_) throws(ChatAPIError) in
            let before = self.targets
            var targets = before
            body(&targets)
            guard targets != before else { return }
            guard let data = try? JSONEncoder().encode(targets) else { throw ChatAPIError(.fault, "no JSON") }
            try WebAccessFile.replace(folder + "/push.json", with: Array(data))
            let changed = targets
            state.withLock { $0.targets = changed }
        }
    }
}
