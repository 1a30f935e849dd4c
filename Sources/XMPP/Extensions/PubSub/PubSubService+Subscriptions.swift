// SPDX-License-Identifier: Apache-2.0

/// That somebody hears of what is published in a node (XEP-0060 §4.2).
public struct NodeSubscription: Sendable, Hashable {
    /// How far it is.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// There is none.
        case none
        /// The owner has to agree.
        case pending
        /// Options have to be set first.
        case unconfigured
        /// Events come.
        case subscribed
    }

    /// The node, empty for the whole service.
    public let node: String
    /// Who hears.
    public let jid: JID
    /// How far it is.
    public let state: State
    /// The identifier, where an address can have several.
    public let id: String?

    /// Makes a subscription.
    public init(node: String, jid: JID, state: State, id: String? = nil) {
        self.node = node
        self.jid = jid
        self.state = state
        self.id = id
    }

    /// §6.1.2: the address is required; the node may be named outside.
    init?(_ element: Element, node: String?) {
        guard let jid = element.address("jid") else { return nil }
        self.init(
            node: element.filled("node") ?? node ?? "", jid: jid,
            state: element["subscription"].flatMap(State.init(rawValue:)) ?? .subscribed, id: element.filled("subid"))
    }
}

/// What somebody may do with a node (XEP-0060 §4.1).
public struct NodeAffiliation: Sendable, Hashable {
    /// The rights, the widest first.
    public enum Rights: String, Sendable, Hashable, CaseIterable {
        /// Everything.
        case owner
        /// Publish and read.
        case publisher
        /// Publish and not read.
        case publishOnly = "publish-only"
        /// Read, also in a closed node.
        case member
        /// What everybody may.
        case none
        /// Nothing.
        case outcast
    }

    /// The node.
    public let node: String
    /// Whose rights; nil for one's own.
    public let jid: JID?
    /// The rights.
    public let rights: Rights

    /// Makes an affiliation.
    public init(node: String, jid: JID?, rights: Rights) {
        self.node = node
        self.jid = jid
        self.rights = rights
    }

    init?(_ element: Element, node: String?) {
        guard let rights = element["affiliation"].flatMap(Rights.init(rawValue:)),
            let node = element.filled("node") ?? node
        else { return nil }
        self.init(node: node, jid: element.address("jid"), rights: rights)
    }
}

extension PubSubService {
    /// Subscribes to a node; events come to the address from then on (§6.1).
    /// - Parameters:
    ///   - node: The node.
    ///   - jid: The address that hears; nil takes one's bare address.
    @discardableResult
    public func subscribe(to node: String, as jid: JID? = nil) async throws -> NodeSubscription {
        let jid = try await subscriber(jid)
        let request = Element(
            PubSub.name("subscribe"), attributes: ["node": node, "jid": jid.description])
        let reply = try await session.set(PubSub.request(request), to: address)
        guard let element = reply.payload?.child(PubSub.name("subscription")) else {
            return NodeSubscription(node: node, jid: jid, state: .subscribed)
        }
        guard let subscription = NodeSubscription(element, node: node), subscription.node == node else {
            throw XMPPError(.invalidReply, "the service subscribed to something else than \(node)")
        }
        return subscription
    }

    /// Ends a subscription (§6.2).
    public func unsubscribe(from node: String, as jid: JID? = nil, id: String? = nil) async throws {
        let jid = try await subscriber(jid)
        let request = Element(
            PubSub.name("unsubscribe"), attributes: ["node": node, "jid": jid.description, "subid": id])
        _ = try await session.set(PubSub.request(request), to: address)
    }

    /// One's own subscriptions, to one node or to all (§5.6).
    public func subscriptions(to node: String? = nil) async throws -> [NodeSubscription] {
        try await entries("subscription", of: node, asOwner: false) { NodeSubscription($0, node: node) }
    }

    /// The form of what can be chosen for a subscription (§6.3).
    public func subscriptionOptions(of node: String, as jid: JID? = nil, id: String? = nil) async throws -> DataForm {
        let jid = try await subscriber(jid)
        let request = Element(
            PubSub.name("options"), attributes: ["node": node, "jid": jid.description, "subid": id])
        let reply = try await session.get(PubSub.request(request), to: address)
        guard let form = reply.payload?.child(PubSub.name("options"))?.child(DataForm.name).flatMap({ DataForm($0) })
        else { throw XMPPError(.invalidReply, "the service does not say what can be chosen") }
        return form
    }

    /// Chooses options of a subscription (§6.3).
    public func setSubscriptionOptions(
        _ form: DataForm, of node: String, as jid: JID? = nil, id: String? = nil
    ) async throws {
        let jid = try await subscriber(jid)
        let request = Element(
            PubSub.name("options"), attributes: ["node": node, "jid": jid.description, "subid": id],
            children: [form.element])
        _ = try await session.set(PubSub.request(request), to: address)
    }

    /// One's own rights, in one node or in all (§5.7).
    public func affiliations(to node: String? = nil) async throws -> [NodeAffiliation] {
        try await entries("affiliation", of: node, asOwner: false) { NodeAffiliation($0, node: node) }
    }

    /// Everybody's rights in a node; for its owner (§8.9.1).
    public func members(of node: String) async throws -> [NodeAffiliation] {
        try await entries("affiliation", of: node, asOwner: true) { NodeAffiliation($0, node: node) }
    }

    /// Changes somebody's rights in a node; for its owner (§8.9.2).
    public func setRights(_ rights: NodeAffiliation.Rights, of jid: JID, in node: String) async throws {
        try await setEntry("affiliation", rights.rawValue, of: jid, in: node)
    }

    /// Everybody's subscriptions to a node; for its owner (§8.8.1).
    public func subscribers(of node: String) async throws -> [NodeSubscription] {
        try await entries("subscription", of: node, asOwner: true) { NodeSubscription($0, node: node) }
    }

    /// Changes somebody's subscription to a node, as the answer to one that is pending; for its owner (§8.8.2).
    public func setSubscription(_ state: NodeSubscription.State, of jid: JID, to node: String) async throws {
        try await setEntry("subscription", state.rawValue, of: jid, in: node)
    }

    /// A list of subscriptions or of rights: one's own, or as the owner of a node everybody's (§5.6, §5.7, §8.8.1, §8.9.1).
    private func entries<Entry>(
        _ name: String, of node: String?, asOwner: Bool, _ read: (Element) -> Entry?
    ) async throws -> [Entry] {
        let named: (String) -> XMLName = { asOwner ? PubSub.owner($0) : PubSub.name($0) }
        let request = Element(named(name + "s"), attributes: ["node": node])
        let query = asOwner ? PubSub.ownerRequest(request) : PubSub.request(request)
        let list = try await session.get(query, to: address).payload?.child(named(name + "s"))
        return list?.children(named(name)).compactMap(read) ?? []
    }

    /// Changes one entry of such a list, which bears its kind as an attribute (§8.8.2, §8.9.2).
    private func setEntry(_ name: String, _ value: String, of jid: JID, in node: String) async throws {
        let entry = Element(PubSub.owner(name), attributes: ["jid": jid.description, name: value])
        let request = Element(PubSub.owner(name + "s"), attributes: ["node": node], children: [entry])
        _ = try await session.set(PubSub.ownerRequest(request), to: address)
    }

    private func subscriber(_ jid: JID?) async throws -> JID {
        if let jid { return jid }
        guard let own = await session.jid?.bare else {
            throw XMPPError(.notConnected, "the session is not online", isRetryable: true)
        }
        return own
    }
}
