// SPDX-License-Identifier: Apache-2.0

extension ChatMethods {
    package struct Search: ChatMethod {
        package static let name = "search"
        package var request: SearchRequest
        package init(_ request: SearchRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> [SearchHit] {
            try await client.search(request)
        }
    }

    package struct Blocked: ChatMethod {
        package static let name = "blocked"
        package var account: String?
        package init(account: String?) { self.account = account }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> [BlockedAddress] {
            try await client.blocked(account: account)
        }
    }

    package struct Block: ChatMethod {
        package static let name = "block"
        package var request: BlockRequest
        package init(_ request: BlockRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> BlockResult {
            try await client.block(request)
        }
    }

    package struct Unblock: ChatMethod {
        package static let name = "unblock"
        package var request: BlockRequest
        package init(_ request: BlockRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> Done {
            try await client.unblock(request)
            return Done()
        }
    }

    package struct Profile: ChatMethod {
        package static let name = "profile"
        package var request: ProfileRequest
        package init(_ request: ProfileRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> PersonProfile {
            try await client.profile(request)
        }
    }

    package struct ChangeProfile: ChatMethod {
        package static let name = "profile.change"
        package var change: ProfileChange
        package init(_ change: ProfileChange) { self.change = change }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> PersonProfile {
            try await client.changeProfile(change)
        }
    }

    package struct GetPicture: ChatMethod {
        package static let name = "picture"
        package var hash: String
        package init(hash: String) { self.hash = hash }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> PictureData? {
            try await client.picture(hash: hash)
        }
    }

    package struct SetPicture: ChatMethod {
        package static let name = "picture.set"
        package var request: PictureRequest
        package init(_ request: PictureRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> Done {
            try await client.setPicture(request)
            return Done()
        }
    }

    package struct BackUp: ChatMethod {
        package static let name = "backup"
        package var path: String
        package init(path: String) { self.path = path }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> Done {
            try await client.backUp(path: path)
            return Done()
        }
    }
}
