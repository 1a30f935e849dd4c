// SPDX-License-Identifier: Apache-2.0

/// How long a session waits before it connects again.
///
/// The wait doubles from ``minimum`` up to ``maximum`` and is spread by jitter, so that the clients of a server that
/// restarts do not come back in one wave. It starts anew only after a session that lasted ``stableAfter``.
public struct ReconnectPolicy: Sendable, Hashable {
    /// Whether to connect again at all.
    ///
    /// Defaults to true.
    public var isEnabled: Bool
    /// The first wait.
    ///
    /// Defaults to 1 second.
    public var minimum: Duration
    /// The longest wait.
    ///
    /// Defaults to 5 minutes.
    public var maximum: Duration
    /// How long a session must last for the waits to start anew.
    ///
    /// Defaults to 1 minute.
    public var stableAfter: Duration

    /// Makes a policy.
    public init(
        isEnabled: Bool = true, minimum: Duration = .seconds(1), maximum: Duration = .seconds(300),
        stableAfter: Duration = .seconds(60)
    ) {
        self.isEnabled = isEnabled
        self.minimum = minimum
        self.maximum = maximum
        self.stableAfter = stableAfter
    }

    /// Never connects again by itself.
    public static let never = ReconnectPolicy(isEnabled: false)
}

/// Counts failures and decides about the next attempt; time and chance come from outside.
package struct ReconnectStateMachine: Sendable {
    package enum Action: Sendable, Hashable {
        case retry(after: Duration)
        case stop
    }

    private let policy: ReconnectPolicy
    private var failures = 0

    package init(_ policy: ReconnectPolicy) { self.policy = policy }

    /// A session of that length ended, or an attempt failed (length nil).
    ///
    /// `chance` is between 0 and 1.
    package mutating func ended(_ error: XMPPError, lasted: Duration?, chance: Double) -> Action {
        guard policy.isEnabled, error.isRetryable else { return .stop }
        if let lasted, lasted >= policy.stableAfter { failures = 0 }
        failures = min(failures + 1, 32)
        // A session that worked for a while is taken up at once; its server may keep it for us.
        if failures == 1, lasted != nil { return .retry(after: policy.minimum * (chance * 0.2)) }
        var wait = policy.minimum
        for _ in 1..<failures where wait < policy.maximum { wait *= 2 }
        wait = min(wait, policy.maximum)
        return .retry(after: wait * (0.5 + chance * 0.5))
    }
}
