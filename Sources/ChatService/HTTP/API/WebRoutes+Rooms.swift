// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension WebRoutes {
    static let rooms: [WebRoute] = [
        WebRoute(.post, "rooms", isRemembered: true) { (service, call) throws(ChatAPIError) in
            let body = try call.decode(CreateRoomBody.self)
            let request = CreateRoomRequest(
                account: body.account, kind: body.kind, name: body.name, invite: body.invite ?? [])
            return .json(201, try await service.client.createRoom(request))
        },
        WebRoute(.get, "rooms/{account}/{room}") { (service, call) throws(ChatAPIError) in
            .json(200, try await service.client.room(call.room))
        },
        WebRoute(.put, "rooms/{account}/{room}", isRemembered: true, isRepeatable: true) {
            (service, call) throws(ChatAPIError) in
            let body = try call.decode(JoinBody.self)
            let request = JoinRoomRequest(
                account: call.account, room: call["room"], nick: body.nick, password: body.password)
            return .json(200, try await service.client.joinRoom(request))
        },
        WebRoute(.patch, "rooms/{account}/{room}", isRemembered: true, isRepeatable: true) {
            (service, call) throws(ChatAPIError) in
            let body = try call.decode(RoomChangeBody.self)
            try await service.client.changeRoom(
                RoomChangeRequest(
                    account: call.account, room: call["room"], topic: body.topic, name: body.name,
                    description: body.description, nick: body.nick))
            return .json(200, try await service.client.room(call.room))
        },
        WebRoute(.delete, "rooms/{account}/{room}", isRemembered: true, isRepeatable: true) {
            (service, call) throws(ChatAPIError) in
            if try call.flag("destroy") {
                try await service.client.destroyRoom(call.room)
            } else {
                try await service.client.leaveRoom(call.room)
            }
            return .done
        },
        WebRoute(.post, "rooms/{account}/{room}/invitations", isRemembered: true) {
            (service, call) throws(ChatAPIError) in
            let body = try call.decode(InviteBody.self)
            guard (1...100).contains(body.addresses.count) else {
                throw ChatAPIError(.invalidArgument, "addresses names one to a hundred people")
            }
            try await service.client.invite(
                InviteRequest(account: call.account, room: call["room"], addresses: body.addresses, text: body.text))
            return .done
        },
        WebRoute(.patch, "rooms/{account}/{room}/members/{member}", isRemembered: true, isRepeatable: true) {
            (service, call) throws(ChatAPIError) in
            let body = try call.decode(MemberBody.self)
            let isNick = try call.flag("nick")
            let request = MemberChangeRequest(
                account: call.account, room: call["room"], nick: isNick ? call["member"] : nil,
                address: isNick ? nil : call["member"], change: try body.change(), reason: body.reason)
            try await service.client.changeMember(request)
            return .done
        },
        // To accept one is to join.
        WebRoute(.delete, "invitations/{account}/{room}", isRemembered: true, isRepeatable: true) {
            (service, call) throws(ChatAPIError) in
            try await service.client.answer(
                AnswerRequest(account: call.account, address: call["room"], accepts: false))
            return .done
        },
        WebRoute(.get, "accounts/{account}/channels") { (service, call) throws(ChatAPIError) in
            let request = FindRoomsRequest(account: call.account, service: call.head.query["where"])
            let words = (call.head.query["q"] ?? "").lowercased().split(separator: " ")
            let found = try await service.client.findRooms(request).filter { room in
                let text = "\(room.name ?? "") \(room.room)".lowercased()
                return words.allSatisfy { text.contains($0) }
            }
            return .list("channels", found.prefix(channelLimit).map { ChannelItem(address: $0.room, name: $0.name) })
        },
    ]

    /// Rooms in one answer.
    private static let channelLimit = 500

    /// What bodies are read as.
    static var roomBodies: [any Decodable.Type] {
        [CreateRoomBody.self, JoinBody.self, RoomChangeBody.self, InviteBody.self, MemberBody.self]
    }
}

extension WebCall {
    fileprivate var room: RoomRequest { RoomRequest(account: account, room: self["room"]) }
}

private struct CreateRoomBody: Decodable {
    var account: String?
    var kind: CreateRoomRequest.Kind
    var name: String
    var invite: [String]?
}

private struct JoinBody: Decodable {
    var nick: String?
    var password: String?
}

private struct RoomChangeBody: Decodable {
    var name: String?
    var description: String?
    var topic: String?
    var nick: String?
}

private struct InviteBody: Decodable {
    var addresses: [String]
    var text: String?
}

private struct MemberBody: Decodable {
    enum Affiliation: String, Decodable {
        case owner, admin, member, none, outcast
    }

    enum Role: String, Decodable {
        case moderator, participant, visitor, none
    }

    var affiliation: Affiliation?
    var role: Role?
    var reason: String?

    func change() throws(ChatAPIError) -> MemberChangeRequest.Change {
        switch (affiliation, role) {
        case (.owner, nil): return .owner
        case (.admin, nil): return .admin
        case (.member, nil): return .member
        case (MemberBody.Affiliation.none?, nil): return .none
        case (.outcast, nil): return .ban
        case (nil, .moderator): return .moderator
        case (nil, .participant): return .participant
        case (nil, .visitor): return .visitor
        case (nil, MemberBody.Role.none?): return .kick
        default: throw ChatAPIError(.invalidArgument, "give an affiliation or a role")
        }
    }
}

private struct ChannelItem: Encodable {
    let address: String
    let name: String?
}
