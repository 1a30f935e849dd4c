// SPDX-License-Identifier: Apache-2.0

/// Writes conversations to files.
package struct ExportRequest: Hashable, Codable, Sendable {
    package enum Format: String, Hashable, Codable, Sendable, CaseIterable {
        case json, html, text
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

/// Takes over an exported conversation.
package struct ImportRequest: Hashable, Codable, Sendable {
    package var account: String?
    /// A whole path.
    package var path: String

    package init(account: String? = nil, path: String) {
        self.account = account
        self.path = path
    }
}

/// What was taken over.
package struct ImportResult: Hashable, Codable, Sendable {
    /// How many messages are new.
    package var messages: Int
    package init(messages: Int) { self.messages = messages }
}
