// SPDX-License-Identifier: Apache-2.0

/// How a session gets its channel; tests give a scripted one.
package protocol Connector: Sendable {
    /// Finds a server for the target and connects to it.
    ///
    /// Returns when TCP is connected and, where the chosen endpoint uses direct TLS, when the handshake is done and
    /// the certificate accepted (`tlsInformation` of the channel is set). The channel belongs to `loop`'s thread;
    /// nothing is read from it before it has a delegate.
    ///
    /// `deadline` covers everything: name look-ups, every attempt, the TLS handshake. Cancelling the task ends the
    /// attempt at once with `.cancelled`.
    func connect(
        to target: ConnectTarget, loop: EventLoop, deadline: Duration
    ) async throws(TransportError) -> any ByteChannel

    /// Hears of a connection it made whether it was of use.
    ///
    /// The endpoint of one that was not comes last in the attempts of the next minutes.
    func report(_ endpoint: Endpoint, worked: Bool)
}

extension Connector {
    package func report(_ endpoint: Endpoint, worked: Bool) {}
}
