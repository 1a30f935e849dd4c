// SPDX-License-Identifier: Apache-2.0

/// Looks up both XMPP services of a domain and says which endpoints to dial (RFC 6120 §3.2, XEP-0368 §3).
///
/// The services are asked for at the same time; a miss or failure of one does not stop the other. Confined to the
/// loop's thread.
final class ServiceSearch {
    private unowned let race: ConnectRace
    private let resolver: Resolver
    private var direct: ServiceAnswer?
    private var plain: ServiceAnswer?
    private var hasBegun = false
    private var timer: (any LoopTimer)?

    init(race: ConnectRace, resolver: Resolver) {
        self.race = race
        self.resolver = resolver
    }

    /// Whether an answer may still bring endpoints.
    var isPending: Bool { direct == nil || plain == nil }

    func start() {
        let security = race.target.security
        let domain = race.target.domain
        // What may not be used counts as not there.
        if security == .startTLS { direct = ServiceAnswer.none }
        if security == .directTLS { plain = ServiceAnswer.none }
        if direct == nil {
            resolver.services("xmpps-client", of: domain, directTLS: true) { [weak self] in
                self?.direct = $0
                self?.answered($0)
            }
        }
        if plain == nil {
            resolver.services("xmpp-client", of: domain, directTLS: false) { [weak self] in
                self?.plain = $0
                self?.answered($0)
            }
        }
    }

    func stop() {
        timer?.cancel()
        timer = nil
    }

    private func answered(_ answer: ServiceAnswer) {
        guard isPending else {
            stop()
            return hasBegun ? beginLate(answer) : beginAll()
        }
        // The other one gets a moment, so that both lists can be merged.
        guard case .records = answer else { return }
        timer = race.loop.schedule(after: race.connector.serviceDelay) { [weak race] in
            race?.services?.goOn()
        }
    }

    /// Begins without the answer that is still out.
    func goOn() {
        if !hasBegun { beginAll() }
    }

    private func beginLate(_ answer: ServiceAnswer) {
        // An empty list also lets a race that had run out of endpoints end.
        race.begin(order(answer.records), isFound: true)
    }

    private func beginAll() {
        hasBegun = true
        let domain = race.target.domain
        switch ServicePlan(direct: direct, plain: plain, domain: domain, security: race.target.security) {
        case .dial(let records): race.begin(order(records), isFound: true)
        case .fallBack(let endpoint, let failure):
            race.tally.lookupFailure = failure
            race.begin([endpoint], isFound: false)
        case .notOffered:
            race.refuse(
                TransportError(
                    .serviceNotOffered,
                    "\(domain) says that it offers no XMPP service for clients. Check the address."))
        }
    }

    private func order(_ records: [ServiceRecord]) -> [Endpoint] {
        let limit = race.connector.maximumEndpoints
        if let seed = race.connector.seed {
            var generator = SeededGenerator(seed: seed)
            return ServiceRecord.order(records, limit: limit, using: &generator)
        }
        var generator = SystemRandomNumberGenerator()
        return ServiceRecord.order(records, limit: limit, using: &generator)
    }
}
