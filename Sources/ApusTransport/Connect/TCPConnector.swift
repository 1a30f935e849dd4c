// SPDX-License-Identifier: Apache-2.0

/// Connects over TCP: finds the domain's servers by SRV and address look-ups and races them (RFC 8305).
package struct TCPConnector: Connector {
    /// How names are looked up.
    package var resolver: ResolverConfiguration
    /// How long one attempt runs alone before the next one starts beside it.
    ///
    /// Defaults to 250 ms (RFC 8305 §5).
    package var attemptDelay: Duration
    /// How long the first family's addresses wait for the other's.
    ///
    /// Defaults to 50 ms (RFC 8305 §3).
    package var resolutionDelay: Duration
    /// How long a service look-up may lag behind the other one before the dialling starts without it.
    package var serviceDelay: Duration
    /// The most endpoints of one answer that are tried.
    ///
    /// Defaults to 16.
    package var maximumEndpoints: Int
    /// The most addresses that are dialled.
    ///
    /// Defaults to 32.
    package var maximumAttempts: Int
    /// How long everything else may take before the domain is asked for WebSocket endpoints, too.
    ///
    /// Defaults to 8 seconds; it is asked at once when nothing else is left.
    package var webSocketDelay: Duration = .seconds(8)
    /// How long the domain's answer to that may take.
    ///
    /// Defaults to 10 seconds.
    package var webSocketLookupTimeout: Duration = .seconds(10)
    /// Where the domain's HTTPS server is, for tests; nil = where its address says, port 443.
    package var webSocketLookupServer: Endpoint?
    /// The endpoints that failed lately; copies of a connector share it.
    package var failures = FailedEndpoints()
    /// Draws among SRV records of one priority; nil takes the system's random source.
    package var seed: UInt64?

    package init(
        resolver: ResolverConfiguration = ResolverConfiguration(), attemptDelay: Duration = .milliseconds(250),
        resolutionDelay: Duration = .milliseconds(50), serviceDelay: Duration = .seconds(1),
        maximumEndpoints: Int = 16, maximumAttempts: Int = 32, seed: UInt64? = nil
    ) {
        self.resolver = resolver
        self.attemptDelay = attemptDelay
        self.resolutionDelay = resolutionDelay
        self.serviceDelay = serviceDelay
        self.maximumEndpoints = maximumEndpoints
        self.maximumAttempts = maximumAttempts
        self.seed = seed
    }

    package func connect(
        to target: ConnectTarget, loop: EventLoop, deadline: Duration
    ) async throws(TransportError) -> any ByteChannel {
        let race = ConnectRace(target: target, connector: self, loop: loop)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<ConnectRace.Outcome, Never>) in
                loop.execute {
                    race.start(deadline: deadline) { continuation.resume(returning: $0) }
                }
            }
        } onCancel: {
            loop.execute { race.cancel() }
        }
        return try result.get()
    }
}

extension TCPConnector {
    package func report(_ endpoint: Endpoint, worked: Bool) {
        if worked { failures.forget(endpoint) } else { failures.remember(endpoint) }
    }
}

/// A small generator with a seed, for draws that shall repeat.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    /// SplitMix64.
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
