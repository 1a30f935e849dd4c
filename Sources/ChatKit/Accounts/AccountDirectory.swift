// SPDX-License-Identifier: Apache-2.0
internal import ApusTransport
internal import XMPP

/// The runners of a profile's accounts, to be found from any thread.
///
/// Its lock owns the state.
final class AccountDirectory: Sendable {
    private let runners = Locked([JID: AccountRunner]())

    subscript(_ account: JID) -> AccountRunner? { runners.withLock { $0[account] } }

    /// The runner of an account's row.
    func runner(row: Int64) -> AccountRunner? { all.first { $0.account == row } }

    var all: [AccountRunner] { runners.withLock { Array($0.values) } }

    func add(_ runner: AccountRunner) { runners.withLock { $0[runner.jid] = runner } }

    func remove(_ account: JID) { _ = runners.withLock { $0.removeValue(forKey: account) } }
}
