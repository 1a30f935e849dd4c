// SPDX-License-Identifier: Apache-2.0

/// How far a message has come.
public enum MessageState: Hashable, Sendable {
    /// Durable here, not yet handed to the connection.
    case queued
    /// Handed to the connection; the server has not confirmed it.
    case written
    /// The server has taken responsibility for it (XEP-0198). It need not have reached anybody.
    case acknowledged
    /// A device of the other side has it (XEP-0184).
    case delivered
    /// The other side has seen it (XEP-0333).
    case displayed
    /// It waited so long that it is sent only when the user says so; see ``ChatCore/retry(_:)`` and
    /// ``ChatCore/discard(_:)``.
    case needsConfirmation
    /// It came in.
    case received
    /// It will not be sent, or was refused.
    case failed(MessageFailure)

    /// Whether an outgoing message has come at least as far as `other`.
    public func hasReached(_ other: MessageState) -> Bool {
        guard let own = step, let wanted = other.step else { return self == other }
        return own >= wanted
    }

    private var step: Int? {
        switch self {
        case .queued: 0
        case .written: 1
        case .acknowledged: 2
        case .delivered: 3
        case .displayed: 4
        case .needsConfirmation, .received, .failed: nil
        }
    }
}

/// Why a message failed.
public struct MessageFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure; an open set.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        /// The name of the reason, stable across versions: one of the values below, or the condition of a stanza error
        /// as RFC 6120 §8.3.3 names it, such as `service-unavailable`.
        public let rawValue: String

        /// Makes a reason by its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It waited longer than a message may wait before it is sent without asking.
        public static let expired = Self(rawValue: "expired")
        /// The server closed the stream each time it was sent.
        public static let undeliverable = Self(rawValue: "undeliverable")
        /// The user decided not to send it.
        public static let discarded = Self(rawValue: "discarded")
        /// It holds a character that XML cannot carry.
        public static let unsendable = Self(rawValue: "unsendable")
        /// Its file could not be sent or fetched.
        public static let fileFailed = Self(rawValue: "file-failed")
        /// Its file is larger than the server takes.
        public static let fileTooLarge = Self(rawValue: "file-too-large")
        /// The account was removed from the profile or from the server.
        public static let accountRemoved = Self(rawValue: "account-removed")
    }

    /// The kind of failure.
    public let reason: Reason
    /// What the other side wrote about it; shown as text only.
    public let text: String?

    /// Makes a failure.
    public init(_ reason: Reason, text: String? = nil) {
        self.reason = reason
        self.text = text
    }

    /// The cause in words, and what the user can do.
    public var description: String {
        let words =
            switch reason {
            case .expired: "not sent in time; send it again if it still matters"
            case .undeliverable: "the server closes the connection whenever this message is sent; change it"
            case .discarded: "not sent, as you decided"
            case .unsendable: "the text holds a character that cannot be sent"
            case .fileFailed: "the file did not get through"
            case .fileTooLarge: "the file is larger than the server takes"
            case .accountRemoved: "the account was removed"
            case Reason(rawValue: "service-unavailable"):
                "the other side cannot be reached (service unavailable); check the address"
            case Reason(rawValue: "remote-server-not-found"):
                "the server of that address cannot be found; check the address"
            default: "refused: " + reason.rawValue.replacing("-", with: " ")
            }
        guard let text, !text.isEmpty else { return words }
        return "\(words) (\(text))"
    }
}
