// SPDX-License-Identifier: Apache-2.0

/// One account of the profile with the state of its connection.
package struct AccountSummary: Hashable, Codable, Sendable {
    /// The bare address.
    package var address: String
    /// The account is connected whenever the profile is held by a service.
    package var isEnabled: Bool
    /// The connection as it is now.
    package var connection: ConnectionStatus
    /// Messages that wait to be sent.
    package var queued: Int
    /// Parts of the server's archive that are not here, nil when there are none.
    package var gaps: [ArchiveGap]?
    /// False where the server will ask for the password again after a restart; only said when the account is added.
    package var logsInByItself: Bool?

    /// A part of the server's archive that is not, or may not be, in the profile.
    package struct ArchiveGap: Hashable, Codable, Sendable {
        /// `new-device`: what was said before the account came here; `anchor-lost`: the archive lost its place.
        package var reason: String
        package var noticed: Timestamp
        /// Messages may be missing that the profile would otherwise have.
        package var isLoss: Bool

        package init(reason: String, noticed: Timestamp, isLoss: Bool) {
            self.reason = reason
            self.noticed = noticed
            self.isLoss = isLoss
        }

        private enum CodingKeys: String, CodingKey {
            case reason, noticed
            case isLoss = "loss"
        }
    }

    package init(
        address: String, isEnabled: Bool = true, connection: ConnectionStatus = .init(.offline), queued: Int = 0,
        gaps: [ArchiveGap]? = nil
    ) {
        self.address = address
        self.isEnabled = isEnabled
        self.connection = connection
        self.queued = queued
        self.gaps = gaps
    }

    private enum CodingKeys: String, CodingKey {
        case address
        case isEnabled = "enabled"
        case connection, queued, gaps
        case logsInByItself = "logs_in_by_itself"
    }
}

/// The state of one account's connection.
package struct ConnectionStatus: Hashable, Codable, Sendable {
    package enum Phase: String, Hashable, Codable, Sendable {
        /// Nobody asked for a connection.
        case offline
        /// A connection is being made.
        case connecting
        /// Stanzas flow.
        case online
        /// The connection was lost; another attempt follows at `retryAt`.
        case waiting
        /// The connection cannot be made without the user: see `error`.
        case failed
    }

    package var phase: Phase
    /// When the phase began.
    package var since: Timestamp?
    /// When the next attempt is made, in `waiting`.
    package var retryAt: Timestamp?
    /// Why the last attempt failed or the last connection ended.
    package var error: ChatAPIError?
    /// The full address that the server gave, while online.
    package var boundAddress: String?
    /// The connection took over the stream of an earlier one.
    package var isResumed: Bool

    package init(
        _ phase: Phase, since: Timestamp? = nil, retryAt: Timestamp? = nil, error: ChatAPIError? = nil,
        boundAddress: String? = nil, isResumed: Bool = false
    ) {
        self.phase = phase
        self.since = since
        self.retryAt = retryAt
        self.error = error
        self.boundAddress = boundAddress
        self.isResumed = isResumed
    }

    private enum CodingKeys: String, CodingKey {
        case phase = "state"
        case since
        case retryAt = "retry_at"
        case error
        case boundAddress = "bound_address"
        case isResumed = "resumed"
    }
}
