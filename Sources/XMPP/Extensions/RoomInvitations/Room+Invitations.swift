// SPDX-License-Identifier: Apache-2.0
import ApusTransport

extension Room {
    /// How somebody is invited.
    public enum InvitationForm: Sendable, Hashable {
        /// By way of the room (XEP-0045 §7.8.2): what every program understands, and what makes the invited person a member of
        /// a room for members.
        case mediated
        /// From person to person (XEP-0249): reaches people who take nothing from strangers.
        case direct
    }

    /// Invites somebody.
    ///
    /// Throws ``XMPPError/Code/notInRoom`` when one is not in; a refusal of the room comes later, as a message of kind
    /// ``Message/Kind/error``. Somebody who declines is told of by ``RoomEvent/declined(_:)``.
    /// - Parameters:
    ///   - jid: The account.
    ///   - reason: What to tell them.
    ///   - form: How. Defaults to by way of the room, which old programs know, too (SP24).
    ///   - thread: The conversation that goes on in the room.
    public func invite(
        _ jid: JID, reason: String? = nil, _ form: InvitationForm = .mediated, thread: String? = nil
    ) async throws {
        guard core.isIn else { throw notInError }
        let password = core.state.withLock { $0.machine.wish?.password }
        switch form {
        case .mediated:
            try await session.send(
                .mediatedInvitation(of: jid.bare, to: address, reason: reason, password: password, thread: thread))
        case .direct:
            try await session.send(
                .directInvitation(of: jid, to: address, reason: reason, password: password, thread: thread))
        }
    }
}

extension RoomService {
    /// Invitations from now on, each room once, except to rooms that one is in (XEP-0249 §5).
    ///
    /// At most 256 between two logins; the messages themselves are in ``XMPPSession/messages()``, where
    /// ``Message/roomInvitation`` reads them.
    public func invitations() -> Subscription<RoomInvitation> {
        session.roomBook.activate()
        return session.roomBook.invitations.subscribe()
    }

    /// Follows an invitation.
    ///
    /// A room that whoever invites is still setting up is tried three times. Throws as ``Room/join(as:password:history:)``
    /// does.
    public func accept(
        _ invitation: RoomInvitation, as nickname: String, history: RoomHistory = .standard
    ) async throws -> Room {
        session.roomBook.answeredInvitation(to: invitation.room)
        var tries = 0
        while true {
            do {
                return try await join(
                    invitation.room, as: nickname, password: invitation.password, history: history)
            } catch let error as XMPPError where error.roomRefusal == .notFound && tries < 2 {
                tries += 1
                await session.pause(.seconds(2))
            }
        }
    }

    /// Tells whoever invites that one does not come (XEP-0045 §7.8.2); without a word where the invitation came from person to
    /// person (XEP-0249 §2).
    public func decline(_ invitation: RoomInvitation, reason: String? = nil) async throws {
        session.roomBook.answeredInvitation(to: invitation.room)
        guard invitation.isMediated, invitation.inviter != nil else { return }
        try await session.send(.decline(invitation, reason: reason))
    }
}

extension XMPPSession {
    /// Waits on the session's own clock.
    func pause(_ span: Duration) async {
        let gate = WakeGate()
        let timer = configuration.clock.schedule(after: span) { gate.open() }
        await withTaskCancellationHandler {
            await gate.wait(isolation: self)
        } onCancel: {
            gate.open()
        }
        timer.cancel()
    }
}
