// SPDX-License-Identifier: Apache-2.0
package import ApusCrypto

/// What to fetch or send by HTTPS, and under which limits.
package struct HTTPRequest: Sendable {
    /// What is asked for.
    package enum Method: Sendable {
        case get
        case put(HTTPBody)
        case post(HTTPBody)
    }

    /// An `https` URL; nothing else is fetched, and no redirect leads to anything else.
    package var url: String
    package var method = Method.get
    /// Field names and values; one that could be read as more than one field ends the request.
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
    /// The longest time until the connection is up; nil for the deadline alone.
    package var connectDeadline: Duration?
    /// The transfer ends when for so long fewer than ``slowest`` bytes came or went in each second; nil for no such limit.
    package var stall: Duration?
    /// Bytes in a second that are no stall.
    ///
    /// Defaults to 64.
    package var slowest = 64
    /// How many redirects to other `https` URLs are followed.
    ///
    /// Defaults to 3.
    package var maximumRedirects = 3
    /// Whether `http` is as good as `https`.
    ///
    /// Defaults to false.
    package var permitsUnencrypted = false
    package var proxy: Proxy?
    /// Connects there, whatever host and port the URL names; the certificate must name the URL's host all the same.
    package var server: Endpoint?
    /// Whether an address may be connected to; asked for each one and before each request, redirects included, on the
    /// client's thread.
    ///
    /// With a proxy it is not asked: the proxy looks names up.
    package var allowsAddress: (@Sendable (IPAddress) -> Bool)?
    /// Told how many bytes of the body came, and how many there are where the server says so, on the client's thread.
    package var progress: (@Sendable (_ received: Int64, _ total: Int64?) -> Void)?
    /// Told how many bytes of the request's body went out, on the client's thread.
    package var sendProgress: (@Sendable (_ sent: Int64, _ total: Int64) -> Void)?
    /// Takes the body of a successful answer instead of ``HTTPResponse/body``, piece by piece on the client's thread; false
    /// ends the transfer.
    ///
    /// Told the answer's head with each piece.
    package var receive: (@Sendable (_ head: HTTPResponse, _ bytes: UnsafeRawBufferPointer) -> Bool)?

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
    /// The fields of the last answer, names in lower case.
    package var fields: [Field] = []
    /// Where a redirect leads that was not followed, as a whole URL.
    package var redirect: String?

    package struct Field: Sendable, Hashable {
        package var name: String
        package var value: String
    }

    /// The first value of a field, by its name in lower case.
    package func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    package var isSuccess: Bool { (200..<300).contains(status) }
}
