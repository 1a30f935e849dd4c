// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
public import struct Foundation.Date

/// A part of an account's archive on the server that is not, or may not be, in this profile.
public struct ArchiveGap: Hashable, Sendable {
    /// How a gap came about.
    public enum Reason: Hashable, Sendable {
        /// The account is new in this profile: what was said before stays on the server.
        case newDevice
        /// The archive no longer knew the last message that is here, so what it was asked for began a day before that;
        /// what it has dropped since is missing.
        case anchorLost
        /// Something that a later version wrote.
        case other(String)
    }

    /// How it came about.
    public let reason: Reason
    /// When that was noticed.
    public let noticed: Date

    /// Whether messages may be missing that this profile would otherwise have.
    public var isLoss: Bool { reason != .newDevice }

    /// The stored name of ``Reason/newDevice``.
    static let newDevice = "new-device"
}

extension Queries {
    /// The gaps of an account, the oldest first.
    static func gaps(_ connection: Connection, account: Int64) throws -> [ArchiveGap] {
        try connection.rows(
            """
            SELECT g.reason, g.created FROM gap g JOIN account a ON a.id = g.account AND a.jid = g.archive_jid
            WHERE g.account = ? ORDER BY g.id LIMIT 100
            """, account
        ) { row in
            let text: String = row.column(0)
            let reason: ArchiveGap.Reason =
                switch text {
                case ArchiveGap.newDevice: .newDevice
                case "anchor-lost": .anchorLost
                default: .other(text)
                }
            return ArchiveGap(reason: reason, noticed: Date(milliseconds: row.column(1)))
        }
    }
}
