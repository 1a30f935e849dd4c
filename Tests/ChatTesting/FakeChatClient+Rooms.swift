// SPDX-License-Identifier: Apache-2.0
package import ChatAPI

extension FakeChatClient {
    package func createRoom(_ request: CreateRoomRequest) async throws(ChatAPIError) -> ConversationSummary {
        try note("createRoom \(request.name)")
        return ConversationSummary(account: "ana@example.org", conversation: "r@rooms", kind: .room)
    }

    package func joinRoom(_ request: JoinRoomRequest) async throws(ChatAPIError) -> ConversationSummary {
        try note("joinRoom \(request.room)")
        return ConversationSummary(account: "ana@example.org", conversation: request.room, kind: .room)
    }

    package func leaveRoom(_ request: RoomRequest) async throws(ChatAPIError) {
        try note("leaveRoom \(request.room)")
    }

    package func room(_ request: RoomRequest) async throws(ChatAPIError) -> RoomSummary {
        try note("room \(request.room)")
        return RoomSummary(
            account: "ana@example.org", room: request.room, name: "Tea", description: "d", topic: "t", nick: "n",
            members: [.init(address: "c@d", nick: "n", affiliation: "owner", role: "moderator", isOnline: true)])
    }

    package func invite(_ request: InviteRequest) async throws(ChatAPIError) {
        try note("invite \(request.room) \(request.addresses.joined(separator: ","))")
    }

    package func findRooms(_ request: FindRoomsRequest) async throws(ChatAPIError) -> [RoomListing] {
        try note("findRooms \(request.service ?? "-")")
        return [RoomListing(room: "tea@rooms", name: "Tea")]
    }

    package func changeRoom(_ request: RoomChangeRequest) async throws(ChatAPIError) {
        try note("changeRoom \(request.room) \(request.topic ?? "-")")
    }

    package func changeMember(_ request: MemberChangeRequest) async throws(ChatAPIError) {
        try note("changeMember \(request.room) \(request.nick ?? request.address ?? "-") \(request.change.rawValue)")
    }

    package func moderate(_ request: ModerateRequest) async throws(ChatAPIError) {
        try note("moderate \(request.message)")
    }

    package func destroyRoom(_ request: RoomRequest) async throws(ChatAPIError) {
        try note("destroyRoom \(request.room)")
    }
}
