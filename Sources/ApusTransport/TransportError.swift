// SPDX-License-Identifier: Apache-2.0
package import ApusCrypto

/// Why a connection could not be made or has ended.
package struct TransportError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure; what to do next depends on it.
    package enum Code: Sendable {
        /// No address exists for the name.
        case nameNotFound
        /// The name servers did not answer, or refused to.
        case lookupFailed
        /// The domain says that it offers no such service (SRV target ".", RFC 2782).
        case serviceNotOffered
        /// Every address refused the connection.
        case refused
        /// Nothing answered in time.
        case timedOut
        /// No route to any address.
        case unreachable
        /// The peer or the path cut the connection.
        case reset
        /// TCP ended without a TLS close_notify: what came last may be cut short.
        case truncated
        /// The caller gave up.
        case cancelled
        /// TLS refused the peer or the peer refused TLS.
        case tls(TLSError)
        /// A proxy made no connection.
        case proxy(ProxyFailure)
        /// A WebSocket peer broke the protocol.
        case webSocket(WebSocketError)
        /// A fetch by HTTPS failed for another reason than the network.
        case http(HTTPFailure)
        /// Another failure of the system, with its `errno`.
        case system(Int32)
    }

    package let code: Code
    /// Cause and next step in plain words, fit to show.
    package let description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// Whether the same attempt may work later without anybody changing a setting.
    package var isRetryable: Bool {
        switch code {
        case .lookupFailed, .refused, .timedOut, .unreachable, .reset, .truncated, .system: true
        case .nameNotFound, .webSocket, .http: true
        case .proxy(let failure): failure != .credentials && failure != .forbidden
        case .tls(let error): error.isRetryable
        case .serviceNotOffered, .cancelled: false
        }
    }
}
