// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ChatKit

/// Registrations that wait for their form to be filled in, each with its connection.
actor PendingRegistrations {
    /// How long one waits.
    static let patience = Duration.seconds(600)
    /// How many wait at once; the oldest is given up for another one.
    static let limit = 8

    private var pending: [(id: String, registration: PendingRegistration, end: Task<Void, Never>)] = []

    /// Keeps one; gives the name to take it by.
    func keep(_ registration: PendingRegistration) async -> String {
        let id = randomToken()
        let end = Task {
            do { try await Task.sleep(for: Self.patience) } catch { return }
            await self.take(id)?.close()
        }
        pending.append((id, registration, end))
        if pending.count > Self.limit { await pending.removeFirst().registration.close() }
        return id
    }

    /// Takes one out; nil when it is gone.
    func take(_ id: String) -> PendingRegistration? {
        guard let index = pending.firstIndex(where: { $0.id == id }) else { return nil }
        let found = pending.remove(at: index)
        found.end.cancel()
        return found.registration
    }

    func close() async {
        let all = pending
        pending = []
        for one in all {
            one.end.cancel()
            await one.registration.close()
        }
    }
}
