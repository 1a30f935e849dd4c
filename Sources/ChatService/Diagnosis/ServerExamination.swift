// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import ChatKit
import XMPP

/// Examines a server from the name to the login, and says of each step what was found and what can be done.
///
/// Every step is made as a session would make it. What cannot work because of something before it is left out, so that
/// the first broken check names the cause. Nothing is changed anywhere; the login takes a resource of its own.
struct ServerExamination {
    let account: Account
    let configuration: SessionConfiguration
    let resolver: ResolverConfiguration
    let timeout: Duration
    private(set) var checks: [Diagnosis.Check] = []
    /// What the first place said that works.
    private var working: EndpointProbe?

    /// More places than this are not tried.
    private static let endpointLimit = 8

    /// `account` may be without credentials; then there is no login.
    init(_ account: Account, _ configuration: SessionConfiguration, timeout: Duration) {
        var account = account
        // The resource of the settings may be in use just now.
        account.jid = account.jid.bare
        self.account = account
        self.timeout = timeout
        var configuration = configuration
        configuration.modules = []
        configuration.reconnect = .never
        configuration.initialPresence = nil
        configuration.loginTimeout = timeout
        configuration.certificatePrompt = nil
        self.configuration = configuration
        resolver = (configuration.connector as? TCPConnector)?.resolver ?? ResolverConfiguration()
    }

    var domain: String { account.jid.asciiDomain }

    mutating func run() async -> [Diagnosis.Check] {
        let endpoints = await findEndpoints()
        for endpoint in endpoints.prefix(Self.endpointLimit) {
            guard !Task.isCancelled else { return checks }
            await examine(endpoint)
        }
        if working == nil, !endpoints.isEmpty { blameMissingRecords() }
        guard let working else {
            add("login", domain, .skipped, "not tried: no place of \(account.jid.domain) works")
            return checks
        }
        checks += working.mechanismChecks(account)
        guard !Task.isCancelled else { return checks }
        let login = LoginProbe(account: account, configuration: configuration)
        checks += await login.run(mayWork: !checks.contains { $0.name == "mechanisms" && $0.outcome == .broken })
        return checks
    }

    mutating func add(
        _ name: String, _ subject: String?, _ outcome: Diagnosis.Outcome, _ text: String, advice: String? = nil,
        code: ChatAPIError.Code? = nil
    ) {
        checks.append(.init(name, subject, outcome, text, advice: advice, code: code))
    }

    private mutating func examine(_ endpoint: Endpoint) async {
        let probe = await EndpointProbe.take(endpoint, account, configuration)
        checks += probe.checks(domain: account.jid.domain)
        if working == nil, probe.works { working = probe }
    }

    /// A domain without records is tried by itself; where that does not work, the records are what is missing.
    private mutating func blameMissingRecords() {
        guard let index = checks.firstIndex(where: { $0.name == "dns" && $0.outcome == .warning }) else { return }
        checks[index].outcome = .broken
        checks[index].code = .network
        checks[index].text =
            "\(domain) names no XMPP server in the DNS (no SRV records), and no server works at \(domain) itself"
    }
}

// Where the server is.
extension ServerExamination {
    private mutating func findEndpoints() async -> [Endpoint] {
        if let server = account.server {
            let endpoint = server.endpoint
            add("dns", domain, .fine, "not asked: the server is given by hand as \(endpoint)")
            return [endpoint]
        }
        if account.jid.isIPLiteral {
            add("dns", domain, .fine, "not asked: \(domain) is an address")
            return [Endpoint(host: account.jid.addressLiteral ?? domain, port: 5222)]
        }
        let survey = await ServiceSurvey.take(
            of: domain, resolver: resolver, loop: configuration.loop, deadline: timeout)
        report(survey)
        return survey.endpoints.filter { endpoint in
            if IPAddress(endpoint.host) != nil { return true }
            if case .addresses? = survey.addresses[endpoint.host] { return true }
            return false
        }
    }

    private mutating func report(_ survey: ServiceSurvey) {
        if survey.hasRecords {
            let places = survey.endpoints.map { "\($0)" + ($0.usesDirectTLS ? " (direct TLS)" : "") }
            add("dns", domain, .fine, "\(domain) names \(places.joined(separator: ", "))")
        } else if survey.plain == .notOffered {
            add(
                "dns", domain, .broken, "\(domain) says that it offers no XMPP service for clients",
                advice: "check the address; otherwise the server's operator must change the SRV record", code: .network)
            return
        } else if case .failed(let reason) = survey.plain, case .failed = survey.direct {
            add(
                "dns", domain, .broken, "the name servers do not answer for \(domain): \(reason)",
                advice: "check the network connection and its name server", code: .network)
        } else {
            add(
                "dns", domain, .warning,
                "\(domain) names no XMPP server in the DNS (no SRV records); clients try port 5222 of \(domain) itself",
                advice: "the server's operator should add SRV records for _xmpps-client._tcp.\(domain) and"
                    + " _xmpp-client._tcp.\(domain)")
        }
        for (host, answer) in survey.addresses.sorted(by: { $0.key < $1.key }) {
            switch answer {
            case .addresses(let addresses):
                add("dns", host, .fine, "\(host) is \(addresses.map(\.description).joined(separator: ", "))")
            case .none where !survey.hasRecords:
                add(
                    "dns", host, .broken, "there is no address for \(host)",
                    advice: "check the spelling of the address", code: .network)
            case .none:
                add(
                    "dns", host, .broken, "there is no address for \(host), which a SRV record of \(domain) names",
                    advice: "the server's operator must add the address or correct the SRV record", code: .network)
            case .failed(let reason):
                add(
                    "dns", host, .broken, "the address of \(host) cannot be looked up: \(reason)",
                    advice: "check the network connection and its name server", code: .network)
            }
        }
    }
}
