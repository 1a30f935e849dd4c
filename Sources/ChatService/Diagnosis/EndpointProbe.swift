// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import ChatAPI
import ChatKit
import Glibc
import XMPP

/// What one place of a server does up to the point where one would log in.
struct EndpointProbe: Sendable {
    let endpoint: Endpoint
    /// Why it went no further, nil when TLS is up and the server said what it offers.
    var error: XMPPError?
    var version: String?
    var certificate: ServerCertificate?
    var offer: StreamOffer?

    var works: Bool { error == nil && offer != nil }

    /// Connects, and leaves before any login.
    static func take(
        _ endpoint: Endpoint, _ account: Account, _ configuration: SessionConfiguration
    ) async -> EndpointProbe {
        var account = account
        // A WebSocket is only ever given by hand, so it stands there already.
        if endpoint.webSocketPath == nil {
            account.server = ServerAddress(
                host: endpoint.host, port: endpoint.port, security: endpoint.usesDirectTLS ? .directTLS : .startTLS)
        }
        var configuration = configuration
        configuration.purpose = .registration
        let session = XMPPSession(account: account, configuration: configuration)
        let events = session.events()
        let watching = Task { () -> EndpointProbe in
            var probe = EndpointProbe(endpoint: endpoint)
            do { for try await event in events { probe.note(event) } } catch {}
            return probe
        }
        var failure: XMPPError?
        do { try await session.connect() } catch {
            failure = error as? XMPPError ?? XMPPError(.connectionFailed, String(describing: error))
        }
        await session.disconnect()
        var probe = await watching.value
        probe.error = failure
        return probe
    }

    private mutating func note(_ event: SessionEvent) {
        switch event {
        case .secured(let version, _): self.version = version
        case .verified(let certificate): self.certificate = certificate
        case .offered(let offer) where offer.isSecure: self.offer = offer
        default: break
        }
    }

    /// What that means.
    func checks(domain: String) -> [Diagnosis.Check] {
        let place = "\(endpoint)" + (endpoint.usesDirectTLS ? " (direct TLS)" : "")
        guard let error else {
            let checks: [Diagnosis.Check] = [
                .init("port", "\(endpoint)", .fine, "\(place) answers"),
                .init("tls", "\(endpoint)", .fine, tlsText(domain)),
            ]
            return checks + endingCertificate()
        }
        let code = ChatAPIError.Code(ChatError(error))
        if let transport = error.underlying as? TransportError {
            guard case .tls(let tls) = transport.code else {
                return [portCheck(transport, place, code)]
            }
            let words = ChatAPIError(ChatError(error))
            return [
                .init("port", "\(endpoint)", .fine, "\(place) answers"),
                .init(
                    "tls", "\(endpoint)", .broken, tls.summary, advice: advice(tls) ?? words.hint, code: code,
                    certificate: words.certificate),
            ]
        }
        let words = ChatAPIError(ChatError(error))
        let name = error.code == .tlsNotOffered || error.code == .tlsFailed ? "tls" : "stream"
        return [
            .init("port", "\(endpoint)", .fine, "\(place) answers"),
            .init(name, "\(endpoint)", .broken, words.description, advice: words.hint, code: code),
        ]
    }

    private func portCheck(
        _ error: TransportError, _ place: String, _ code: ChatAPIError.Code
    ) -> Diagnosis.Check {
        let (text, advice): (String, String) =
            switch error.code {
            case .refused:
                (
                    "\(place) refuses connections: nothing listens there",
                    "start the server, or correct its port in the SRV record"
                )
            case .timedOut:
                ("\(place) does not answer", "check whether a firewall closes the port, and whether the server runs")
            case .unreachable: ("\(place) cannot be reached", "check the network connection")
            case .nameNotFound: ("there is no address for \(endpoint.host)", "check the spelling of the address")
            case .reset, .truncated:
                ("\(place) cuts the connection", "the server's operator must look into the server's log")
            default: (error.description, "check the network connection, or try again later")
            }
        return .init("port", "\(endpoint)", .broken, text, advice: advice, code: code)
    }

    private func advice(_ error: TLSError) -> String? {
        switch error.code {
        case .expired: "the server's operator must renew the certificate"
        case .nameMismatch:
            "check the address; otherwise the server's operator must get a certificate that names the domain"
        case .selfSigned, .unknownAuthority:
            "if this is your own server, trust its authority with --ca FILE, or pin this one certificate"
        case .notTLS: "the port speaks something else; the server's operator must correct the SRV record or the port"
        default: nil
        }
    }

    private func tlsText(_ domain: String) -> String {
        var text = version ?? "TLS"
        if let certificate {
            let names = certificate.names.prefix(4).joined(separator: ", ")
            text += ", certificate for \(names.isEmpty ? certificate.subject : names) by \(certificate.issuer)"
            if let end = certificate.validUntil { text += ", valid until \(end.description.prefix(10))" }
        }
        return text
    }

    private func endingCertificate() -> [Diagnosis.Check] {
        guard let end = certificate?.validUntil else { return [] }
        let days = (end.seconds &- Int64(time(nil))) / 86400
        guard days < 14 else { return [] }
        return [
            .init(
                "tls", "\(endpoint)", .warning, "the certificate expires in \(days) days",
                advice: "the server's operator should renew it now")
        ]
    }

    /// Which logins there are, and how good they are.
    func mechanismChecks(_ account: Account) -> [Diagnosis.Check] {
        let offered = offer?.mechanisms ?? []
        let known = offered.filter { $0.hasPrefix("SCRAM-") || $0 == "PLAIN" || $0 == "EXTERNAL" }
        let names = offered.joined(separator: ", ")
        guard !known.isEmpty else {
            return [
                .init(
                    "mechanisms", account.jid.domain, .broken,
                    offered.isEmpty
                        ? "the server offers no way to log in" : "no login that is offered is known: \(names)",
                    advice: "the server's operator should offer SCRAM-SHA-256", code: .authentication)
            ]
        }
        guard known.contains(where: { $0.hasPrefix("SCRAM-") }) else {
            let isUsable = account.permitsPlain || (known.contains("EXTERNAL") && account.clientCertificate != nil)
            return [
                .init(
                    "mechanisms", account.jid.domain, isUsable ? .warning : .broken,
                    "the server only takes the password itself (\(known.joined(separator: ", "))), which shows it to the"
                        + " server",
                    advice: isUsable
                        ? "the server's operator should offer SCRAM-SHA-256"
                        : "permit that with --allow-plain if you trust this server, or ask its operator for SCRAM",
                    code: isUsable ? nil : .authentication)
            ]
        }
        let bindings = offer?.channelBindings.map { " (\($0.joined(separator: ", ")))" } ?? ""
        guard known.contains(where: { $0.hasSuffix("-PLUS") }) else {
            return [
                .init(
                    "mechanisms", account.jid.domain, .fine,
                    "logins: \(names); none is bound to the TLS channel")
            ]
        }
        return [
            .init(
                "mechanisms", account.jid.domain, .fine, "logins: \(names); bound to the TLS channel\(bindings)")
        ]
    }
}
