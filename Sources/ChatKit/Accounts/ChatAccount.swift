// SPDX-License-Identifier: Apache-2.0
public import XMPP
public import struct Foundation.Date

/// One account of the profile with the state of its connection.
public struct ChatAccount: Identifiable, Hashable, Sendable {
    /// The bare address, which names the account.
    public var id: JID { jid }
    /// The bare address.
    public let jid: JID
    /// It is kept connected while the core is open.
    public let isEnabled: Bool
    /// Where and how it connects.
    public let settings: AccountSettings
    /// What happens to requests to see our presence.
    public let subscriptionPolicy: SubscriptionPolicy
    /// The connection as it is now.
    public let connection: ConnectionState
    /// How many messages wait to be sent or acknowledged.
    public let queued: Int
    /// What its archive on the server has, or had, and this profile has not; the oldest first, at most 100.
    public let gaps: [ArchiveGap]
}

/// The state of an account's connection.
public struct ConnectionState: Hashable, Sendable {
    /// What the connection does.
    public enum Phase: Hashable, Sendable {
        /// Nobody asked for a connection.
        case offline
        /// A connection is being made.
        case connecting
        /// Stanzas flow. `resumed` when the stream of before goes on (XEP-0198 §5).
        case online(JID, resumed: Bool)
        /// The connection was lost or could not be made; another attempt follows at `retryAt`.
        case waiting(retryAt: Date)
        /// It cannot be made without the user; ``ConnectionState/error`` says why.
        case failed
    }

    /// What the connection does.
    public let phase: Phase
    /// When that began.
    public let since: Date
    /// Why the last attempt failed or the last connection ended; nil while online.
    public let error: ChatError?

    /// Stanzas flow.
    public var isOnline: Bool {
        if case .online = phase { true } else { false }
    }

    package init(_ phase: Phase, since: Date, error: ChatError? = nil) {
        self.phase = phase
        self.since = since
        self.error = error
    }

    /// Compares phase, beginning and error.
    public static func == (left: ConnectionState, right: ConnectionState) -> Bool {
        left.phase == right.phase && left.error == right.error && left.since == right.since
    }

    /// Feeds the phase to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(phase)
        hasher.combine(since)
    }
}
