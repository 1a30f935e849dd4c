// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
public import XMPP

extension ChatCore {
    /// What somebody tells about themselves; nil when they tell nothing.
    ///
    /// - Parameters:
    ///   - jid: Whose card; nil for the account's own.
    ///   - account: The account that asks.
    /// - Throws: ``ChatError``: `unknownAccount`, `notConnected`, `requestFailed`.
    public func profile(of jid: JID? = nil, account: JID) async throws(ChatError) -> VCard? {
        let runner = try runner(account)
        do {
            return try await runner.onlineLink(await runner.link).card(of: jid?.bare)
        } catch {
            throw ChatError(error)
        }
    }

    /// The programs behind a contact's devices that are online, by the resource of each; those that do not tell are
    /// left out.
    ///
    /// Waits for those that have to be asked first, at most as long as `patience`; cancelling ends the wait.
    /// - Parameters:
    ///   - jid: The contact.
    ///   - account: The account that asks.
    ///   - patience: How long it may take. Defaults to three seconds.
    public func programs(
        of jid: JID, account: JID, within patience: Duration = .seconds(3)
    ) async -> [String: String] {
        guard let runner = try? runner(account), let link = try? runner.onlineLink(await runner.link) else {
            return [:]
        }
        let resources = presenceBook.presence(of: jid.bare, account: account).resources.map(\.name)
        return await withTaskGroup(of: (String, String)?.self) { group in
            var waiting = 0
            // The best ones; nobody looks at more.
            for resource in resources.prefix(8) where !resource.isEmpty {
                guard let full = try? jid.bare.with(resource: resource) else { continue }
                waiting += 1
                group.addTask {
                    guard let name = try? await link.program(of: full) else { return (resource, "") }
                    return (resource, String(name.prefix(100)))
                }
            }
            group.addTask {
                try? await Task.sleep(for: patience)
                return nil
            }
            var found: [String: String] = [:]
            while waiting > 0, let told = await group.next(), let (resource, name) = told {
                waiting -= 1
                if !name.isEmpty { found[resource] = name }
            }
            group.cancelAll()
            return found
        }
    }

    /// Changes what the account tells about itself; gives it as it is then.
    ///
    /// - Throws: ``ChatError``: `unknownAccount`, `notConnected`, `requestFailed`, `invalidArgument` for a card that is too
    ///   large.
    @discardableResult
    public func changeProfile(
        account: JID, _ change: @escaping @Sendable (inout VCard) -> Void
    ) async throws(ChatError) -> VCard {
        let runner = try runner(account)
        do {
            return try await runner.onlineLink(await runner.link).changeCard(change)
        } catch {
            throw ChatError(error)
        }
    }

    /// Publishes a picture of the account, or takes it back.
    ///
    /// - Throws: ``ChatError``: `unknownAccount`, `notConnected`, `requestFailed`, `pictureTooLarge`, `pictureNotAcceptable`.
    public func setPicture(_ bytes: [UInt8]?, account: JID) async throws(ChatError) {
        let runner = try runner(account)
        do {
            let picture = try bytes.map { try Picture($0) }
            try await runner.onlineLink(await runner.link).publish(picture)
            if let picture { await pictures.keep(picture) }
            let (row, own) = (runner.account, runner.jid.description)
            try await store.write { try $0.setPicture(picture?.hash, of: own, account: row) }
        } catch {
            throw ChatError(error)
        }
    }

    /// The name of the picture that an address, or the account itself, is shown with; nil when none is known.
    ///
    /// - Throws: ``ChatError/Code/unknownAccount``.
    public func pictureHash(of jid: JID, account: JID) async throws(ChatError) -> PictureHash? {
        let (row, jid) = (try runner(account).account, jid.bare.description)
        do {
            let hash: String? = try await store.read {
                try $0.value("SELECT hash FROM picture WHERE account = ? AND jid = ?", row, jid)
            }
            return hash.flatMap { PictureHash($0) }
        } catch {
            throw ChatError(error)
        }
    }

    /// The bytes of a picture that ``Contact/picture`` or ``Conversation/picture`` names; nil when they are gone.
    public nonisolated func picture(_ hash: PictureHash) async -> Picture? {
        guard let bytes = await pictures.picture(hash) else { return nil }
        return try? Picture(bytes, named: hash)
    }
}

extension StoreTransaction {
    func setPicture(_ hash: PictureHash?, of jid: String, account: Int64) throws {
        if let hash {
            try connection.run(
                """
                INSERT INTO picture (account, jid, hash) VALUES (?, ?, ?)
                ON CONFLICT (account, jid) DO UPDATE SET hash = excluded.hash
                """, account, jid, hash.description)
        } else {
            try connection.run("DELETE FROM picture WHERE account = ? AND jid = ?", account, jid)
        }
        guard connection.changes > 0 else { return }
        changes.contacts.insert(account)
        let conversation: Int64? = try connection.value(
            "SELECT id FROM conversation WHERE account = ? AND peer = ?", account, jid)
        if let conversation { changes.conversations.insert(conversation) }
    }
}
