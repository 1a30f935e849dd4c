// SPDX-License-Identifier: Apache-2.0

/// A log of what goes over a stream, fit to be shown to others: passwords, tokens, keys, the exchange of the login and
/// the texts of people are left out; their lengths stand in their place.
///
/// Without one, nothing is looked at and nothing is spent.
public struct StreamTrace: Sendable {
    /// One line of the log.
    public struct Line: Sendable, Hashable {
        /// Who said it.
        public enum Direction: String, Sendable, Hashable {
            /// We did.
            case sent = ">"
            /// The server did.
            case received = "<"
            /// Nobody: something happened to the connection.
            case note = "-"
        }

        /// The account that the stream belongs to.
        public let account: JID
        /// Who said it.
        public let direction: Direction
        /// One element, or what happened; a single line without control characters.
        public let text: String
    }

    /// Whether the texts of messages are written too; passwords, tokens and keys never are.
    ///
    /// Defaults to false.
    public var showsText: Bool
    let write: @Sendable (Line) -> Void

    /// Makes a log; `write` is called on the stream's own thread, in order, and must not block.
    public init(showsText: Bool = false, _ write: @escaping @Sendable (Line) -> Void) {
        self.showsText = showsText
        self.write = write
    }
}
