// SPDX-License-Identifier: Apache-2.0

/// Decides where the next stream of an attempt is looked for: wherever discovery leads, or where the server asked to be
/// found (`<see-other-host/>`, RFC 6120 §4.9.3.19; `location`, XEP-0198 §3).
///
/// A place that the server named is good for one attempt and forgotten with it; the identity to prove there is the
/// domain's, as anywhere. Only what was said inside verified TLS is followed, and not further than ``limit`` hosts.
package struct RedirectStateMachine: Sendable, Hashable {
    /// Where to look for the server.
    package enum Place: Sendable, Hashable {
        /// Wherever the account or DNS says.
        case discovery
        /// Where a stream is to be resumed, as the server said when it began.
        case location(ServerLocation)
        /// Where the server of this attempt sent us.
        case redirect(ServerLocation)
    }

    package enum Action: Sendable, Hashable {
        /// Go on with this attempt there, at once.
        case connect(Place)
        /// The attempt is over.
        case end(XMPPError)
    }

    /// How the stream that ended had gone.
    package enum Progress: Sendable, Hashable {
        /// Not even TLS was up: nobody has proved to be the server.
        case unverified
        /// TLS was up.
        case verified
        /// Stanzas flowed inside TLS; for long enough, or not.
        case online(isStable: Bool)
    }

    /// The most hosts that one attempt is sent to.
    package static let limit = 5

    private var visited: [ServerLocation] = []
    private var place = Place.discovery
    /// A server that was up sent us there: for the next attempt, after the usual wait.
    private var next: ServerLocation?
    private var failedLocation: ServerLocation?

    package init() {}

    /// A new attempt begins; `location` is where the server likes to resume the stream of before.
    package mutating func begin(location: String?) -> Place {
        if let target = next {
            next = nil
            place = .redirect(target)
        } else {
            visited = []
            let location = location.flatMap { ServerLocation($0) }
            place = location.map { $0 == failedLocation ? .discovery : .location($0) } ?? .discovery
        }
        return place
    }

    /// A stream of this attempt ended, or could not be had.
    ///
    /// - Parameter webSocket: It was inside a WebSocket, and the server named this other one (RFC 7395 §3.6.1).
    package mutating func ended(
        _ error: XMPPError, _ progress: Progress, webSocket: ServerLocation? = nil
    ) -> Action {
        if case .online(let isStable) = progress {
            failedLocation = nil
            if isStable { visited = [] }
        }
        if case .seeOtherHost(let text)? = error.streamError?.condition {
            return redirected(to: webSocket ?? ServerLocation(text), error, progress)
        }
        guard progress == .unverified else { return .end(error) }
        switch place {
        case .discovery: return .end(error)
        case .location(let location):
            // XEP-0198 §3: the usual way then.
            failedLocation = location
            place = .discovery
            return .connect(.discovery)
        case .redirect:
            // What is wrong there says nothing about the way that the next attempt takes.
            return .end(
                XMPPError(error.code, error.description, isRetryable: true, underlying: error.underlying))
        }
    }

    private mutating func redirected(to target: ServerLocation?, _ error: XMPPError, _ progress: Progress) -> Action {
        guard progress != .unverified else {
            return .end(
                XMPPError(
                    .redirected, "somebody asked us to use another host, without proving to be the server",
                    isRetryable: true, underlying: error.underlying))
        }
        guard let target else {
            return .end(
                XMPPError(
                    .redirected, "the server sent us to a host that cannot be read", isRetryable: true,
                    underlying: error.underlying))
        }
        guard !visited.contains(target), visited.count < Self.limit else {
            let reason = visited.contains(target) ? "in a circle" : "to more than \(Self.limit) hosts"
            visited = []
            return .end(
                XMPPError(
                    .redirected, "the server sent us \(reason), at last to \(target); its operator must repair this",
                    isRetryable: true, underlying: error.underlying))
        }
        visited.append(target)
        if case .online = progress {
            next = target
            return .end(error)
        }
        place = .redirect(target)
        return .connect(place)
    }
}
