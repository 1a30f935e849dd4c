// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// Asks to be told when the message was displayed (XEP-0333 §4.1).
package struct MarkableRequest: EmptyPayload {
    package static let namespace = "urn:xmpp:chat-markers:0"
    package static let name = XMLName("markable", namespace)
    package init() {}
}

/// Everything up to that message was displayed (XEP-0333 §4.2).
package struct DisplayedMarker: IdentifierPayload {
    package static let name = XMLName("displayed", MarkableRequest.namespace)
    package var id: String

    package init(id: String) { self.id = id }
}

extension Message {
    /// Whether the sender wants to know when the message was displayed (XEP-0333 §4.1); set it on messages with an ``id``.
    public var isMarkable: Bool {
        get { payload(MarkableRequest.name) != nil }
        set { set(MarkableRequest.self, newValue ? MarkableRequest() : nil) }
    }

    /// The message up to which the sender displayed the conversation; nil when this is no marker (XEP-0333 §4.2).
    ///
    /// In a room it is the identifier that the room gave. Look with ``isDisplayedMarker(for:sentTo:)`` whether whoever sent it
    /// can know. A marker only moves forward.
    public var displayedID: String? { kind == .error ? nil : payload(DisplayedMarker.self)?.id }

    /// Whether this message tells that ours was displayed: it names its id, and comes from the account that ours went to
    /// (T078).
    /// - Parameters:
    ///   - id: The id of our message.
    ///   - recipient: The address that our message went to; its resource does not matter.
    public func isDisplayedMarker(for id: String, sentTo recipient: JID) -> Bool {
        displayedID == id && from?.isSameBare(as: recipient) == true
    }

    /// The marker for a message that was displayed, to be sent for the latest only; nil when none is due.
    ///
    /// None is due for errors, for markers, for what one wrote oneself, and, between two people, for what nobody asked it of
    /// (XEP-0333 §4.2, §5). Send it only to those who may see one's presence.
    /// - Parameters:
    ///   - message: The message.
    ///   - account: One's own address.
    public static func displayedMarker(for message: Message, account: JID) -> Message? {
        guard message.kind != .error, message.payload(DisplayedMarker.name) == nil, let sender = message.from,
            !sender.isSameBare(as: account)
        else { return nil }
        if message.kind == .groupchat {
            guard let id = message.stanzaID(by: sender.bare) else { return nil }
            return Message(
                to: sender.bare, kind: .groupchat, id: randomToken(), payloads: [DisplayedMarker(id: id).element])
        }
        guard message.isMarkable, let id = message.id, !id.isEmpty else { return nil }
        var marker = Message(
            to: message.isOfRoom ? sender : sender.bare, kind: message.kind, id: randomToken(),
            payloads: [DisplayedMarker(id: id).element])
        marker.thread = message.thread
        marker.hints = .store
        return marker
    }
}

/// Announces displayed markers (XEP-0333 §3).
public struct MarkersModule: SessionModule {
    /// Makes the module.
    public init() {}
    /// `urn:xmpp:chat-markers:0`.
    public var features: [String] { [MarkableRequest.namespace] }
}
