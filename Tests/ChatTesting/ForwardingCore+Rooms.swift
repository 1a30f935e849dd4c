// SPDX-License-Identifier: Apache-2.0
package import ChatAPI

extension ForwardingCore {
    package func createRoom(_ request: CreateRoomRequest) async throws(ChatAPIError) -> ConversationSummary {
        try await fake.createRoom(request)
    }

    package func joinRoom(_ request: JoinRoomRequest) async throws(ChatAPIError) -> ConversationSummary {
        try await fake.joinRoom(request)
    }

    package func leaveRoom(_ request: RoomRequest) async throws(ChatAPIError) {
        try await fake.leaveRoom(request)
    }

    package func room(_ request: RoomRequest) async throws(ChatAPIError) -> RoomSummary {
        try await fake.room(request)
    }

    package func invite(_ request: InviteRequest) async throws(ChatAPIError) {
        try await fake.invite(request)
    }

    package func findRooms(_ request: FindRoomsRequest) async throws(ChatAPIError) -> [RoomListing] {
        try await fake.findRooms(request)
    }

    package func changeRoom(_ request: RoomChangeRequest) async throws(ChatAPIError) {
        try await fake.changeRoom(request)
    }

    package func changeMember(_ request: MemberChangeRequest) async throws(ChatAPIError) {
        try await fake.changeMember(request)
    }

    package func moderate(_ request: ModerateRequest) async throws(ChatAPIError) {
        try await fake.moderate(request)
    }

    package func destroyRoom(_ request: RoomRequest) async throws(ChatAPIError) {
        try await fake.destroyRoom(request)
    }
}
