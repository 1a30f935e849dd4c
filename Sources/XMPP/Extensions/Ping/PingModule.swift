// SPDX-License-Identifier: Apache-2.0

/// The elements of XEP-0199: an empty request that must be answered.
package enum Ping {
    package static let namespace = "urn:xmpp:ping"
    package static let request = Element(XMLName("ping", namespace))
}

/// Answers pings (XEP-0199 §4), so that servers and contacts see that the stream lives.
public struct PingModule: SessionModule {
    /// Makes the module.
    public init() {}
    /// `urn:xmpp:ping`.
    public var features: [String] { [Ping.namespace] }
    /// `<ping/>`.
    public var requests: [XMLName] { [XMLName("ping", Ping.namespace)] }
    /// An empty result (§4.1).
    public func answer(_ request: IQ, _ context: RequestContext) -> RequestAnswer { .result(nil) }
}

extension XMPPSession {
    /// Asks an address for a sign of life and returns how long the answer took (XEP-0199 §4).
    ///
    /// An error answer is a sign of life, too: only silence or a lost connection throws ``XMPPError``. Cancelling ends the wait.
    public func ping(_ address: JID? = nil, timeout: Duration = .seconds(30)) async throws -> Duration {
        let clock = ContinuousClock()
        let start = clock.now
        do {
            _ = try await get(Ping.request, to: address, timeout: timeout)
        } catch let error as XMPPError where error.stanzaError != nil {}
        return clock.now - start
    }
}
