// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// Somebody wants to subscribe to a node whose owner decides about that (XEP-0060 §8.6).
public struct NodeSubscriptionRequest: Sendable, Hashable {
    /// Who asks the owner: the service that has the node, or one's own account; nil stands for that, too.
    public let service: JID?
    /// The node.
    public let node: String
    /// Who wants to subscribe.
    public let subscriber: JID
    private let form: DataForm

    static let formType = PubSub.namespace + "#subscribe_authorization"
    private static let allow = "pubsub#allow"

    init?(service: JID?, _ form: DataForm) {
        guard form.kind == .form, form.formType == Self.formType, let node = form["pubsub#node"]?.text, !node.isEmpty,
            let subscriber = form["pubsub#subscriber_jid"]?.addresses.first
        else { return nil }
        self.service = service
        self.node = node
        self.subscriber = subscriber
        self.form = form
    }

    /// The form goes back as it came, with everything that the service needs to find the request again.
    func answer(allows: Bool) -> Message {
        let filled = form.filled(with: [Self.allow: [allows ? "true" : "false"]])
        return Message(to: service, id: randomToken(), payloads: [filled.element])
    }
}

extension Message {
    /// The request to subscribe to one's own node that the message carries; nil when there is none.
    ///
    /// It comes among the messages, without a text. Services ask with an address of their own, never through somebody's
    /// program, so what comes from a resource is no request. Whether one owns the node at all is not checked: the answer
    /// goes to whoever asked, and means nothing to others.
    public var nodeSubscriptionRequest: NodeSubscriptionRequest? {
        guard kind != .error, kind != .groupchat, from?.isBare ?? true else { return nil }
        return payloads(DataForm.name).lazy.compactMap { DataForm($0) }
            .compactMap { NodeSubscriptionRequest(service: from, $0) }.first
    }
}

extension XMPPSession {
    /// Lets somebody subscribe to one's own node, or not (XEP-0060 §8.6).
    ///
    /// Returns when the answer is queued; services do not confirm it. Those that wait are among
    /// ``PubSubService/subscribers(of:)``, where ``PubSubService/setSubscription(_:of:to:)`` answers them as well. Throws
    /// as ``send(_:)-(Message)``.
    public func answer(_ request: NodeSubscriptionRequest, allows: Bool) async throws {
        try await send(request.answer(allows: allows))
    }
}
