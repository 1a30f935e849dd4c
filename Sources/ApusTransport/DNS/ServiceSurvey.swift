// SPDX-License-Identifier: Apache-2.0

/// Everything that the DNS says about where a domain's XMPP service is, to be shown to people.
///
/// Connecting does not use it: that starts with the first answer.
package struct ServiceSurvey: Sendable {
    /// What `_xmpps-client._tcp` gave.
    package var direct: ServiceAnswer
    /// What `_xmpp-client._tcp` gave.
    package var plain: ServiceAnswer
    /// The addresses of each host that is named, or of the domain where none is.
    package var addresses: [String: AddressAnswer]
    private let domain: String

    /// No host has more looked up than this many.
    static let hostLimit = 16

    init(domain: String, direct: ServiceAnswer, plain: ServiceAnswer, addresses: [String: AddressAnswer] = [:]) {
        self.domain = domain
        self.direct = direct
        self.plain = plain
        self.addresses = addresses
    }

    /// The places in the order of their priority; the domain itself where no record names one and none forbids it.
    package var endpoints: [Endpoint] {
        let records = Self.records(direct) + Self.records(plain)
        guard records.isEmpty else {
            var seen: Set<Endpoint> = []
            return records.sorted { ($0.priority, $1.weight) < ($1.priority, $0.weight) }.map(\.endpoint)
                .filter { seen.insert($0).inserted }
        }
        return plain == .notOffered ? [] : [.standard(domain, false)]
    }

    /// Whether the domain names its servers.
    package var hasRecords: Bool { !Self.records(direct).isEmpty || !Self.records(plain).isEmpty }

    private static func records(_ answer: ServiceAnswer) -> [ServiceRecord] {
        if case .records(let records) = answer { records } else { [] }
    }

    /// Asks for everything; what has no answer by the deadline counts as failed.
    package static func take(
        of domain: String, resolver: ResolverConfiguration, loop: EventLoop, deadline: Duration
    ) async -> ServiceSurvey {
        await withCheckedContinuation { continuation in
            loop.execute {
                let run = SurveyRun(domain: domain, loop: loop) { continuation.resume(returning: $0) }
                run.start(resolver, deadline)
            }
        }
    }
}

/// One survey under way; it lives until its deadline or its last answer.
// Unchecked: confined to the loop's thread; it is Sendable so that the loop can carry calls to it.
private final class SurveyRun: @unchecked Sendable {
    private let domain: String
    private let loop: EventLoop
    private var completion: ((ServiceSurvey) -> Void)?
    private var resolver: Resolver?
    private var timer: (any LoopTimer)?
    private var direct: ServiceAnswer?
    private var plain: ServiceAnswer?
    private var version6: [String: AddressAnswer] = [:]
    private var version4: [String: AddressAnswer] = [:]
    private var hosts: [String]?

    init(domain: String, loop: EventLoop, _ completion: @escaping (ServiceSurvey) -> Void) {
        self.domain = domain
        self.loop = loop
        self.completion = completion
    }

    func start(_ configuration: ResolverConfiguration, _ deadline: Duration) {
        guard let resolver = Resolver(loop: loop, configuration: configuration, searches: !domain.contains("."))
        else { return finish("the resolver's settings are unusable") }
        self.resolver = resolver
        timer = loop.schedule(after: deadline) { [self] in finish("no answer in time") }
        resolver.services("xmpps-client", of: domain, directTLS: true) { [self] in
            direct = $0
            advance()
        }
        resolver.services("xmpp-client", of: domain, directTLS: false) { [self] in
            plain = $0
            advance()
        }
    }

    private func advance() {
        guard completion != nil, let direct, let plain else { return }
        guard let hosts else {
            let survey = ServiceSurvey(domain: domain, direct: direct, plain: plain)
            let named = Set(survey.endpoints.map(\.host)).filter { IPAddress($0) == nil }
            let hosts = Array(named.sorted().prefix(ServiceSurvey.hostLimit))
            self.hosts = hosts
            for host in hosts {
                // In the next turn: an answer from a file may come inside the call.
                loop.execute { [self] in look(up: host) }
            }
            if hosts.isEmpty { finish(nil) }
            return
        }
        if hosts.allSatisfy({ version6[$0] != nil && version4[$0] != nil }) { finish(nil) }
    }

    private func look(up host: String) {
        resolver?.addresses(of: host, isIPv6: true) { [self] in
            version6[host] = $0
            advance()
        }
        resolver?.addresses(of: host, isIPv6: false) { [self] in
            version4[host] = $0
            advance()
        }
    }

    private func finish(_ failure: String?) {
        guard let completion else { return }
        self.completion = nil
        timer?.cancel()
        resolver?.close()
        resolver = nil
        let missing = failure.map { ServiceAnswer.failed($0) } ?? .none
        var survey = ServiceSurvey(domain: domain, direct: direct ?? missing, plain: plain ?? missing)
        for host in hosts ?? [] {
            survey.addresses[host] = Self.joined(version6[host], version4[host], failure)
        }
        completion(survey)
    }

    private static func joined(
        _ version6: AddressAnswer?, _ version4: AddressAnswer?, _ failure: String?
    ) -> AddressAnswer {
        var addresses: [IPAddress] = []
        var reason = version6 == nil || version4 == nil ? failure : nil
        for answer in [version6, version4] {
            switch answer {
            case .addresses(let found)?: addresses += found
            case .failed(let text)?: reason = text
            case .none?, nil: break
            }
        }
        if !addresses.isEmpty { return .addresses(addresses) }
        return reason.map { .failed($0) } ?? .none
    }
}
