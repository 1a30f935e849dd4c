// SPDX-License-Identifier: Apache-2.0

extension SocketChatClient {
    package func search(_ request: SearchRequest) async throws(ChatAPIError) -> [SearchHit] {
        try await call(ChatMethods.Search(request))
    }

    package func blocked(account: String?) async throws(ChatAPIError) -> [BlockedAddress] {
        try await call(ChatMethods.Blocked(account: account))
    }

    package func block(_ request: BlockRequest) async throws(ChatAPIError) -> BlockResult {
        try await call(ChatMethods.Block(request))
    }

    package func unblock(_ request: BlockRequest) async throws(ChatAPIError) {
        _ = try await call(ChatMethods.Unblock(request))
    }

    package func profile(_ request: ProfileRequest) async throws(ChatAPIError) -> PersonProfile {
        try await call(ChatMethods.Profile(request))
    }

    package func changeProfile(_ change: ProfileChange) async throws(ChatAPIError) -> PersonProfile {
        try await call(ChatMethods.ChangeProfile(change))
    }

    package func picture(hash: String) async throws(ChatAPIError) -> PictureData? {
        try await call(ChatMethods.GetPicture(hash: hash))
    }

    package func setPicture(_ request: PictureRequest) async throws(ChatAPIError) {
        _ = try await call(ChatMethods.SetPicture(request))
    }

    package func backUp(path: String) async throws(ChatAPIError) {
        _ = try await call(ChatMethods.BackUp(path: path))
    }
}
