// SPDX-License-Identifier: Apache-2.0

/// What people did in a room between two messages, in one line; a newer one of the same `id` takes its place.
package struct RoomActivityItem: Hashable, Codable, Sendable {
    package struct Person: Hashable, Codable, Sendable {
        package enum Change: String, Hashable, Codable, Sendable {
            case came, left, renamed, kicked, banned
            /// Is no member any more of a room for members.
            case excluded
        }

        /// The nickname, chosen by them.
        package var name: String
        package var change: Change
        /// The nickname of before, in `renamed`.
        package var former: String?
        /// Why they were put out.
        package var reason: String?

        package init(name: String, change: Change, former: String? = nil, reason: String? = nil) {
            self.name = name
            self.change = change
            self.former = former
            self.reason = reason
        }
    }

    package var id: String
    package var account: String
    package var room: String
    /// It stands behind the message with this `MessageItem.position` and before later ones.
    package var position: Int64
    /// When the first of it happened.
    package var began: Timestamp
    /// When the last of it happened.
    package var ended: Timestamp
    /// The first one first; nobody when nothing is left to be told.
    package var people: [Person]
    /// How many more did something.
    package var others: Int?

    package init(
        id: String, account: String, room: String, position: Int64, began: Timestamp, ended: Timestamp,
        people: [Person], others: Int = 0
    ) {
        self.id = id
        self.account = account
        self.room = room
        self.position = position
        self.began = began
        self.ended = ended
        self.people = people
        self.others = others == 0 ? nil : others
    }
}
