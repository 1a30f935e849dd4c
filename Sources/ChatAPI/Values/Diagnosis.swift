// SPDX-License-Identifier: Apache-2.0

/// Asks what is wrong with a server, or with an account on it.
package struct DiagnosisRequest: Hashable, Codable, Sendable {
    /// An account's address, or a domain.
    package var address: String
    /// The password; nil takes what the profile knows, and without that the login is left out.
    package var password: String?
    /// How the server is reached; nil takes the settings of the profile's account.
    package var server: ServerSettings?
    /// How long each connection may take.
    package var timeout: Duration

    package init(
        address: String, password: String? = nil, server: ServerSettings? = nil, timeout: Duration = .seconds(10)
    ) {
        self.address = address
        self.password = password
        self.server = server
        self.timeout = timeout
    }
}

/// What an examination of a server found.
package struct Diagnosis: Hashable, Codable, Sendable {
    /// How a check came out.
    package enum Outcome: String, Hashable, Codable, Sendable {
        case fine
        /// It works, but not as well or as safely as it could.
        case warning
        /// It does not work.
        case broken
        /// It could not be looked at, because of something before it.
        case skipped
    }

    /// One thing that was looked at.
    package struct Check: Hashable, Codable, Sendable {
        /// What was looked at: `address`, `dns`, `port`, `tls`, `mechanisms`, `login`, `stream`, `services`; an open set.
        package var name: String
        /// The host and port, or the domain, that it is about.
        package var subject: String?
        package var outcome: Outcome
        /// What was found, in plain words.
        package var text: String
        /// What to do about it.
        package var advice: String?
        /// The kind of failure.
        package var code: ChatAPIError.Code?
        package var certificate: CertificateDetails?

        package init(
            _ name: String, _ subject: String?, _ outcome: Outcome, _ text: String, advice: String? = nil,
            code: ChatAPIError.Code? = nil, certificate: CertificateDetails? = nil
        ) {
            self.name = name
            self.subject = subject
            self.outcome = outcome
            self.text = text
            self.advice = advice
            self.code = code
            self.certificate = certificate
        }
    }

    package var address: String
    package var checks: [Check]

    package init(address: String, checks: [Check] = []) {
        self.address = address
        self.checks = checks
    }

    /// The first thing that does not work, which is mostly the cause of the others.
    package var cause: Check? { checks.first { $0.outcome == .broken } }
    /// How many things do not work.
    package var brokenCount: Int { checks.count { $0.outcome == .broken } }
}
