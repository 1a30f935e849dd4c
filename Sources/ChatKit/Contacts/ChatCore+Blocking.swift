// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
public import XMPP

extension ChatCore {
    /// Who is kept away from an account (XEP-0191), sorted; addresses, and domains for everybody there.
    ///
    /// - Throws: ``ChatError``: `unknownAccount`, `notConnected`, `requestFailed` where the server cannot block.
    public func blocked(account: JID) async throws(ChatError) -> [JID] {
        let runner = try runner(account)
        do {
            return try await runner.onlineLink(await runner.link).blockedAddresses().sorted()
        } catch {
            throw ChatError(error)
        }
    }

    /// Keeps somebody away from an account, or everybody of a domain; a request of theirs goes out of the inbox.
    ///
    /// - Parameters:
    ///   - jid: An address, or a domain.
    ///   - account: The account.
    ///   - report: Says why to the people who run the server (XEP-0377), where they take it.
    /// - Returns: Whether a report went along.
    /// - Throws: ``ChatError``: `unknownAccount`, `notConnected`, `requestFailed`, `invalidAddress` for one's own.
    @discardableResult
    public func block(_ jid: JID, account: JID, report: AbuseReport? = nil) async throws(ChatError) -> Bool {
        let runner = try runner(account)
        let peer = jid.bare
        guard peer != runner.jid else { throw ChatError(.invalidAddress, "your own address cannot be blocked") }
        do {
            let isReported = try await runner.onlineLink(await runner.link).block(peer, reporting: report)
            let row = runner.account
            try await store.write { _ = try $0.removeRequest(account: row, jid: peer.description) }
            return isReported
        } catch {
            throw ChatError(error)
        }
    }

    /// Lets somebody through again.
    ///
    /// - Throws: ``ChatError``: `unknownAccount`, `notConnected`, `requestFailed`.
    public func unblock(_ jid: JID, account: JID) async throws(ChatError) {
        let runner = try runner(account)
        do {
            try await runner.onlineLink(await runner.link).unblock(jid.bare)
        } catch {
            throw ChatError(error)
        }
    }
}
