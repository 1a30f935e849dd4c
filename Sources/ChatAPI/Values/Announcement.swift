// SPDX-License-Identifier: Apache-2.0

/// Something that the user is told of while they look elsewhere, as the rules of the profile say.
///
/// One with the same `id` takes the place of an older one. What the rules hide is nil.
package struct Announcement: Hashable, Codable, Sendable {
    package enum Reason: String, Hashable, Codable, Sendable {
        case message, mention
        /// Somebody asks to see the user's presence.
        case request
    }

    package var id: String
    package var reason: Reason
    package var account: String
    /// The bare address of the other side.
    package var address: String
    /// Whom it is from, as the user calls them.
    package var title: String?
    /// Who wrote in a room.
    package var sender: String?
    package var body: String?
    /// The newest message that it tells of (`MessageItem.id`).
    package var message: String?
    /// Of how many messages it tells.
    package var count: Int
    /// The name of the other side's picture, for `picture`.
    package var picture: String?
    /// It only puts right what was told before: nothing rings.
    package var isSilent: Bool

    package init(
        id: String, reason: Reason, account: String, address: String, title: String? = nil, sender: String? = nil,
        body: String? = nil, message: String? = nil, count: Int = 1, picture: String? = nil, isSilent: Bool = false
    ) {
        self.id = id
        self.reason = reason
        self.account = account
        self.address = address
        self.title = title
        self.sender = sender
        self.body = body
        self.message = message
        self.count = count
        self.picture = picture
        self.isSilent = isSilent
    }

    private enum CodingKeys: String, CodingKey {
        case id, reason, account, address, title, sender, body, message, count, picture
        case isSilent = "silent"
    }
}
