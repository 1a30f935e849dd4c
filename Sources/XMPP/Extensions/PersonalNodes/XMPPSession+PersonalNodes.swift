// SPDX-License-Identifier: Apache-2.0

extension XMPPSession {
    /// Publishes an item about the owner of the account, for this audience (XEP-0163 §3).
    func publishPersonalItem(_ node: String, id: String, _ payload: Element, audience: Audience) async throws {
        var configuration = NodeConfiguration()
        configuration.accessModel = NodeConfiguration.AccessModel(rawValue: audience.rawValue)
        configuration.keepsItems = true
        try await pubSub().publish(payload, id: id, to: node, configuration: configuration)
    }

    /// Fetches an item that an account publishes: the one of that identifier, or the newest; nil when there is none.
    func fetchPersonalItem(_ node: String, id: String? = nil, of jid: JID? = nil) async throws -> NodeItem<Element>? {
        let items: [NodeItem<Element>]
        do {
            items = try await pubSub(at: jid).items(
                of: node, as: Element.self, ids: id.map { [$0] } ?? [], limit: id == nil ? 1 : nil)
        } catch let error as XMPPError where error.stanzaError?.condition == .itemNotFound {
            return nil
        }
        return id == nil ? items.last : items.first { $0.id == id }
    }
}

extension NodeEvent {
    /// The account whose owner published something in that node; nil for another node, and for what is no account.
    ///
    /// Without a sender it is one's own (B163).
    func account(publishing node: String, own: JID) -> JID? {
        guard self.node == node, (service ?? own).local != nil else { return nil }
        return (service ?? own).bare
    }
}
