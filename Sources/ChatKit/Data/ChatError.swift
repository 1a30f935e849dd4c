// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
public import XMPP

/// The one error of this library: what happened, whether trying again can help, and what caused it.
///
/// No password, key or text of a message is ever part of it.
public struct ChatError: Error, Sendable {
    /// What happened.
    ///
    /// The set is open: a later version may add codes, so keep a `default` case.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the code, stable across versions.
        public let rawValue: String

        /// Makes a code by its name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// What happened.
    public let code: Code
    /// One line fit to show: the cause, and what can be done about it.
    public let description: String
    /// Whether the same call may succeed later without any change.
    public let isRetryable: Bool
    /// The error of a lower layer that caused this one.
    public let underlying: (any Error)?

    /// Makes an error.
    public init(_ code: Code, _ description: String, isRetryable: Bool = false, underlying: (any Error)? = nil) {
        self.code = code
        self.description = description
        self.isRetryable = isRetryable
        self.underlying = underlying
    }
}

extension ChatError.Code {
    /// Another process holds the profile.
    public static let profileInUse = Self(rawValue: "profileInUse")
    /// The files of the profile cannot be read or written.
    public static let storageFailed = Self(rawValue: "storageFailed")
    /// The disk is full; what was asked for is not done.
    public static let diskFull = Self(rawValue: "diskFull")
    /// The database of the profile is damaged.
    public static let profileDamaged = Self(rawValue: "profileDamaged")
    /// The profile was written by a newer version.
    public static let newerProfile = Self(rawValue: "newerProfile")
    /// The core was closed.
    public static let closed = Self(rawValue: "closed")

    /// The profile has no such account.
    public static let unknownAccount = Self(rawValue: "unknownAccount")
    /// The profile has this account already.
    public static let accountExists = Self(rawValue: "accountExists")
    /// The text is no address, or not of the kind that is needed.
    public static let invalidAddress = Self(rawValue: "invalidAddress")
    /// One's own address cannot be a contact.
    public static let cannotAddYourself = Self(rawValue: "cannotAddYourself")
    /// The address is a contact already, or was asked already.
    public static let alreadyContact = Self(rawValue: "alreadyContact")
    /// The address is no contact.
    public static let unknownContact = Self(rawValue: "unknownContact")
    /// Nobody of that address asks for anything.
    public static let unknownRequest = Self(rawValue: "unknownRequest")

    /// There is no such message.
    public static let unknownMessage = Self(rawValue: "unknownMessage")
    /// There is no such conversation.
    public static let unknownConversation = Self(rawValue: "unknownConversation")
    /// The message has no text.
    public static let emptyMessage = Self(rawValue: "emptyMessage")
    /// The message is too long.
    public static let messageTooLong = Self(rawValue: "messageTooLong")
    /// The text holds a character that XML cannot carry.
    public static let unsendableText = Self(rawValue: "unsendableText")
    /// The message cannot be sent again in the state that it has.
    public static let notFailed = Self(rawValue: "notFailed")

    /// The message is not the user's, was taken back, or cannot be named.
    public static let notChangeable = Self(rawValue: "notChangeable")

    /// What was given is no export, or one of a newer version.
    public static let invalidExport = Self(rawValue: "invalidExport")

    /// The file cannot be read, or is none.
    public static let fileUnusable = Self(rawValue: "fileUnusable")
    /// The file is larger than the limit.
    public static let fileTooLarge = Self(rawValue: "fileTooLarge")
    /// The message has no such file.
    public static let unknownFile = Self(rawValue: "unknownFile")
    /// The file is on its way already, or has come to its end.
    public static let notUnderWay = Self(rawValue: "notUnderWay")

    /// The message does not wait for a decision.
    public static let notWaiting = Self(rawValue: "notWaiting")

    /// The account is not online.
    public static let notConnected = Self(rawValue: "notConnected")
    /// The server, or the other side, refused the request.
    public static let requestFailed = Self(rawValue: "requestFailed")
    /// The password is not acceptable, or none is known.
    public static let passwordNeeded = Self(rawValue: "passwordNeeded")
    /// The caller's task was cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
    /// A fault for which there is no other code.
    public static let other = Self(rawValue: "other")
}

extension ChatError: CustomStringConvertible, CustomDebugStringConvertible, Equatable {
    /// Code, description and all causes.
    public var debugDescription: String {
        var text = "ChatError.\(code.rawValue)\(isRetryable ? " (retryable)" : ""): \(description)"
        if let underlying { text += "; caused by \(String(reflecting: underlying))" }
        return text
    }

    /// Two errors are equal when code and description are.
    public static func == (left: ChatError, right: ChatError) -> Bool {
        left.code == right.code && left.description == right.description
    }

    /// The error of the protocol library that caused this one, where there was one.
    public var xmppError: XMPPError? { underlying as? XMPPError }
}

extension ChatError {
    /// Turns any error of a lower layer into one of this library.
    ///
    /// An error of the protocol library keeps its code and its words.
    package init(_ error: any Error) {
        switch error {
        case let error as ChatError: self = error
        case let error as XMPPError:
            self.init(
                Code(rawValue: error.code.rawValue), error.description, isRetryable: error.isRetryable,
                underlying: error)
        case let error as SQLiteError: self.init(storage: error)
        case let error as JIDError: self.init(.invalidAddress, "not an address: \(error)", underlying: error)
        case is CancellationError: self.init(.cancelled, "cancelled", isRetryable: true)
        default: self.init(.other, String(describing: error), underlying: error)
        }
    }

    private init(storage error: SQLiteError) {
        switch error.kind {
        case .full:
            self.init(
                .diskFull, "the disk is full; free some space, nothing has been lost", isRetryable: true,
                underlying: error)
        case .corrupt:
            self.init(
                .profileDamaged, "the database of the profile is damaged; restore it from a backup", underlying: error)
        case .newerSchema:
            self.init(
                .newerProfile, "the profile was written by a newer version; update this program", underlying: error)
        case .readOnly:
            self.init(
                .storageFailed, "the profile cannot be written; check the rights of its folder", isRetryable: true,
                underlying: error)
        case .cannotOpen:
            self.init(
                .storageFailed, "the profile cannot be opened: \(error.message)", isRetryable: false, underlying: error)
        case .inputOutput, .busy:
            self.init(
                .storageFailed, "the profile cannot be written: \(error.message)", isRetryable: true,
                underlying: error)
        case .constraint, .misuse, .other:
            self.init(.storageFailed, "the profile's database failed: \(error.message)", underlying: error)
        }
    }
}
