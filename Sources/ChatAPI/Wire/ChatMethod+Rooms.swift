// SPDX-License-Identifier: Apache-2.0

extension ChatMethods {
    package struct CreateRoom: ChatMethod {
        package static let name = "room.create"
        package var request: CreateRoomRequest
        package init(_ request: CreateRoomRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> ConversationSummary {
            try await client.createRoom(request)
        }
    }

    package struct JoinRoom: ChatMethod {
        package static let name = "room.join"
        package var request: JoinRoomRequest
        package init(_ request: JoinRoomRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> ConversationSummary {
            try await client.joinRoom(request)
        }
    }

    package struct LeaveRoom: ChatMethod {
        package static let name = "room.leave"
        package var request: RoomRequest
        package init(_ request: RoomRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> Done {
            try await client.leaveRoom(request)
            return Done()
        }
    }

    package struct GetRoom: ChatMethod {
        package static let name = "room"
        package var request: RoomRequest
        package init(_ request: RoomRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> RoomSummary {
            try await client.room(request)
        }
    }

    package struct Invite: ChatMethod {
        package static let name = "room.invite"
        package var request: InviteRequest
        package init(_ request: InviteRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> Done {
            try await client.invite(request)
            return Done()
        }
    }

    package struct FindRooms: ChatMethod {
        package static let name = "rooms.find"
        package var request: FindRoomsRequest
        package init(_ request: FindRoomsRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> [RoomListing] {
            try await client.findRooms(request)
        }
    }

    package struct ChangeRoom: ChatMethod {
        package static let name = "room.change"
        package var request: RoomChangeRequest
        package init(_ request: RoomChangeRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> Done {
            try await client.changeRoom(request)
            return Done()
        }
    }

    package struct ChangeMember: ChatMethod {
        package static let name = "room.member"
        package var request: MemberChangeRequest
        package init(_ request: MemberChangeRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> Done {
            try await client.changeMember(request)
            return Done()
        }
    }

    package struct Moderate: ChatMethod {
        package static let name = "room.moderate"
        package var request: ModerateRequest
        package init(_ request: ModerateRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> Done {
            try await client.moderate(request)
            return Done()
        }
    }

    package struct DestroyRoom: ChatMethod {
        package static let name = "room.destroy"
        package var request: RoomRequest
        package init(_ request: RoomRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> Done {
            try await client.destroyRoom(request)
            return Done()
        }
    }
}
