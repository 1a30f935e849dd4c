// SPDX-License-Identifier: Apache-2.0

/// Stands in the place of an earlier message (XEP-0308 §3).
package struct Correction: IdentifierPayload {
    package static let namespace = "urn:xmpp:message-correct:0"
    package static let name = XMLName("replace", namespace)
    package var id: String

    package init(id: String) { self.id = id }
}

extension Message {
    /// The id of the message that this one stands in the place of; nil when it corrects none (XEP-0308 §3).
    ///
    /// To correct again, name the first message, not the correction (§3); those of others may name either (B114). Before
    /// anything is changed ask ``corrects(_:account:)``; what corrects nothing that is known is a message of its own.
    public var correctedID: String? {
        get { kind == .error ? nil : payload(Correction.self)?.id }
        set { set(Correction.self, newValue.map { Correction(id: $0) }) }
    }

    /// Whether this message may stand in the place of another: it names it, and the same person wrote both in the same
    /// conversation (XEP-0308 §4, T115).
    ///
    /// A message with the same id that names nothing corrects nothing (B114), and a plain one never stands in the place of
    /// one that came encrypted (T117).
    /// - Parameters:
    ///   - original: The message as it was received or sent, or an earlier correction of it.
    ///   - account: One's own address.
    public func corrects(_ original: Message, account: JID) -> Bool {
        guard let correctedID, correctedID == original.id || correctedID == original.correctedID else { return false }
        guard isEncrypted || !original.isEncrypted else { return false }
        return isSameAuthor(as: original, account: account)
    }
}

/// Announces corrections (XEP-0308 §2).
public struct CorrectionsModule: SessionModule {
    /// Makes the module.
    public init() {}
    /// `urn:xmpp:message-correct:0`.
    public var features: [String] { [Correction.namespace] }
}
