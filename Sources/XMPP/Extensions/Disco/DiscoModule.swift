// SPDX-License-Identifier: Apache-2.0

/// Tells whoever asks what this program is and can do: the features of all modules (XEP-0030 §3.1).
public struct DiscoModule: SessionModule {
    private let identities: [DiscoIdentity]
    private let node: String?

    /// Makes the module.
    /// - Parameters:
    ///   - identities: What the program is. Defaults to a client on a computer.
    ///   - node: The address by which the program names itself in its capabilities (XEP-0115 §4); questions about it,
    ///     with or without `#` and a version, get the same answer. Nil when it names itself nowhere.
    public init(
        identities: [DiscoIdentity] = [DiscoIdentity(category: "client", type: "pc", name: "Apus")],
        node: String? = nil
    ) {
        self.identities = identities
        self.node = node
    }

    /// Both halves of service discovery.
    public var features: [String] { [Disco.infoNamespace, Disco.itemsNamespace] }
    /// Questions about features and about items.
    public var requests: [XMLName] { [Disco.info, Disco.items] }

    /// The features, no items, and an error for a node that is not ours (XEP-0030 §7).
    public func answer(_ request: IQ, _ context: RequestContext) -> RequestAnswer {
        guard request.kind == .get, let query = request.payload else { return .error(StanzaError(.serviceUnavailable)) }
        let asked = query.filled("node")
        if let asked, !isOurs(asked) { return .error(StanzaError(.itemNotFound)) }
        guard query.matches(Disco.info) else {
            return .result(Element(Disco.items, attributes: ["node": asked]))
        }
        return .result(
            DiscoInfo(node: asked, identities: identities, features: Set(context.features)).element)
    }

    private func isOurs(_ asked: String) -> Bool {
        guard let node else { return false }
        return asked == node || asked.hasPrefix(node + "#")
    }
}
