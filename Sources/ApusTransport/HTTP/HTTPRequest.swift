// SPDX-License-Identifier: Apache-2.0
package import ApusCrypto

/// What to fetch by HTTPS, and under which limits.
package struct HTTPRequest: Sendable {
    /// An `https` URL; nothing else is fetched, and no redirect leads to anything else.
    package var url: String
    /// Field names and values.
    package var headers: [(name: String, value: String)] = []
    /// Who may vouch for the server; pins do not apply to HTTPS.
    package var trust: TLSTrust
    /// The largest body that is taken; a larger one ends the transfer.
    ///
    /// Defaults to 1 MiB.
    package var maximumBytes = 1024 * 1024
    /// The longest time for everything.
    ///
    /// Defaults to 30 seconds.
    package var deadline: Duration = .seconds(30)
    /// How many redirects to other `https` URLs are followed.
    ///
    /// Defaults to 3.
    package var maximumRedirects = 3
    package var proxy: Proxy?
    /// Connects there, whatever host and port the URL names; the certificate must name the URL's host all the same.
    package var server: Endpoint?
    /// Whether an address may be connected to; asked for each one, redirects included, on the client's thread.
    package var allowsAddress: (@Sendable (IPAddress) -> Bool)?
    /// Told how many bytes of the body came, and how many there are where the server says so, on the client's thread.
    package var progress: (@Sendable (_ received: Int64, _ total: Int64?) -> Void)?

    package init(_ url: String, trust: TLSTrust = TLSTrust()) {
        self.url = url
        self.trust = trust
    }
}

/// What a server answered, whatever its status says.
package struct HTTPResponse: Sendable, Hashable {
    package var status: Int
    /// The media type as the server gave it.
    package var contentType: String?
    package var body: [UInt8]
}
