// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
package import ApusTransport

extension XMPPSession {
    /// What the account trusts, in the words of the TLS layer.
    var tlsTrust: TLSTrust {
        TLSTrust(
            usesSystemRoots: account.trust.usesSystemRoots, authorityFiles: account.trust.authorityFiles,
            pinnedCertificates: account.trust.pinnedCertificates, pinnedKeys: account.trust.pinnedKeys)
    }

    /// The target with what this session adds to it: both spellings of the domain, our certificate, who decides about a
    /// refused one, and who hears how it goes.
    func completed(_ target: ConnectTarget) -> ConnectTarget {
        var target = target
        let domain = account.jid.domain
        if domain != account.jid.asciiDomain { target.tls.unicodeDomain = domain }
        target.tls.clientCertificate = account.clientCertificate.map {
            TLSClientCertificate(certificateFile: $0.certificateFile, keyFile: $0.keyFile)
        }
        target.tls.decider = certificatePrompter?.decider
        target.observer = { [bridge] event in bridge.observe(event) }
        return target
    }

    /// What the way to the server shows.
    func observe(_ event: ConnectEvent) {
        switch event {
        case .targets(let endpoints, let areFound):
            emit(.resolved(endpoints.map { ConnectionTarget($0) }, areFound: areFound))
        case .noAddress(let host, let reason): emit(.noAddress(host: host, reason))
        case .failed(let endpoint, let error):
            emit(.targetFailed(ConnectionTarget(endpoint), XMPPError(transport: error, domain: account.jid.domain)))
        case .connected(let endpoint, let address):
            emit(.connected(ConnectionTarget(endpoint), address: address.description))
        }
    }

    /// TLS is up: tells what was agreed on and what the certificate says.
    func announce(_ information: TLSInformation) {
        emit(.secured(version: information.protocolVersion, cipher: information.cipher))
        if let certificate = information.certificate { emit(.verified(ServerCertificate(certificate))) }
    }

    /// The user is asked about a certificate: the time for the login does not run meanwhile.
    func questionOpened() { loginTimer?.cancel() }

    func questionAnswered(_ question: CertificateRefusal, _ accepts: Bool) {
        if channel != nil, negotiation != nil { startLoginTimer(configuration.loginTimeout) }
        guard accepts else { return }
        hasFreshPin = true
        account.trust.pinnedCertificates = [question.certificate.fingerprint]
        emit(.certificatePinned(question.certificate))
    }

    /// The end of an attempt, where the user's own no is the reason for it: asking again would not help.
    func judged(_ error: XMPPError) -> XMPPError {
        guard let refusal = error.certificateRefusal, let prompter = certificatePrompter,
            prompter.hasRefused(refusal.certificate.fingerprint)
        else { return error }
        return XMPPError(error.code, error.description, underlying: error.underlying)
    }
}

/// One place where a server may be.
public struct ConnectionTarget: Sendable, Hashable, CustomStringConvertible {
    /// A host name or an IP address.
    public let host: String
    /// The TCP port.
    public let port: UInt16
    /// Whether TLS starts with the first byte (XEP-0368).
    public let usesDirectTLS: Bool

    package init(_ endpoint: Endpoint) {
        host = endpoint.host
        port = endpoint.port
        usesDirectTLS = endpoint.usesDirectTLS
    }

    /// `host:port`, an IPv6 address in brackets.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// What a server offers at one point of a stream (RFC 6120 §4.3.2).
public struct StreamOffer: Sendable, Hashable {
    /// Whether it was said inside TLS.
    public let isSecure: Bool
    /// Whether it was said after the login.
    public let isAuthenticated: Bool
    /// The features by name and namespace.
    public let features: [XMLName]
    /// The mechanisms of a login, before it (RFC 6120 §6.3.3, XEP-0388 §2.1).
    public let mechanisms: [String]
    /// The ways to bind a login to its TLS channel that the server names (XEP-0440), nil when it names none.
    public let channelBindings: [String]?
    /// All that was understood of it.
    package let details: StreamFeatures

    init(_ element: Element, _ parsed: StreamFeatures, isSecure: Bool, isAuthenticated: Bool) {
        self.isSecure = isSecure
        self.isAuthenticated = isAuthenticated
        features = element.children.prefix(64).map(\.name)
        details = parsed
        let others = parsed.sasl2?.mechanisms ?? []
        mechanisms = parsed.mechanisms + others.filter { !parsed.mechanisms.contains($0) }
        channelBindings = parsed.channelBindings
    }
}
