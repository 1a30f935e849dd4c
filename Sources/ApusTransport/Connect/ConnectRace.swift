// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// One attempt to reach a domain: look-ups, dialling, falling back, under one deadline.
///
/// Endpoints are taken in order; each one's addresses are dialled alternating between the families. A new attempt
/// starts when the last one failed or has run alone for the attempt delay; the first that succeeds wins. Direct TLS
/// succeeds with the handshake.
// Unchecked: confined to the loop's thread; it is Sendable so that the loop can carry calls to it.
final class ConnectRace: @unchecked Sendable {
    typealias Outcome = Result<TCPChannel, TransportError>

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
    /// The endpoint whose addresses are being found or dialled.
    private var current: AddressSearch?
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
        guard let resolver = usableResolver() else { return }
        let services = ServiceSearch(race: self, resolver: resolver)
        self.services = services
        services.start()
    }

    func cancel() {
        isCancelled = true
        finish(.failure(TransportError(.cancelled, "The connection to \(target.domain) was given up.")))
    }

    /// Puts endpoints behind those that wait already; those to be avoided come last.
    func begin(_ endpoints: [Endpoint], isFound: Bool) {
        guard completion != nil else { return }
        if isFound { tally.endpointsFound += endpoints.count }
        waiting += endpoints.filter { !target.avoided.contains($0) }
        waiting += endpoints.filter { target.avoided.contains($0) }
        advance()
    }

    /// Ends with what the service look-ups said, nothing having been dialled.
    func fail(_ error: TransportError) {
        finish(.failure(error))
    }

    func resolutionDelayEnded() {
        guard completion != nil else { return }
        current?.goOnWithoutIPv6()
    }

    /// More addresses to dial, or the certainty that there are none.
    ///
    /// An attempt that runs keeps its time alone.
    func addressesCame() {
        guard attempts.isEmpty || attemptTimer == nil else { return }
        advance()
    }

    /// Does the next thing there is to do.
    ///
    /// Called whenever something came, failed, or took too long.
    func advance() {
        guard completion != nil else { return }
        while true {
            attemptTimer?.cancel()
            attemptTimer = nil
            if let search = current {
                guard attemptsStarted < connector.maximumAttempts else { return failIfIdle() }
                if let address = search.next() {
                    if dial(search.endpoint, address) { return }
                    continue
                }
                // More addresses may come; what is being dialled goes on meanwhile.
                if search.isPending { return }
                current = nil
            }
            guard !waiting.isEmpty, attemptsStarted < connector.maximumAttempts else { return failIfIdle() }
            let endpoint = waiting.removeFirst()
            let search = AddressSearch(race: self, endpoint: endpoint)
            current = search
            if let address = IPAddress(endpoint.host) {
                search.found(address)
            } else {
                guard let resolver = usableResolver() else { return }
                search.start(resolver)
            }
        }
    }

    /// The only way a won or lost attempt reports; true = this attempt's channel is the result.
    func attemptEnded(_ attempt: ConnectAttempt, _ outcome: Outcome) {
        attempts.removeAll { $0 === attempt }
        switch outcome {
        case .success: finish(outcome)
        case .failure(let error):
            tally.attempts.append(error)
            advance()
        }
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
            tally.attempts.append(error)
            return false
        }
        attempts.append(attempt)
        startAttemptTimer()
        return true
    }

    private func startAttemptTimer() {
        attemptTimer?.cancel()
        attemptTimer = loop.schedule(after: connector.attemptDelay) { [weak self] in self?.advance() }
    }

    private func failIfIdle() {
        guard attempts.isEmpty, services?.isPending != true else { return }
        finish(.failure(tally.error(isTimedOut: false)))
    }

    private func deadlineReached() {
        tally.unanswered = attempts.count
        finish(.failure(tally.error(isTimedOut: true)))
    }

    private func usableResolver() -> Resolver? {
        if let resolver { return resolver }
        resolver = Resolver(
            loop: loop, configuration: connector.resolver, searches: !target.domain.contains("."))
        if resolver == nil {
            fail(TransportError(.lookupFailed, "Names cannot be looked up: the resolver's settings are unusable."))
        }
        return resolver
    }

    private func finish(_ outcome: Outcome) {
        guard let completion else { return }
        self.completion = nil
        deadlineTimer?.cancel()
        attemptTimer?.cancel()
        services?.stop()
        current?.stop()
        for attempt in attempts { attempt.stop() }
        attempts.removeAll()
        resolver?.close()
        resolver = nil
        completion(outcome)
    }
}
