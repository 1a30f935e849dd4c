// SPDX-License-Identifier: Apache-2.0
package import XMPP

/// What is changed in rooms, and who is there.
extension XMPPSession {
    package nonisolated func roomDetails(_ address: JID) async throws -> RoomDetails {
        let room = await rooms.room(address)
        let information = try await rooms.information(of: address)
        var members = room.occupants.sorted { $0.nickname < $1.nickname }.map { occupant in
            RoomDetails.Member(
                address: occupant.realAddress?.bare, nickname: occupant.nickname, affiliation: occupant.affiliation,
                role: occupant.role)
        }
        let present = Set(members.compactMap(\.address))
        for affiliation in [RoomAffiliation.owner, .admin, .member] {
            // Who may not ask sees those who are there.
            for access in (try? await room.accounts(affiliation)) ?? [] {
                guard let jid = access.address, !present.contains(jid.bare) else { continue }
                members.append(.init(address: jid.bare, nickname: nil, affiliation: affiliation, role: nil))
            }
        }
        return RoomDetails(
            room: address, name: information.name, description: information.details, topic: room.subject?.text,
            nickname: room.me?.nickname, isMembersOnly: information.isMembersOnly, members: members)
    }

    package nonisolated func change(_ address: JID, _ change: RoomChange) async throws {
        let room = await rooms.room(address)
        if let topic = change.topic { try await room.setSubject(topic) }
        if let nickname = change.nickname { _ = try await room.changeNickname(to: nickname) }
        guard change.name != nil || change.description != nil else { return }
        var configuration = RoomConfiguration()
        configuration.name = change.name
        configuration.details = change.description
        try await room.configure(configuration)
    }

    package nonisolated func publish(_ picture: Picture?, of room: JID) async throws {
        try await rooms.room(room).setAvatar(picture)
    }

    package nonisolated func change(
        _ member: RoomMember, of address: JID, to change: RoomMemberChange, reason: String?
    ) async throws {
        let room = await rooms.room(address)
        switch change {
        case .role(let role):
            let nickname =
                switch member {
                case .nickname(let nickname): nickname
                case .account(let jid): room.occupants.first { $0.realAddress?.bare == jid.bare }?.nickname
                }
            guard let nickname else { throw ChatError(.unknownMember, "nobody of that address is in \(address)") }
            try await room.setRole(role, of: nickname, reason: reason)
        case .affiliation(let affiliation):
            let account =
                switch member {
                case .account(let jid): jid
                case .nickname(let nickname): room.occupant(nickname)?.realAddress
                }
            guard let account else {
                throw ChatError(.unknownMember, "the address of that nickname is not known in \(address)")
            }
            try await room.setAffiliation(affiliation, of: account.bare, reason: reason)
        }
    }

    package nonisolated func moderate(_ stanzaID: String, in room: JID, reason: String?) async throws {
        try await rooms.room(room).moderate(stanzaID, reason: reason)
    }

    package nonisolated func destroyRoom(_ room: JID, reason: String?) async throws {
        try await rooms.room(room).destroy(reason: reason)
    }

    package nonisolated func invite(_ jid: JID, to room: JID, reason: String?, asMember: Bool) async throws {
        let room = await rooms.room(room)
        if asMember { try? await room.setAffiliation(.member, of: jid) }
        try await room.invite(jid, reason: reason)
    }

    package nonisolated func decline(_ invitation: RoomInvitation, reason: String?) async throws {
        try await rooms.decline(invitation, reason: reason)
    }
}
