// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// One attempt to reach a domain: look-ups, dialling, falling back, under one deadline.
///
/// Endpoints are taken in order; each one's addresses are dialled alternating between the families. A new attempt
/// starts when the last one failed or has run alone for the attempt delay; the first that succeeds wins. The look-up
/// of an endpoint's addresses has as long until the next endpoint begins beside it (RFC 8305 §5). Direct TLS succeeds
/// with the handshake.
// Unchecked: confined to the loop's thread; it is Sendable so that the loop can carry calls to it.
final class ConnectRace: @unchecked Sendable {
    typealias Outcome = Result<any ByteChannel, TransportError>

    let target: ConnectTarget
    let connector: TCPConnector
    let loop: EventLoop
    var tally: ConnectTally
    var services: ServiceSearch?
    private var completion: ((Outcome) -> Void)?
    private var isCancelled = false
    private var resolver: Resolver?
    private var deadlineTimer: (any LoopTimer)?
    private var attemptTimer: (any LoopTimer)?
    /// Endpoints not yet begun.
    private var waiting: [Endpoint] = []
    /// The endpoints whose addresses are being found or dialled, in order.
    private var searches: [AddressSearch] = []
    /// Why the domain offers no service, when it says so.
    private var refusal: TransportError?
    private var webSocketSearch: WebSocketSearch?
    private var webSocketTimer: (any LoopTimer)?
    private var attempts: [ConnectAttempt] = []
    private var attemptsStarted = 0

    init(target: ConnectTarget, connector: TCPConnector, loop: EventLoop) {
        self.target = target
        self.connector = connector
        self.loop = loop
        tally = ConnectTally(domain: target.domain)
    }

    func start(deadline: Duration, _ completion: @escaping (Outcome) -> Void) {
        self.completion = completion
        guard !isCancelled else { return cancel() }
        tally.deadline = deadline
        deadlineTimer = loop.schedule(after: deadline) { [weak self] in self?.deadlineReached() }
        if let override = target.override {
            return begin([override], isFound: false)
        }
        if let address = target.address {
            return begin([.standard(address.description, target.security == .directTLS)], isFound: false)
        }
        if target.webSocket?.lookup != nil {
            webSocketTimer = loop.schedule(after: connector.webSocketDelay) { [weak self] in
                self?.searchWebSockets()
            }
        }
        if let proxy = target.proxy, !proxy.asksNameServers {
            return begin(standardEndpoints, isFound: false)
        }
        guard let resolver = usableResolver() else { return }
        let services = ServiceSearch(race: self, resolver: resolver)
        self.services = services
        services.start()
    }

    func cancel() {
        isCancelled = true
        finish(.failure(TransportError(.cancelled, "The connection to \(target.domain) was given up.")))
    }

    /// Puts endpoints behind those that wait already; those that failed lately come last.
    func begin(_ endpoints: [Endpoint], isFound: Bool) {
        guard completion != nil else { return }
        if isFound { tally.endpointsFound += endpoints.count }
        if !endpoints.isEmpty { target.observer?(.targets(endpoints, areFound: isFound)) }
        let avoided = connector.failures.recent()
        waiting += endpoints.filter { !avoided.contains($0) }
        waiting += endpoints.filter { avoided.contains($0) }
        advance()
    }

    /// The service look-ups gave nothing to dial, and nothing else may be dialled in their place.
    func refuse(_ error: TransportError) {
        refusal = error
        failIfIdle()
    }

    /// What is dialled to get to the endpoint.
    func dialled(_ endpoint: Endpoint) -> (host: String, port: UInt16) {
        target.proxy.map { ($0.host, $0.port) } ?? (endpoint.host, endpoint.port)
    }

    /// What there is without asking anybody (RFC 6120 §3.2.2, XEP-0368 §3).
    private var standardEndpoints: [Endpoint] {
        let host = target.address?.description ?? target.domain
        var endpoints: [Endpoint] = []
        if target.security != .directTLS { endpoints.append(.standard(host, false)) }
        if target.security != .startTLS { endpoints.append(.standard(host, true)) }
        return endpoints
    }

    /// Nothing else is left, or it takes long: the domain's HTTPS server may know more.
    private func searchWebSockets() {
        guard completion != nil, webSocketSearch == nil, target.override == nil, let lookup = target.webSocket?.lookup
        else { return }
        webSocketTimer?.cancel()
        let search = WebSocketSearch(race: self, lookup: lookup)
        webSocketSearch = search
        search.start()
    }

    func noAddress(_ endpoint: Endpoint, _ failure: String?) {
        tally.noAddress(endpoint.host, failure)
        target.observer?(.noAddress(host: endpoint.host, failure))
        connector.failures.remember(endpoint)
    }

    func resolutionDelayEnded(of search: AddressSearch) {
        guard completion != nil else { return }
        search.goOnWithoutIPv6()
    }

    /// More addresses to dial, or the certainty that there are none.
    ///
    /// An attempt that runs keeps its time alone, and so does a look-up that has just begun.
    func addressesCame() {
        guard attempts.isEmpty || attemptTimer == nil else { return }
        searches.removeAll { $0.isOver }
        guard attemptTimer == nil || searches.isEmpty || searches.contains(where: \.hasNext) else { return }
        advance()
    }

    /// Does the next thing there is to do.
    ///
    /// Called whenever something came, failed, or took too long.
    func advance() {
        guard completion != nil else { return }
        attemptTimer?.cancel()
        attemptTimer = nil
        while attemptsStarted < connector.maximumAttempts {
            searches.removeAll { $0.isOver }
            if let search = searches.first(where: \.hasNext), let address = search.next() {
                if dial(search.endpoint, address) { return }
                continue
            }
            guard !waiting.isEmpty else { break }
            let search = AddressSearch(race: self, endpoint: waiting.removeFirst())
            searches.append(search)
            if let address = IPAddress(dialled(search.endpoint).host) {
                search.found(address)
            } else {
                guard let resolver = usableResolver() else { return }
                search.start(resolver)
                if search.isPending { return startAttemptTimer() }
            }
        }
        failIfIdle()
    }

    /// The only way a won or lost attempt reports; true = this attempt's channel is the result.
    func attemptEnded(_ attempt: ConnectAttempt, _ outcome: Outcome) {
        switch outcome {
        case .success:
            target.observer?(.connected(attempt.endpoint, attempt.address))
            connector.failures.forget(attempt.endpoint)
            // Whoever had a head start and has not answered is slow at best.
            let delay = connector.attemptDelay
            rememberUnanswered { $0.endpoint != attempt.endpoint && $0.started.duration(to: attempt.started) >= delay }
            attempts.removeAll { $0 === attempt }
            finish(outcome)
        case .failure(let error):
            attempts.removeAll { $0 === attempt }
            failed(attempt.endpoint, error)
            advance()
        }
    }

    /// Somebody is asked about the certificate of an attempt, or has answered: such time does not count.
    ///
    /// Whoever asks has a deadline of his own.
    func attemptAsks(_ isAsking: Bool) {
        guard completion != nil else { return }
        deadlineTimer?.cancel()
        attemptTimer?.cancel()
        attemptTimer = nil
        guard !isAsking else { return }
        deadlineTimer = loop.schedule(after: tally.deadline) { [weak self] in self?.deadlineReached() }
    }

    /// The attempt made progress: the next one waits again.
    func attemptConnected(_ attempt: ConnectAttempt) {
        guard completion != nil, attempts.last === attempt else { return }
        startAttemptTimer()
    }

    /// Whether an attempt runs now; when it has failed at once, the next one is due.
    private func dial(_ endpoint: Endpoint, _ address: IPAddress) -> Bool {
        attemptsStarted += 1
        let attempt = ConnectAttempt(race: self, endpoint: endpoint, address: address)
        if let error = attempt.start() {
            failed(endpoint, error)
            return false
        }
        attempts.append(attempt)
        startAttemptTimer()
        return true
    }

    private func failed(_ endpoint: Endpoint, _ error: TransportError) {
        tally.attempts.append(error)
        connector.failures.remember(endpoint)
        target.observer?(.failed(endpoint, error))
    }

    private func rememberUnanswered(_ isMeant: (ConnectAttempt) -> Bool) {
        for attempt in attempts where isMeant(attempt) { connector.failures.remember(attempt.endpoint) }
    }

    private func startAttemptTimer() {
        attemptTimer?.cancel()
        attemptTimer = loop.schedule(after: connector.attemptDelay) { [weak self] in self?.advance() }
    }

    private func failIfIdle() {
        guard attempts.isEmpty, services?.isPending != true, completion != nil else { return }
        guard attemptsStarted >= connector.maximumAttempts || (waiting.isEmpty && searches.allSatisfy(\.isOver))
        else { return }
        if webSocketSearch == nil, !tally.isOffline || target.proxy != nil { searchWebSockets() }
        guard webSocketSearch?.isPending != true, completion != nil else { return }
        finish(.failure(refusal ?? tally.error(isTimedOut: false)))
    }

    private func deadlineReached() {
        tally.unanswered = attempts.count
        rememberUnanswered { _ in true }
        finish(.failure(tally.error(isTimedOut: true)))
    }

    private func usableResolver() -> Resolver? {
        if let resolver { return resolver }
        resolver = Resolver(
            loop: loop, configuration: connector.resolver, searches: !target.domain.contains("."))
        if resolver == nil {
            let why = "Names cannot be looked up: the resolver's settings are unusable."
            finish(.failure(TransportError(.lookupFailed, why)))
        }
        return resolver
    }

    private func finish(_ outcome: Outcome) {
        guard let completion else { return }
        self.completion = nil
        deadlineTimer?.cancel()
        attemptTimer?.cancel()
        webSocketTimer?.cancel()
        webSocketSearch?.stop()
        services?.stop()
        for search in searches { search.stop() }
        searches.removeAll()
        for attempt in attempts { attempt.stop() }
        attempts.removeAll()
        resolver?.close()
        resolver = nil
        completion(outcome)
    }
}
