// SPDX-License-Identifier: Apache-2.0

/// Has an invitation made.
package struct InvitationRequest: Hashable, Codable, Sendable {
    package enum Kind: String, Hashable, Codable, Sendable {
        /// To become the account's contact.
        case contact
        /// To have an account on the same server.
        case account
    }

    package var account: String?
    package var kind: Kind

    package init(account: String? = nil, kind: Kind = .contact) {
        self.account = account
        self.kind = kind
    }
}

/// An invitation to be passed on.
package struct InvitationItem: Hashable, Codable, Sendable {
    package var account: String
    /// An `xmpp:` link.
    package var link: String
    /// A page of the server that explains it, where it has one.
    package var page: String?
    package var expires: Timestamp?
    /// Whoever opens it is let in without being asked about.
    package var isGranted: Bool

    package init(account: String, link: String, page: String? = nil, expires: Timestamp? = nil, isGranted: Bool) {
        self.account = account
        self.link = link
        self.page = page
        self.expires = expires
        self.isGranted = isGranted
    }

    private enum CodingKeys: String, CodingKey {
        case account, link, page
        case expires = "expires_at"
        case isGranted = "granted"
    }
}
