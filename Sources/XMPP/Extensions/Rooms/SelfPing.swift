// SPDX-License-Identifier: Apache-2.0

/// What the answer to a ping of one's own address in a room says (XEP-0410 §3.2).
public enum SelfPing: Sendable, Hashable, CaseIterable {
    /// One is in the room.
    case joined
    /// One is not.
    case notJoined
    /// Nobody knows; ask again later.
    case unknown
}

extension SelfPing {
    /// Reads what became of the request; nil for a good answer.
    ///
    /// B135: another program that does not know pings, or a nickname that just changed, are answers of somebody who is in.
    package init(_ error: XMPPError?) {
        guard let error else {
            self = .joined
            return
        }
        switch error.stanzaError?.condition {
        case nil, .remoteServerNotFound, .remoteServerTimeout: self = .unknown
        case .serviceUnavailable, .featureNotImplemented, .itemNotFound: self = .joined
        default: self = .notJoined
        }
    }
}
