// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

extension Message {
    /// Whether the sender wants to know that the message arrived (XEP-0184 §7).
    ///
    /// Set it only on a message that has an ``id`` and goes to a person: receipts in rooms are not wanted (§5.3).
    public var requestsReceipt: Bool {
        get { payload(ReceiptRequest.name) != nil }
        set { set(ReceiptRequest.self, newValue ? ReceiptRequest() : nil) }
    }

    /// The id of the message whose arrival this one reports, nil when it is no receipt (XEP-0184 §7).
    ///
    /// Look with ``isReceipt(for:sentTo:)`` whether whoever sent it can know.
    public var receiptID: String? { kind == .error ? nil : payload(Receipt.self)?.id }

    /// Whether this message reports the arrival of ours: it names its id, and comes from the account that ours went to.
    ///
    /// A receipt of somebody else, or of another resource of our own account, proves nothing (XEP-0184 §8).
    /// - Parameters:
    ///   - id: The id of our message.
    ///   - recipient: The address that our message went to; its resource does not matter.
    public func isReceipt(for id: String, sentTo recipient: JID) -> Bool {
        receiptID == id && from?.isSameBare(as: recipient) == true
    }

    /// The receipt for a received message, to be sent once the message is safe; nil when none is due.
    ///
    /// None is due unless the message asks for it and has an id; nor for errors, for messages of rooms, for messages
    /// without sender, and for receipts themselves (XEP-0184 §5.3, §5.4). The receipt has an id of its own and the
    /// type of the message.
    public static func receipt(for message: Message) -> Message? {
        guard message.requestsReceipt, let id = message.id, !id.isEmpty, let sender = message.from,
            message.kind != .error, message.kind != .groupchat, message.payload(Receipt.name) == nil
        else { return nil }
        return Message(
            to: sender, kind: message.kind, id: randomToken(), payloads: [Receipt(id: id).element])
    }
}
