// SPDX-License-Identifier: Apache-2.0

/// Something that the server keeps for an account, one of each kind (XEP-0049).
///
/// For data of today use ``PubSubService/publishPrivately(_:id:to:configuration:)``, which other devices hear of.
public protocol PrivateStorageValue: NodePayload {
    /// The name of the element.
    static var storageName: XMLName { get }
}

/// The names of XEP-0049.
enum PrivateStorage {
    static let query = XMLName("query", "jabber:iq:private")
}

extension XMPPSession {
    /// What the server keeps for the account; nil when there is nothing that can be read (XEP-0049 §3.2).
    ///
    /// Throws ``XMPPError``, with a ``StanzaError`` when the server keeps nothing for anybody. Cancelling ends the wait.
    public func privateValue<Value: PrivateStorageValue>(_ type: Value.Type = Value.self) async throws -> Value? {
        let reply = try await get(Element(PrivateStorage.query, children: [Element(Value.storageName)]))
        guard let query = reply.payload, query.matches(PrivateStorage.query) else {
            throw XMPPError(.invalidReply, "the answer is not what was kept")
        }
        return query.child(Value.storageName).flatMap { Value($0) }
    }

    /// Has the server keep something in the place of what it kept (XEP-0049 §3.1).
    ///
    /// Throws as ``privateValue(_:)`` does. Cancelling ends the wait, not the change.
    public func setPrivateValue<Value: PrivateStorageValue>(_ value: Value) async throws {
        _ = try await set(Element(PrivateStorage.query, children: [value.element]))
    }
}
