// SPDX-License-Identifier: Apache-2.0
package import ChatAPI
import ChatKit
import XMPP

extension LocalChatClient {
    package nonisolated func createRoom(_ request: CreateRoomRequest) async throws(ChatAPIError) -> ConversationSummary
    {
        let account = try await account(request.account)
        var people: [JID] = []
        for text in request.invite { people.append(try peer(text, account)) }
        let invited = people
        return try await asking { () async throws(ChatError) in
            ConversationSummary(
                try await core.createRoom(
                    request.kind == .group ? .group : .channel, name: request.name, inviting: invited, account: account)
            )
        }
    }

    package nonisolated func joinRoom(_ request: JoinRoomRequest) async throws(ChatAPIError) -> ConversationSummary {
        let account = try await account(request.account)
        let room = try await roomPlace(request.room, account)
        return try await asking { () async throws(ChatError) in
            ConversationSummary(
                try await core.joinRoom(room, as: request.nick, password: request.password, account: account))
        }
    }

    package nonisolated func leaveRoom(_ request: RoomRequest) async throws(ChatAPIError) {
        let account = try await account(request.account)
        let room = try await roomPlace(request.room, account)
        try await asking { () async throws(ChatError) in try await core.leaveRoom(room, account: account) }
    }

    package nonisolated func room(_ request: RoomRequest) async throws(ChatAPIError) -> RoomSummary {
        let account = try await account(request.account)
        let room = try await roomPlace(request.room, account)
        return try await asking { () async throws(ChatError) in
            RoomSummary(account, try await core.room(room, account: account))
        }
    }

    package nonisolated func invite(_ request: InviteRequest) async throws(ChatAPIError) {
        let account = try await account(request.account)
        let room = try await roomPlace(request.room, account)
        var people: [JID] = []
        for text in request.addresses { people.append(try peer(text, account)) }
        let invited = people
        try await asking { () async throws(ChatError) in
            try await core.invite(invited, to: room, reason: request.text, account: account)
        }
    }

    package nonisolated func findRooms(
        _ request: FindRoomsRequest
    ) async throws(ChatAPIError) -> [ChatAPI.RoomListing] {
        let account = try await account(request.account)
        var service: JID?
        if let text = request.service { service = try Self.address(text) }
        let place = service
        return try await asking { () async throws(ChatError) in
            try await core.publicRooms(at: place, account: account).map {
                ChatAPI.RoomListing(room: $0.room.description, name: $0.name)
            }
        }
    }

    package nonisolated func changeRoom(_ request: RoomChangeRequest) async throws(ChatAPIError) {
        let account = try await account(request.account)
        let room = try await roomPlace(request.room, account)
        let change = RoomChange(
            topic: request.topic, name: request.name, description: request.description, nickname: request.nick)
        try await asking { () async throws(ChatError) in try await core.changeRoom(room, change, account: account) }
    }

    package nonisolated func changeMember(_ request: MemberChangeRequest) async throws(ChatAPIError) {
        let account = try await account(request.account)
        let room = try await roomPlace(request.room, account)
        let member: RoomMember
        switch (request.nick, request.address) {
        case (let nick?, nil): member = .nickname(nick)
        case (nil, let address?): member = .account(try peer(address, account))
        default: throw ChatAPIError(.invalidArgument, "name somebody by a nickname or by an address")
        }
        try await asking { () async throws(ChatError) in
            try await core.changeMember(
                member, of: room, to: RoomMemberChange(request.change), reason: request.reason, account: account)
        }
    }

    package nonisolated func moderate(_ request: ModerateRequest) async throws(ChatAPIError) {
        let message = try Self.message(request.message)
        try await asking { () async throws(ChatError) in try await core.moderate(message, reason: request.reason) }
    }

    package nonisolated func destroyRoom(_ request: RoomRequest) async throws(ChatAPIError) {
        let account = try await account(request.account)
        let room = try await roomPlace(request.room, account)
        try await asking { () async throws(ChatError) in try await core.destroyRoom(room, account: account) }
    }
}

extension RoomMemberChange {
    init(_ change: MemberChangeRequest.Change) {
        switch change {
        case .kick: self = .role(.none)
        case .visitor: self = .role(.visitor)
        case .participant: self = .role(.participant)
        case .moderator: self = .role(.moderator)
        case .ban: self = .affiliation(.outcast)
        case .none: self = .affiliation(.none)
        case .member: self = .affiliation(.member)
        case .admin: self = .affiliation(.admin)
        case .owner: self = .affiliation(.owner)
        }
    }
}

extension ChatAPI.RoomStatus {
    init(_ room: RoomStanding) {
        let state: State =
            switch room.state {
            case .outside: .outside
            case .joining: .joining
            case .joined: .joined
            case .interrupted: .interrupted
            case .out: .out
            }
        self.init(
            state: state, reason: room.reason?.rawValue, text: room.text, isWanted: room.isWanted, nick: room.nickname,
            topic: room.topic, kind: room.isMembersOnly.map { $0 ? .group : .channel })
    }
}

extension RoomSummary {
    init(_ account: JID, _ room: RoomDetails) {
        self.init(
            account: account.description, room: room.room.description, kind: room.isMembersOnly ? .group : .channel,
            name: room.name, description: room.description, topic: room.topic, nick: room.nickname,
            members: room.members.map { member in
                Member(
                    address: member.address?.description, nick: member.nickname,
                    affiliation: member.affiliation.rawValue, role: member.role?.rawValue,
                    isOnline: member.role != nil)
            })
    }
}
