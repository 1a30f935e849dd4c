// SPDX-License-Identifier: Apache-2.0
public import struct Foundation.Date

/// Everything that is known of one message.
public struct MessageDetails: Hashable, Sendable {
    /// A text that a message had.
    public struct Revision: Hashable, Sendable {
        /// The text.
        public let body: String
        /// When it was written.
        public let date: Date
    }

    /// How far a message of ours has come with one person.
    public struct Reader: Hashable, Sendable {
        /// An address, or a nickname in a room.
        public let person: String
        /// ``MessageState/delivered`` or ``MessageState/displayed``.
        public let state: MessageState
        /// When that was told; nil where nobody noted it.
        public let date: Date?
    }

    /// The message.
    public let message: ChatMessage
    /// Its former texts, the oldest first; empty for one that was never changed.
    public let revisions: [Revision]
    /// Who is known to have it.
    public let readers: [Reader]
}
