// SPDX-License-Identifier: Apache-2.0

extension XMPPError.Code {
    /// The server cannot keep something to the account alone; nothing was published.
    public static let notPrivate = Self(rawValue: "notPrivate")
}

extension PubSubService {
    /// Publishes an item that nobody but one's own account may see (XEP-0223).
    ///
    /// Before the first publication on a stream the node is looked at, and made or changed until it is closed to others: a
    /// server that ignores the wish would otherwise send the item to all contacts (T142). Throws
    /// ``XMPPError/Code/notPrivate`` when it cannot be closed; then nothing was published.
    @discardableResult
    public func publishPrivately<Payload: NodePayload>(
        _ payload: Payload, id: String? = nil, to node: String, configuration: NodeConfiguration = .privateData
    ) async throws -> String {
        try await close(node, configuration)
        let publication = Publication(node: node, id: id, payload: payload.element)
        do {
            return try await publish(publication, with: configuration.essential)
        } catch let error as XMPPError where PublishRefusal(error) == .preconditionNotMet {
            // Somebody changed the node meanwhile.
            session.inboxes.closedNodes.forget(node)
            try await close(node, configuration)
            return try await publish(publication, with: configuration.essential)
        }
    }

    /// Sees to it that a node of one's own account is closed to others.
    private func close(_ node: String, _ configuration: NodeConfiguration) async throws {
        guard address == nil, configuration.accessModel == .whitelist else {
            throw XMPPError(.invalidArgument, "only a node of one's own account that nobody else may read is private")
        }
        guard !session.inboxes.closedNodes.contains(node) else { return }
        guard try await features().contains("publish-options") else {
            throw XMPPError(.notPrivate, "the server cannot keep data to the account alone; nothing was stored there")
        }
        var current = try await currentConfiguration(of: node)
        if current == nil {
            do {
                try await createNode(node, configuration)
            } catch let error as XMPPError where PublishRefusal(error) == .unknownOption {
                try await createNode(node, configuration.essential)
            } catch let error as XMPPError where error.stanzaError?.condition == .conflict {
                // Another device made it just now.
            }
            current = try await currentConfiguration(of: node)
        }
        if current.map({ !Self.fits($0, configuration) }) ?? true {
            // What it says afterwards counts, not what it says to this.
            do { try await configure(node, configuration) } catch let error as XMPPError where error.stanzaError != nil
            {
                try await configure(node, configuration.essential)
            }
            current = try await currentConfiguration(of: node)
        }
        guard current?.accessModel == .whitelist else {
            throw XMPPError(.notPrivate, "the server leaves \(node) open to others; nothing was stored there")
        }
        session.inboxes.closedNodes.insert(node)
    }

    private func currentConfiguration(of node: String) async throws -> NodeConfiguration? {
        do {
            return try await configuration(of: node)
        } catch let error as XMPPError where error.stanzaError?.condition == .itemNotFound { return nil }
    }

    /// Whether a node has what matters: access, keeping, and room for more than one item.
    private static func fits(_ current: NodeConfiguration, _ wanted: NodeConfiguration) -> Bool {
        current.accessModel == wanted.accessModel && current.keepsItems ?? true
            && (wanted.itemCount != .max || current.itemCount != .count(1))
    }
}
