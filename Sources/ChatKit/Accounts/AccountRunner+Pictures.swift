// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import ApusTransport
internal import XMPP

extension AccountRunner {
    /// Fetches the pictures that were announced, one after another; each is fetched once, whoever has it.
    func fetchPictures() async {
        guard !isFetchingPictures else { return }
        isFetchingPictures = true
        defer { isFetchingPictures = false }
        while connection.isOnline, let link, let sessionStore {
            guard let request = sessionStore.avatars.withLock({ $0.next() }) else { return }
            var picture: Picture?
            do {
                picture = try await link.picture(request, cache: pictures)
            } catch {
                if (error as? XMPPError)?.code == .notConnected || !connection.isOnline {
                    return sessionStore.avatars.withLock { $0.postponed(request) }
                }
                // What is not acceptable is as good as none.
            }
            let fetched = picture
            let isNew = sessionStore.avatars.withLock { $0.finished(request, fetched) }
            guard isNew else { continue }
            await show(request.jid, in: sessionStore)
        }
    }

    /// Takes over which picture is shown for an address now.
    private func show(_ jid: JID, in sessionStore: AccountSessionStore) async {
        let hash = sessionStore.avatars.withLock { $0[jid] }
        let account = account
        try? await store.write { try $0.setPicture(hash, of: jid.description, account: account) }
    }

    /// Somebody has another picture, or none any more.
    func take(_ change: AvatarChange) async {
        guard let sessionStore else { return }
        let isNew = sessionStore.avatars.withLock { $0.received(change) }
        guard isNew else { return }
        if change.preferred == nil { return await show(change.jid, in: sessionStore) }
        await fetchPictures()
    }
}
