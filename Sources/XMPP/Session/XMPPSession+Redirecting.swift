// SPDX-License-Identifier: Apache-2.0
import ApusTransport

extension XMPPSession {
    /// One attempt: a stream, and those at other places that its end leads to; gives the reason of the last end.
    ///
    /// All of them together have the time of one login.
    func runAttempt() async -> XMPPError {
        let started = configuration.clock.now
        // A server given by hand is where its user wants to be, and a stream in clear names no place that counts.
        var place = redirects.begin(location: account.server == nil ? management.location : nil)
        while true {
            let left = configuration.loginTimeout - started.duration(to: configuration.clock.now)
            guard left > .zero else { return loginTimeoutError }
            endedInsideTLS = false
            // A place that does not answer must leave time for the usual way.
            let isHint = if case .location = place { true } else { false }
            let error = tolerant(await runStream(at: place, deadline: isHint ? left / 3 : left))
            let webSocket = lastEndpoint?.webSocketPath == nil ? nil : ServerLocation(webSocketOf: error)
            switch redirects.ended(error, progress, webSocket: webSocket) {
            case .end(let error): return error
            case .connect(let next):
                await commitsFinished()
                guard !Task.isCancelled, !isOrderlyEnd else { return error }
                place = next
            }
        }
    }

    /// A WebSocket that was found by itself may offer less than the ports that could not be reached; it is refused for
    /// that like any other, and the ports are tried again later.
    private func tolerant(_ error: XMPPError) -> XMPPError {
        guard account.server == nil, lastEndpoint?.webSocketPath != nil,
            error.code == .downgraded || error.code == .noUsableMechanism
        else { return error }
        return XMPPError(error.code, error.description, isRetryable: true, underlying: error.underlying)
    }

    private var progress: RedirectStateMachine.Progress {
        guard endedInsideTLS else { return .unverified }
        guard let onlineSince else { return .verified }
        return .online(
            isStable: onlineSince.duration(to: configuration.clock.now) >= configuration.reconnect.stableAfter)
    }

    /// How to get there; who must answer is the same everywhere.
    func target(_ place: RedirectStateMachine.Place) -> ConnectTarget {
        var target = target
        switch place {
        case .discovery: break
        case .location(let location), .redirect(let location):
            if let path = location.webSocketPath {
                target.override = Endpoint(host: location.host, port: location.port ?? 443, webSocketPath: path)
                break
            }
            let port = location.port ?? 5222
            // The server says host and port alone: how TLS begins is known of the port that is in use now.
            let isDirect = port == 5223 || lastEndpoint.map { $0.usesDirectTLS && $0.port == port } == true
            target.override = Endpoint(host: location.host, port: port, usesDirectTLS: isDirect)
        }
        return target
    }
}
