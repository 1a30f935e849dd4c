// SPDX-License-Identifier: Apache-2.0

extension PubSubService {
    /// Makes a node; gives its name, which the service chooses where none is given (§8.1).
    @discardableResult
    public func createNode(_ node: String? = nil, _ configuration: NodeConfiguration? = nil) async throws -> String {
        let create = Element(PubSub.name("create"), attributes: ["node": node])
        let configure = configuration.map {
            Element(PubSub.name("configure"), children: [$0.form().element])
        }
        let reply = try await session.set(PubSub.request(create, configure), to: address)
        guard let name = reply.payload?.child(PubSub.name("create"))?.filled("node") ?? node else {
            throw XMPPError(.invalidReply, "the service does not say how it named the node")
        }
        return name
    }

    /// Removes a node with all its items (§8.4).
    public func deleteNode(_ node: String) async throws {
        let request = Element(PubSub.owner("delete"), attributes: ["node": node])
        _ = try await session.set(PubSub.ownerRequest(request), to: address)
    }

    /// Removes all items of a node (§8.5).
    public func purge(_ node: String) async throws {
        let request = Element(PubSub.owner("purge"), attributes: ["node": node])
        _ = try await session.set(PubSub.ownerRequest(request), to: address)
    }

    /// How a node behaves; for its owner (§8.2).
    public func configuration(of node: String) async throws -> NodeConfiguration {
        let request = Element(PubSub.owner("configure"), attributes: ["node": node])
        let reply = try await session.get(PubSub.ownerRequest(request), to: address)
        return try Self.configuration(reply, "configure")
    }

    /// How new nodes behave unless something else is said (§8.3).
    public func defaultConfiguration() async throws -> NodeConfiguration {
        let reply = try await session.get(PubSub.ownerRequest(Element(PubSub.owner("default"))), to: address)
        return try Self.configuration(reply, "default")
    }

    /// Changes how a node behaves, in what the configuration says; for its owner (§8.2).
    public func configure(_ node: String, _ configuration: NodeConfiguration) async throws {
        let request = Element(
            PubSub.owner("configure"), attributes: ["node": node], children: [configuration.form().element])
        _ = try await session.set(PubSub.ownerRequest(request), to: address)
    }

    /// What a node says about itself to everybody (§5.4).
    public func metadata(of node: String) async throws -> DataForm? {
        try await session.discoverInfo(of: address, node: node).forms.first { $0.formType == PubSub.metadataType }
    }

    private static func configuration(_ reply: IQ, _ name: String) throws -> NodeConfiguration {
        guard let form = reply.payload?.child(PubSub.owner(name))?.child(DataForm.name).flatMap({ DataForm($0) }),
            let configuration = form.typed(NodeConfiguration.self)
        else { throw XMPPError(.invalidReply, "the service does not say how the node behaves") }
        return configuration
    }
}
