// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// Why a file did not come or go by HTTP (XEP-0363).
extension XMPPError.Code {
    /// The address is none of the Web, or is not encrypted.
    public static let badURL = Self(rawValue: "badURL")
    /// The address leads to this machine or into a private network.
    public static let forbiddenAddress = Self(rawValue: "forbiddenAddress")
    /// The file is larger than the limit.
    public static let fileTooLarge = Self(rawValue: "fileTooLarge")
    /// The server refused, or has no such file.
    public static let httpRefused = Self(rawValue: "httpRefused")
    /// The transfer broke off.
    public static let transferFailed = Self(rawValue: "transferFailed")
    /// The file cannot be read or written here.
    public static let fileUnusable = Self(rawValue: "fileUnusable")
    /// What came is not what was announced.
    public static let contentMismatch = Self(rawValue: "contentMismatch")
}

extension XMPPError {
    /// What a failure of the transfer means; query and path of the address stay out of it, they may be a secret.
    init(http error: TransportError, host: String) {
        switch error.code {
        case .cancelled: self.init(.disconnected, "the transfer was given up", underlying: error)
        case .timedOut:
            self.init(.timedOut, "\(host) took too long", isRetryable: true, underlying: Self.bare(error, host))
        case .http(.forbiddenAddress): self = HTTPAccess.forbidden(host)
        case .http(.tooLarge): self.init(.fileTooLarge, "the file at \(host) is larger than the limit")
        case .http(.notHTTPS): self.init(.badURL, "\(host) cannot be used with that address")
        case .http(.local): self.init(.fileUnusable, "the file cannot be read or written here")
        case .http(.header): self.init(.invalidReply, "the server asks for a field that cannot be sent")
        case .http(.certificate):
            self.init(
                .tlsFailed, "the certificate of \(host) is not trusted", isRetryable: false,
                underlying: Self.bare(error, host))
        default:
            self.init(
                .transferFailed, "the transfer with \(host) failed", isRetryable: true,
                underlying: Self.bare(error, host))
        }
    }

    /// The same error without the address that its text has.
    private static func bare(_ error: TransportError, _ host: String) -> TransportError {
        TransportError(error.code, "The transfer with \(host) failed.")
    }

    /// What an answer means that is no success.
    static func status(_ status: Int, host: String) -> XMPPError {
        let what =
            switch status {
            case 401, 403: "does not permit it"
            case 404, 410: "has no such file, or no longer"
            case 413: "says that the file is too large"
            case 507: "has no room left"
            case 300..<400: "sends elsewhere, which is not followed"
            default: "answered with \(status)"
            }
        return XMPPError(
            status == 413 ? .fileTooLarge : .httpRefused, "\(host) \(what)",
            isRetryable: status == 408 || status == 429 || (500..<600).contains(status) && status != 507)
    }
}
