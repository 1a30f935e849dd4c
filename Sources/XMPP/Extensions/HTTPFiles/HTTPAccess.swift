// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
package import ApusTransport

/// What may be fetched and sent by HTTP, from where, and how much (XEP-0363 §11).
///
/// A link comes from somebody else. So no connection is made to this machine, to a private network or to any other
/// address that is not on the public Internet, whatever name it hides behind and wherever a redirect leads: the
/// address is checked that the connection is made to. Only a host that you trust by name may be there.
public struct HTTPAccess: Sendable, Hashable {
    /// Hosts that may be on this machine or in a private network, by name or address: your own media server.
    ///
    /// Defaults to none.
    public var trustedHosts: Set<String> = []
    /// Whether `http` will do, for hosts in ``trustedHosts`` only: everybody on the way can read and change it.
    ///
    /// Defaults to false.
    public var permitsUnencrypted = false
    /// Ports of this machine that are never connected to, whoever is trusted: those of the program's own interface.
    ///
    /// Defaults to none.
    public var ownPorts: Set<UInt16> = []
    /// The largest file that is fetched, in bytes; a longer one is cut off and thrown away.
    ///
    /// Defaults to 100 MiB.
    public var maximumBytes = 100 * 1024 * 1024
    /// The longest time for one file.
    ///
    /// Defaults to 1 hour.
    public var deadline: Duration = .seconds(3600)
    /// The longest time until a connection is up.
    ///
    /// Defaults to 20 seconds.
    public var connectDeadline: Duration = .seconds(20)
    /// How long a transfer may all but stand still.
    ///
    /// Defaults to 30 seconds.
    public var stall: Duration = .seconds(30)
    /// How many redirects are followed when something is fetched; none ever is when something is sent.
    ///
    /// Defaults to 3.
    public var maximumRedirects = 3
    /// Who may vouch for servers; pins do not apply to HTTPS.
    ///
    /// Defaults to the roots of the system. ``XMPPSession/httpFiles(_:)`` puts that of the account there.
    public var trust = Trust()
    /// A server that makes the connections, nil to connect directly.
    ///
    /// It looks names up by itself, so the addresses behind them cannot be checked here: with a proxy, names that mean
    /// this machine or a local network are refused, and the proxy has to refuse the rest.
    public var proxy: ProxyServer?
    /// For tests: connects there, whatever the URL names.
    package var server: Endpoint?

    /// Makes the default rules.
    public init() {}

    func isTrusted(_ host: String) -> Bool {
        let host = host.hasSuffix(".") ? String(host.dropLast()) : host
        return trustedHosts.contains { $0.lowercased() == host || $0.lowercased() == "[\(host)]" }
    }

    /// Where the URL leads, if one may go there; what the name turns out to be is checked at the connection.
    func location(_ url: String) throws(XMPPError) -> HTTPLocation {
        guard let location = HTTPLocation(url) else {
            throw XMPPError(.badURL, "this is no address of the Web that can be used: \(url.prefix(200))")
        }
        let isTrusted = isTrusted(location.host)
        guard location.isEncrypted || permitsUnencrypted && isTrusted else {
            throw XMPPError(.badURL, "\(location.host) is only reached by https, and this link says otherwise")
        }
        if ownPorts.contains(location.port), IPAddress(location.host).map({ !$0.isPublic }) ?? false {
            throw XMPPError(.forbiddenAddress, "the link leads to this program itself")
        }
        guard !isTrusted else { return location }
        if let address = IPAddress(location.host), !address.isPublic {
            throw Self.forbidden(location.host)
        }
        if proxy != nil, Self.isLocalName(location.host) { throw Self.forbidden(location.host) }
        return location
    }

    static func forbidden(_ host: String) -> XMPPError {
        XMPPError(
            .forbiddenAddress,
            "\(host) is on this machine or in a private network, where no link may lead unless the host is trusted by name"
        )
    }

    /// Names that no public server has (RFC 6761, RFC 6762).
    private static func isLocalName(_ host: String) -> Bool {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        if IPAddress(name) != nil { return false }
        guard let last = name.split(separator: ".").last, name.contains(".") else { return true }
        return ["localhost", "local", "internal", "home", "lan", "arpa", "test", "invalid"].contains(last)
    }

    /// The request, with every limit and check of these rules.
    func request(_ location: HTTPLocation) -> HTTPRequest {
        var request = HTTPRequest(
            location.url, trust: .init(usesSystemRoots: trust.usesSystemRoots, authorityFiles: trust.authorityFiles))
        request.deadline = deadline
        request.connectDeadline = connectDeadline
        request.stall = stall
        request.maximumRedirects = 0
        request.permitsUnencrypted = !location.isEncrypted
        request.proxy = proxy?.proxy
        request.server = server
        if !isTrusted(location.host) || ownPorts.contains(location.port) { request.allowsAddress = { $0.isPublic } }
        return request
    }
}

/// How far a transfer has come.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes that went or came.
    public var completed: Int64
    /// Bytes that there are, nil while nobody knows.
    public var total: Int64?

    /// Makes a progress.
    public init(completed: Int64, total: Int64?) {
        self.completed = completed
        self.total = total
    }

    /// From 0 to 1; nil while nobody knows.
    public var fraction: Double? {
        guard let total, total > 0 else { return nil }
        return min(1, Double(completed) / Double(total))
    }
}
