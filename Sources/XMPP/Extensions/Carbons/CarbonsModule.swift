// SPDX-License-Identifier: Apache-2.0

/// Switches message carbons on for each new stream (XEP-0280 §4); a resumed one has them still.
///
/// A server that has none is left alone.
public struct CarbonsModule: SessionModule {
    /// Makes the module.
    public init() {}

    /// Asks for them in one step with the login.
    ///
    /// Some servers switch them on without saying so, which is fine: it must succeed (XEP-0386 §3.2).
    public var inlineBindings: [InlineBinding] {
        [InlineBinding(feature: CarbonElements.namespace, request: CarbonElements.enable)]
    }

    /// Switches them on where the login has not.
    public func didGoOnline(_ session: XMPPSession, isResumed: Bool) async {
        guard !isResumed, await !session.isSwitchedOn(CarbonElements.namespace) else { return }
        try? await session.enableCarbons()
    }
}

extension XMPPSession {
    /// Asks the server for copies of what the account's other resources send and receive (XEP-0280 §4).
    ///
    /// Waits for the answer; it holds until the stream ends for good. Throws ``XMPPError``, with a ``StanzaError`` when
    /// the server has no carbons or forbids them. Cancelling ends the wait; the copies may still be on then.
    public func enableCarbons() async throws { _ = try await set(CarbonElements.enable) }

    /// Asks the server to send no more copies (XEP-0280 §5); waits and throws as ``enableCarbons()`` does.
    public func disableCarbons() async throws { _ = try await set(CarbonElements.disable) }
}
