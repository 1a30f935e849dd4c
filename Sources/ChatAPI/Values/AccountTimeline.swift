// SPDX-License-Identifier: Apache-2.0

/// What happened to one account's connection.
package struct AccountTimeline: Hashable, Codable, Sendable {
    package struct Entry: Hashable, Codable, Sendable {
        package var time: Timestamp
        /// The kind of what happened, for programs; an open set.
        package var kind: String
        /// What happened, in one line.
        package var text: String
        /// The host and port that it is about.
        package var target: String?
        package var error: ChatAPIError?
        /// The certificate that it is about.
        package var certificate: CertificateDetails?

        package init(
            time: Timestamp, kind: String, text: String, target: String? = nil, error: ChatAPIError? = nil,
            certificate: CertificateDetails? = nil
        ) {
            self.time = time
            self.kind = kind
            self.text = text
            self.target = target
            self.error = error
            self.certificate = certificate
        }
    }

    /// The account's bare address.
    package var address: String
    /// The last attempt in one line.
    package var summary: String
    /// What happened, the oldest first.
    package var entries: [Entry]

    package init(address: String, summary: String = "", entries: [Entry] = []) {
        self.address = address
        self.summary = summary
        self.entries = entries
    }
}
