// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// An invitation to a room: by way of the room (XEP-0045 §7.8), or from person to person (XEP-0249).
///
/// Nobody goes in by itself: ask the user (T127).
public struct RoomInvitation: Sendable, Hashable {
    /// The room.
    public let room: JID
    /// Who invites, as far as it is known: through a room, that is what the room says.
    public let inviter: JID?
    /// Whether it came by way of the room; only then can it be declined.
    public let isMediated: Bool
    /// What the inviter said.
    public let reason: String?
    /// The room's password.
    public let password: String?
    /// The conversation that goes on in the room, where there is one.
    public let thread: String?

    /// Makes an invitation.
    public init(
        room: JID, inviter: JID? = nil, isMediated: Bool = false, reason: String? = nil, password: String? = nil,
        thread: String? = nil
    ) {
        self.room = room.bare
        self.inviter = inviter
        self.isMediated = isMediated
        self.reason = reason
        self.password = password
        self.thread = thread
    }
}

/// Somebody declined one's invitation (XEP-0045 §7.8.2).
public struct RoomDecline: Sendable, Hashable {
    /// The room.
    public let room: JID
    /// Who declined.
    public let by: JID?
    /// What they said.
    public let reason: String?

    /// Makes a refusal.
    public init(room: JID, by: JID?, reason: String? = nil) {
        self.room = room.bare
        self.by = by
        self.reason = reason
    }
}

/// The element of XEP-0249.
package struct DirectInvitation: StanzaPayload {
    package static let namespace = "jabber:x:conference"
    package static let name = XMLName("x", namespace)

    package var room: JID
    package var reason: String?
    package var password: String?
    package var thread: String?

    package init(room: JID, reason: String? = nil, password: String? = nil, thread: String? = nil) {
        self.room = room.bare
        self.reason = reason
        self.password = password
        self.thread = thread
    }

    /// §2: the room is required.
    package init?(_ element: Element) {
        guard element.matches(Self.name), let room = element.address("jid"), room.local != nil else { return nil }
        self.init(
            room: room, reason: element.filled("reason")?.cut(toBytes: 1024), password: element.filled("password"),
            thread: element.filled("thread"))
    }

    package var element: Element {
        Element(
            Self.name,
            attributes: [
                "continue": thread == nil ? nil : "true", "jid": room.description, "password": password,
                "reason": reason, "thread": thread,
            ])
    }
}

extension Message {
    /// The invitation that the message is; nil for any other message.
    ///
    /// One that came by way of the room must come from the room itself. Where both forms stand in one message it is one
    /// invitation (OF49).
    public var roomInvitation: RoomInvitation? {
        guard kind != .error, kind != .groupchat, let from else { return nil }
        if from.isBare, from.local != nil, let user = payload(RoomNames.user), let invite = user.child(RoomNames.invite)
        {
            return RoomInvitation(
                room: from, inviter: invite.address("from"), isMediated: true,
                reason: invite.childText(RoomNames.reason)?.cut(toBytes: 1024),
                password: user.childText(RoomNames.password),
                thread: invite.child(RoomNames.continue)?.filled("thread"))
        }
        guard let direct = payload(DirectInvitation.self) else { return nil }
        // An occupant of a room who is known by the address there alone.
        let isOccupant = !from.isBare && payload(RoomNames.user) != nil
        return RoomInvitation(
            room: direct.room, inviter: isOccupant ? from : from.bare, reason: direct.reason, password: direct.password,
            thread: direct.thread)
    }

    /// That somebody declined one's invitation, as the room tells; nil for any other message (XEP-0045 §7.8.2).
    public var roomDecline: RoomDecline? {
        guard kind != .error, let from, from.isBare, from.local != nil,
            let decline = payload(RoomNames.user)?.child(RoomNames.decline)
        else { return nil }
        return RoomDecline(
            room: from, by: decline.address("from"), reason: decline.childText(RoomNames.reason)?.cut(toBytes: 1024))
    }

    /// An invitation by way of the room (XEP-0045 §7.8.2).
    static func mediatedInvitation(
        of jid: JID, to room: JID, reason: String?, password: String?, thread: String?
    ) -> Message {
        let invite = Element(
            RoomNames.invite, attributes: ["to": jid.description],
            children: (reason.map { [Element(RoomNames.reason, text: $0)] } ?? [])
                + (thread.map { [Element(RoomNames.continue, attributes: ["thread": $0])] } ?? []))
        let key = password.map { [Element(RoomNames.password, text: $0)] } ?? []
        return Message(to: room, id: randomToken(), payloads: [Element(RoomNames.user, children: [invite] + key)])
    }

    /// An invitation from person to person (XEP-0249 §2).
    static func directInvitation(
        of jid: JID, to room: JID, reason: String?, password: String?, thread: String?
    ) -> Message {
        let invitation = DirectInvitation(room: room, reason: reason, password: password, thread: thread)
        return Message(to: jid, id: randomToken(), payloads: [invitation.element])
    }

    /// Declines an invitation that came by way of the room (XEP-0045 §7.8.2).
    static func decline(_ invitation: RoomInvitation, reason: String?) -> Message {
        let decline = Element(
            RoomNames.decline, attributes: ["to": invitation.inviter?.bare.description],
            children: reason.map { [Element(RoomNames.reason, text: $0)] } ?? [])
        return Message(
            to: invitation.room, id: randomToken(), payloads: [Element(RoomNames.user, children: [decline])])
    }
}
