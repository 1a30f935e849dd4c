// SPDX-License-Identifier: Apache-2.0

/// Tells whoever asks what this program is and can do: the features of all modules (XEP-0030 §3.1).
///
/// The presence of the program carries hashes of that (XEP-0115 §4, XEP-0390 §4), so that it is asked seldom.
public struct DiscoModule: SessionModule {
    private let identities: [DiscoIdentity]
    private let node: String?
    private let forms: [DataForm]
    private let items: [DiscoItem]
    private let nodes: [String: DiscoInfo]

    /// What this library calls itself in hashes.
    public static let defaultNode = "urn:x-apus"

    /// Makes the module.
    /// - Parameters:
    ///   - identities: What the program is. Defaults to a client on a computer.
    ///   - node: The address by which the program names itself in its capabilities (XEP-0115 §4); questions about it,
    ///     with or without `#` and a version, get the same answer. Nil when it names itself nowhere. Defaults to
    ///     ``defaultNode``.
    ///   - forms: Further facts (XEP-0128), as ``SoftwareInformation``. Defaults to none.
    ///   - items: What belongs to the program. Defaults to nothing.
    ///   - nodes: Descriptions of parts of the program, by their node. Defaults to none.
    public init(
        identities: [DiscoIdentity] = [DiscoIdentity(category: "client", type: "pc", name: "Apus")],
        node: String? = DiscoModule.defaultNode, forms: [DataForm] = [], items: [DiscoItem] = [],
        nodes: [String: DiscoInfo] = [:]
    ) {
        self.identities = identities
        self.node = node
        self.forms = forms
        self.items = items
        self.nodes = nodes
    }

    /// Both halves of service discovery, and the hashes where the program names itself.
    public var features: [String] {
        let own = [Disco.infoNamespace, Disco.itemsNamespace]
        return node == nil ? own : own + [CapabilityElements.namespace, CapabilityElements.namespace2]
    }

    /// Questions about features and about items.
    public var requests: [XMLName] { [Disco.info, Disco.items] }

    /// The features, the items, and an error for a node that is not ours (XEP-0030 §7).
    public func answer(_ request: IQ, _ context: RequestContext) -> RequestAnswer {
        guard request.kind == .get, let query = request.payload else { return .error(StanzaError(.serviceUnavailable)) }
        let asked = query.filled("node")
        var info = own(context.features)
        let isOwn = asked.map { isOurs($0, info) } ?? true
        if query.matches(Disco.items) {
            guard isOwn || asked.flatMap({ nodes[$0] }) != nil else { return .error(StanzaError(.itemNotFound)) }
            return .result(
                Element(
                    Disco.items, attributes: ["node": asked],
                    children: asked == nil ? items.map(\.element) : []))
        }
        if !isOwn {
            guard let part = asked.flatMap({ nodes[$0] }) else { return .error(StanzaError(.itemNotFound)) }
            info = part
        }
        info.node = asked
        return .result(info.element)
    }

    /// The hashes of what the program can do.
    public func presencePayloads(features: [String]) -> [Element] {
        node.map { own(features).presenceElements(node: $0) } ?? []
    }

    private func own(_ features: [String]) -> DiscoInfo {
        DiscoInfo(identities: identities, features: Set(features), forms: forms)
    }

    private func isOurs(_ asked: String, _ info: DiscoInfo) -> Bool {
        guard let node else { return false }
        if asked == node || asked.hasPrefix(node + "#") { return true }
        return info.capabilityHash.map { CapabilityKey.hash($0).node } == asked
    }
}
