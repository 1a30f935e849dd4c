// SPDX-License-Identifier: Apache-2.0
package import ChatAPI

extension ProfileClient {
    package nonisolated func createRoom(_ request: CreateRoomRequest) async throws(ChatAPIError) -> ConversationSummary
    {
        try await perform(repeats: false) { (client) async throws(ChatAPIError) in try await client.createRoom(request)
        }
    }

    package nonisolated func joinRoom(_ request: JoinRoomRequest) async throws(ChatAPIError) -> ConversationSummary {
        try await perform { (client) async throws(ChatAPIError) in try await client.joinRoom(request) }
    }

    package nonisolated func leaveRoom(_ request: RoomRequest) async throws(ChatAPIError) {
        try await perform { (client) async throws(ChatAPIError) in try await client.leaveRoom(request) }
    }

    package nonisolated func room(_ request: RoomRequest) async throws(ChatAPIError) -> RoomSummary {
        try await perform { (client) async throws(ChatAPIError) in try await client.room(request) }
    }

    package nonisolated func invite(_ request: InviteRequest) async throws(ChatAPIError) {
        try await perform { (client) async throws(ChatAPIError) in try await client.invite(request) }
    }

    package nonisolated func findRooms(_ request: FindRoomsRequest) async throws(ChatAPIError) -> [RoomListing] {
        try await perform { (client) async throws(ChatAPIError) in try await client.findRooms(request) }
    }

    package nonisolated func changeRoom(_ request: RoomChangeRequest) async throws(ChatAPIError) {
        try await perform { (client) async throws(ChatAPIError) in try await client.changeRoom(request) }
    }

    package nonisolated func changeMember(_ request: MemberChangeRequest) async throws(ChatAPIError) {
        try await perform { (client) async throws(ChatAPIError) in try await client.changeMember(request) }
    }

    package nonisolated func moderate(_ request: ModerateRequest) async throws(ChatAPIError) {
        try await perform { (client) async throws(ChatAPIError) in try await client.moderate(request) }
    }

    package nonisolated func destroyRoom(_ request: RoomRequest) async throws(ChatAPIError) {
        try await perform { (client) async throws(ChatAPIError) in try await client.destroyRoom(request) }
    }
}
