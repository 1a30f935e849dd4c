// SPDX-License-Identifier: Apache-2.0
public import XMPP
public import struct Foundation.Date

/// A room into which somebody asked the user to come, and that waits for an answer.
public struct RoomInvite: Identifiable, Hashable, Sendable {
    /// Account and room.
    public struct ID: Hashable, Sendable {
        /// The bare address of the account.
        public let account: JID
        /// The address of the room.
        public let room: JID
    }

    /// Which one.
    public let id: ID
    /// Who asks, where that is known.
    public let inviter: JID?
    /// What they say.
    public let reason: String?
    /// When it came.
    public let received: Date

    let password: String?
    let isMediated: Bool

    /// The bare address of the account.
    public var account: JID { id.account }
    /// The address of the room.
    public var room: JID { id.room }
}
