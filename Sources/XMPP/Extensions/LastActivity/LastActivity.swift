// SPDX-License-Identifier: Apache-2.0

/// How long ago something happened at an address (XEP-0012).
///
/// What happened depends on the address: of an account, that its last resource went offline; of a resource, that a person
/// touched it; of a server, that it was started.
public struct LastActivity: Sendable, Hashable {
    /// How long ago.
    public let age: Duration
    /// The status that the person left, for an account that is offline.
    public let status: String?

    /// Makes a description; fractions of a second are cut off.
    public init(age: Duration, status: String? = nil) {
        self.age = .seconds(max(age.components.seconds, 0))
        self.status = status
    }
}

extension LastActivity: StanzaPayload {
    package static let namespace = "jabber:iq:last"
    package static let name = XMLName("query", namespace)

    /// §2: a number of seconds is required; one that no clock can show is refused (T085).
    package init?(_ element: Element) {
        guard element.matches(Self.name), let seconds = element["seconds"].flatMap({ Int64($0.trimmingXMLSpace) }),
            (0...DateTime.latestSecond).contains(seconds)
        else { return nil }
        let status = element.text.trimmingXMLSpace
        self.init(age: .seconds(seconds), status: status.isEmpty ? nil : status)
    }

    package var element: Element {
        Element(Self.name, attributes: ["seconds": String(age.components.seconds)], text: status)
    }
}

extension XMPPSession {
    /// Asks how long ago something happened at an address (XEP-0012 §2).
    ///
    /// Throws ``XMPPError``, with `forbidden` when one does not see the other's presence. Cancelling ends the wait.
    public func lastActivity(of jid: JID) async throws -> LastActivity {
        let reply = try await get(Element(LastActivity.name), to: jid)
        guard let activity = reply.payload.flatMap({ LastActivity($0) }) else {
            throw XMPPError(.invalidReply, "\(jid) does not say when it was active")
        }
        return activity
    }
}

/// Tells contacts how long ago a person touched this program (XEP-0012 §3).
///
/// It is not among the default modules: not everybody shall know. Servers let only those ask who see one's presence.
public struct LastActivityModule: SessionModule {
    private let idle: @Sendable () -> Duration?

    /// Makes the module.
    /// - Parameter idle: How long nobody touched the program; nil refuses the answer.
    public init(idle: @escaping @Sendable () -> Duration?) { self.idle = idle }

    /// `jabber:iq:last`.
    public var features: [String] { [LastActivity.namespace] }
    /// The question.
    public var requests: [XMLName] { [LastActivity.name] }

    /// The answer, or a refusal.
    public func answer(_ request: IQ, _ context: RequestContext) -> RequestAnswer {
        guard request.kind == .get else { return .error(StanzaError(.notAllowed)) }
        guard let idle = idle() else { return .error(StanzaError(.serviceUnavailable)) }
        return .result(LastActivity(age: idle).element)
    }
}
