// SPDX-License-Identifier: Apache-2.0

/// Somebody asks to see one's presence (RFC 6121 §3.1.3).
public struct SubscriptionRequest: Sendable, Hashable {
    /// Who asks: a bare address.
    public let from: JID
    /// How they introduce themselves (XEP-0172 §4.1).
    public let nickname: String?
    /// What they say.
    public let text: String?

    /// Makes a request.
    public init(from: JID, nickname: String? = nil, text: String? = nil) {
        self.from = from.bare
        self.nickname = nickname
        self.text = text
    }
}

extension Presence {
    /// The request that the presence is; nil for any other presence, and for one from nobody.
    public var subscriptionRequest: SubscriptionRequest? {
        guard kind == .subscribe, let from else { return nil }
        let text = status?.trimmingXMLSpace
        return SubscriptionRequest(from: from, nickname: nickname, text: text?.isEmpty == false ? text : nil)
    }
}

/// The requests that wait for the user's answer: each address stands there once, however often it asks.
///
/// Servers repeat a request at every login until it is answered. A value, owned by whoever keeps it; a stored one
/// survives a restart without asking the user again.
public struct SubscriptionInbox: Sendable, Hashable {
    /// What a presence changed.
    public enum Change: Sendable, Hashable {
        /// A new request: tell the user.
        case added(SubscriptionRequest)
        /// The other side took its request back.
        case withdrawn(JID)
    }

    /// So many wait at most; more are left with the server, which repeats them.
    public static let capacity = 1000

    /// The requests, the oldest first.
    public private(set) var requests: [SubscriptionRequest] = []

    /// Makes an inbox with requests that were kept.
    public init(_ requests: [SubscriptionRequest] = []) { self.requests = Array(requests.prefix(Self.capacity)) }

    /// Notes a presence; nil when it is no request, or one that is known.
    /// - Parameters:
    ///   - presence: Any received presence.
    ///   - own: One's own address, which asks nobody.
    public mutating func received(_ presence: Presence, own: JID) -> Change? {
        if presence.kind == .unsubscribe, let from = presence.from {
            return answered(from) == nil ? nil : .withdrawn(from.bare)
        }
        guard let request = presence.subscriptionRequest, !request.from.isSameBare(as: own),
            requests.count < Self.capacity, !requests.contains(where: { $0.from == request.from })
        else { return nil }
        requests.append(request)
        return .added(request)
    }

    /// Takes out the request of an address, because the user answered it; nil when there was none.
    public mutating func answered(_ jid: JID) -> SubscriptionRequest? {
        guard let index = requests.firstIndex(where: { $0.from == jid.bare }) else { return nil }
        return requests.remove(at: index)
    }
}
