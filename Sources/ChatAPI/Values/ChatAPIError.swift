// SPDX-License-Identifier: Apache-2.0

/// Why a request to the chat core failed, in words fit to show: the cause, and what the user can do next.
package struct ChatAPIError: Error, Hashable, Codable, Sendable {
    /// The kind of failure, for programs; an open set, written as its name.
    package var code: Code
    /// One sentence without a full stop that names the cause.
    package var description: String
    /// What the user can do next, one clause without a full stop.
    package var hint: String?
    /// The same request may succeed later without any change.
    package var isRetryable: Bool
    /// The certificate that was refused, when that is the failure.
    package var certificate: CertificateDetails?

    package init(_ code: Code, _ description: String, hint: String? = nil, isRetryable: Bool = false) {
        self.code = code
        self.description = description
        self.hint = hint
        self.isRetryable = isRetryable
    }

    /// Codes are compared by name, so that an older face understands a newer core as far as it can.
    package struct Code: RawRepresentable, Hashable, Codable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// A value of the request is not acceptable.
        package static let invalidArgument = Code(rawValue: "invalid-argument")
        /// The named thing does not exist.
        package static let notFound = Code(rawValue: "not-found")
        /// The profile has no such account, or none at all.
        package static let unknownAccount = Code(rawValue: "unknown-account")
        /// What shall be made exists already.
        package static let conflict = Code(rawValue: "conflict")
        /// The server did not accept the credentials, or we do not accept what it offers.
        package static let authentication = Code(rawValue: "authentication")
        /// The server cannot be found or reached, or the connection broke.
        package static let network = Code(rawValue: "network")
        /// The time given ran out.
        package static let timeout = Code(rawValue: "timeout")
        /// The server's certificate is not acceptable.
        package static let certificate = Code(rawValue: "certificate")
        /// The server or the other side refused the request.
        package static let refused = Code(rawValue: "refused")
        /// The server wants more fields to register an account.
        package static let registrationFields = Code(rawValue: "registration-fields")
        /// Files of the profile cannot be read or written.
        package static let storage = Code(rawValue: "storage")
        /// Another process holds the profile and does not answer on its socket.
        package static let busy = Code(rawValue: "busy")
        /// The two programs on the socket do not understand each other.
        package static let protocolMismatch = Code(rawValue: "protocol-mismatch")
        /// The process that holds the profile is about to stop; nothing of the request was done.
        package static let leaving = Code(rawValue: "leaving")
        /// The socket to the process that holds the profile broke; the request may or may not have been done.
        package static let connectionLost = Code(rawValue: "connection-lost")
        /// The request is larger than what is accepted.
        package static let tooLarge = Code(rawValue: "too-large")
        /// The caller gave up.
        package static let cancelled = Code(rawValue: "cancelled")
        /// The core does not know this request.
        package static let unsupported = Code(rawValue: "unsupported")
        /// A fault of this program.
        package static let fault = Code(rawValue: "fault")
    }

    private enum CodingKeys: String, CodingKey {
        case code
        case description = "message"
        case hint
        case isRetryable = "retryable"
        case certificate
    }
}

extension ChatAPIError: CustomStringConvertible, CustomDebugStringConvertible {
    package var debugDescription: String {
        "\(code.rawValue): \(description)" + (hint.map { "; \($0)" } ?? "") + (isRetryable ? " (retryable)" : "")
    }
}

extension ChatAPIError {
    /// The caller's task was cancelled.
    package static let cancelled = ChatAPIError(.cancelled, "cancelled")
}
