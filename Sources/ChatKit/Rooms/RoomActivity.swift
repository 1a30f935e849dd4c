// SPDX-License-Identifier: Apache-2.0
public import struct Foundation.Date
public import XMPP

/// What people did in a room between two messages, folded into one line: who came, who went, who has another name.
///
/// It is told by the room while the account is in it and is kept in memory alone: no archive has it. Whoever came and went
/// between the same two messages is left out, and so is whoever went and came back, as after a lost connection.
public struct RoomActivity: Identifiable, Hashable, Sendable {
    /// Names a line within its profile, as long as the profile is open.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        let number: Int

        /// The number in decimal digits.
        public var description: String { String(number) }
    }

    /// What became of somebody.
    public enum Change: Hashable, Sendable {
        /// Came in.
        case came
        /// Went out.
        case left
        /// Has another nickname; with the one of before.
        case renamed(from: String)
        /// A moderator put them out, with the reason (XEP-0045 §8.2).
        case kicked(String?)
        /// May not come back, with the reason (XEP-0045 §9.1).
        case banned(String?)
        /// Is no member any more of a room for members (XEP-0045 §9.4).
        case excluded
    }

    /// One person in the line.
    public struct Person: Hashable, Sendable {
        /// The nickname, chosen by them.
        public let name: String
        /// What became of them.
        public let change: Change
    }

    /// The name within the profile.
    public let id: ID
    /// The bare address of the account.
    public let account: JID
    /// The bare address of the room.
    public let room: JID
    /// The place in the conversation: behind the message with this ``ChatMessage/position`` and before later ones.
    public let position: Int64
    /// When the first of it happened.
    public let began: Date
    /// When the last of it happened.
    public internal(set) var ended: Date
    /// Who did what, the first one first; at most ``maximum``.
    public internal(set) var people: [Person] = []
    /// How many more did something.
    public internal(set) var others = 0

    /// So many people are named in one line.
    public static let maximum = 30
}

extension ChatCore {
    /// What people did in rooms since the profile was opened, and every change.
    ///
    /// A line changes as long as no message follows it. The newest fifty lines of each room are kept.
    public nonisolated func roomActivityUpdates() -> LiveQuery<RoomActivity> {
        LiveQuery(hub: store.hub) {
            $0.activities
        } fetch: { [roomActivities] in
            roomActivities.all()
        }
    }
}
