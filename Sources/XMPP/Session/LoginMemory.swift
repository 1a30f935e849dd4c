// SPDX-License-Identifier: Apache-2.0

/// What an account remembers of its logins: who this client is, what the server offered, and a token for the next time.
///
/// It is kept with the account, where nobody else can read it, since the token logs in (XEP-0484 §4.1). Losing it costs
/// time at the next login, and the memory of how strong a login was.
public struct LoginMemory: Sendable, Hashable {
    /// The domain that all of it belongs to, in ASCII; what another one taught is never used.
    package var domain: String?
    /// Names this installation to the server (XEP-0388 §2.3.1).
    package var userAgentID: String?
    package var token: FASTToken?
    /// What the server offered inside TLS, and after the login.
    package var offer: StreamFeatures?
    package var features: StreamFeatures?
    /// The strongest mechanism that a login used.
    package var strongest: String?
    /// A login was bound to its TLS channel.
    package var wasBound = false
    /// A login inside a WebSocket, which cannot be bound, was accepted: it was the first, or the user permitted it.
    package var wasUnboundInWebSocket = false
    /// What is remembered as the offer was made inside a WebSocket.
    package var isOfferOfWebSocket = false

    /// Makes an empty memory.
    public init() {}

    /// Whether the server gave a token that stands for the password until it expires.
    public var hasToken: Bool { token != nil }

    /// Lets the next login be weaker than those before, once; what it uses is the new measure.
    ///
    /// Only for a user who knows that the server was changed: a weaker offer is what somebody who sits in between makes.
    public mutating func permitWeakerLogin() {
        strongest = nil
        wasBound = false
        offer = nil
    }

    /// Forgets what stands for the password, as after a change of it.
    public mutating func forgetToken() { token = nil }

    /// Forgets all but the name of the installation when the account moved to another domain.
    mutating func enter(_ domain: String) {
        guard self.domain != domain else { return }
        let userAgentID = self.domain == nil ? userAgentID : nil
        self = LoginMemory()
        self.userAgentID = userAgentID
        self.domain = domain
    }

    /// Takes over what a login taught; `certificate` is the digest of the server's.
    mutating func learn(
        _ login: NegotiationStateMachine.LoginSummary, certificate: [UInt8]?, isInWebSocket: Bool = false
    ) {
        if login.lostToken { token = nil }
        if var new = login.token {
            if HTMechanism(name: new.mechanism)?.binding == nil { new.certificate = certificate }
            token = new
        }
        if let offer = login.offer { (self.offer, isOfferOfWebSocket) = (offer, isInWebSocket) }
        if let features = login.featuresAfterLogin { self.features = features }
        if login.isBoundToChannel { wasBound = true } else if isInWebSocket { wasUnboundInWebSocket = true }
        if let mechanism = SASLMechanism(name: login.mechanism),
            !mechanism.isWeaker(than: strongest.flatMap { SASLMechanism(name: $0) })
        {
            strongest = mechanism.name
        }
    }
}

extension LoginMemory: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says what there is; the token itself never shows.
    public var description: String { hasToken ? "a memory of logins with a token" : "a memory of logins" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows nothing of the secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension LoginMemory: Codable {
    private enum CodingKeys: String, CodingKey {
        case domain, userAgentID, token, offer, features, strongest, wasBound, wasUnboundInWebSocket, isOfferOfWebSocket
    }

    /// Reads a memory; a part that a later version wrote otherwise is left out.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func part<Value: Decodable>(_ type: Value.Type, _ key: CodingKeys) -> Value? {
            (try? values.decodeIfPresent(type, forKey: key)) ?? nil
        }
        domain = part(String.self, .domain)
        userAgentID = part(String.self, .userAgentID)
        token = part(FASTToken.self, .token)
        offer = part(StreamFeatures.self, .offer)
        features = part(StreamFeatures.self, .features)
        strongest = part(String.self, .strongest)
        wasBound = part(Bool.self, .wasBound) ?? false
        wasUnboundInWebSocket = part(Bool.self, .wasUnboundInWebSocket) ?? false
        isOfferOfWebSocket = part(Bool.self, .isOfferOfWebSocket) ?? false
    }

    /// Writes all of it, the secret included.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(domain, forKey: .domain)
        try values.encodeIfPresent(userAgentID, forKey: .userAgentID)
        try values.encodeIfPresent(token, forKey: .token)
        try values.encodeIfPresent(offer, forKey: .offer)
        try values.encodeIfPresent(features, forKey: .features)
        try values.encodeIfPresent(strongest, forKey: .strongest)
        try values.encode(wasBound, forKey: .wasBound)
        if wasUnboundInWebSocket { try values.encode(true, forKey: .wasUnboundInWebSocket) }
        if isOfferOfWebSocket { try values.encode(true, forKey: .isOfferOfWebSocket) }
    }
}
