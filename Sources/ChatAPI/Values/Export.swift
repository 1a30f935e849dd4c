// SPDX-License-Identifier: Apache-2.0

/// Writes conversations to files.
package struct ExportRequest: Hashable, Codable, Sendable {
    package enum Format: String, Hashable, Codable, Sendable, CaseIterable {
        case json, html, text
        /// The account itself, with or without its messages (XEP-0227).
        case account
        case accountWithoutMessages = "account-without-messages"
    }

    package var account: String?
    /// nil: every conversation, each into a file of its own.
    package var conversation: String?
    package var format: Format
    /// A whole path, of the file, or of the directory for every conversation; a file that is there is not replaced.
    package var path: String

    package init(account: String? = nil, conversation: String? = nil, format: Format, path: String) {
        self.account = account
        self.conversation = conversation
        self.format = format
        self.path = path
    }
}

/// What was written.
package struct ExportResult: Hashable, Codable, Sendable {
    package var files: [String]
    package init(files: [String]) { self.files = files }
}

/// Takes over an exported conversation, or an exported account.
package struct ImportRequest: Hashable, Codable, Sendable {
    package var account: String?
    /// A whole path.
    package var path: String
    /// It is an account, not a conversation.
    package var isAccount: Bool?

    package init(account: String? = nil, path: String, isAccount: Bool? = nil) {
        self.account = account
        self.path = path
        self.isAccount = isAccount
    }

    private enum CodingKeys: String, CodingKey {
        case account, path
        case isAccount = "is_account"
    }
}

/// What was taken over.
package struct ImportResult: Hashable, Codable, Sendable {
    /// How many messages are new.
    package var messages: Int
    /// Of an account: how many contacts are new, how many addresses are blocked now, and whether its card was taken.
    package var contacts: Int?
    package var blocked: Int?
    package var card: Bool?

    package init(messages: Int) { self.messages = messages }
}
