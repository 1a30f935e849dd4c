// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

extension ChatCore {
    /// Ends what was muted until a moment when that has come, so that lists and numbers are told, until the core is closed.
    func watchMutes() -> Task<Void, Never> {
        let signal = store.hub.subscribe { $0.mutes }
        return Task { [store] in
            var timer: Task<Void, Never>?
            while await signal.wait() {
                timer?.cancel()
                guard let next = (try? await store.write { try $0.endMutes() }) ?? nil else { continue }
                // A wall clock that is set meanwhile is seen within the hour.
                let wait = min(max(next - store.now, 1), 3_600_000)
                timer = Task {
                    guard (try? await Task.sleep(for: .milliseconds(wait))) != nil else { return }
                    var changes = StoreChanges()
                    changes.mutes = true
                    store.hub.publish(changes)
                }
            }
            timer?.cancel()
        }
    }
}

extension StoreTransaction {
    /// Forgets the moments that have passed; gives the next one.
    func endMutes() throws -> Int64? {
        let over: [Int64] = try connection.rows("SELECT id FROM conversation WHERE muted_until <= ?", now) {
            $0.column(0)
        }
        for conversation in over {
            try connection.run("UPDATE conversation SET muted_until = NULL WHERE id = ?", conversation)
            changes.conversations.insert(conversation)
        }
        let next: Int64?? = try connection.value(
            "SELECT min(muted_until) FROM conversation WHERE muted_until IS NOT NULL")
        return next ?? nil
    }
}
