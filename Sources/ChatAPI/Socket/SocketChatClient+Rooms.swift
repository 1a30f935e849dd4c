// SPDX-License-Identifier: Apache-2.0

extension SocketChatClient {
    package func createRoom(_ request: CreateRoomRequest) async throws(ChatAPIError) -> ConversationSummary {
        try await call(ChatMethods.CreateRoom(request))
    }

    package func joinRoom(_ request: JoinRoomRequest) async throws(ChatAPIError) -> ConversationSummary {
        try await call(ChatMethods.JoinRoom(request))
    }

    package func leaveRoom(_ request: RoomRequest) async throws(ChatAPIError) {
        _ = try await call(ChatMethods.LeaveRoom(request))
    }

    package func room(_ request: RoomRequest) async throws(ChatAPIError) -> RoomSummary {
        try await call(ChatMethods.GetRoom(request))
    }

    package func invite(_ request: InviteRequest) async throws(ChatAPIError) {
        _ = try await call(ChatMethods.Invite(request))
    }

    package func findRooms(_ request: FindRoomsRequest) async throws(ChatAPIError) -> [RoomListing] {
        try await call(ChatMethods.FindRooms(request))
    }

    package func changeRoom(_ request: RoomChangeRequest) async throws(ChatAPIError) {
        _ = try await call(ChatMethods.ChangeRoom(request))
    }

    package func changeMember(_ request: MemberChangeRequest) async throws(ChatAPIError) {
        _ = try await call(ChatMethods.ChangeMember(request))
    }

    package func moderate(_ request: ModerateRequest) async throws(ChatAPIError) {
        _ = try await call(ChatMethods.Moderate(request))
    }

    package func destroyRoom(_ request: RoomRequest) async throws(ChatAPIError) {
        _ = try await call(ChatMethods.DestroyRoom(request))
    }
}
