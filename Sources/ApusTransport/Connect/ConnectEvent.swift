// SPDX-License-Identifier: Apache-2.0

/// What an attempt to connect meets on its way.
package enum ConnectEvent: Sendable {
    /// These will be tried, in this order; more may follow.
    ///
    /// `areFound` when the domain's SRV records name them; otherwise they were given by hand, or nothing was found and
    /// the domain itself is tried.
    case targets([Endpoint], areFound: Bool)
    /// No address was found for a host, with the reason when it could not be looked up.
    case noAddress(host: String, String?)
    /// One address of a target failed.
    case failed(Endpoint, TransportError)
    /// A target took the connection, direct TLS included.
    case connected(Endpoint, IPAddress)
}
