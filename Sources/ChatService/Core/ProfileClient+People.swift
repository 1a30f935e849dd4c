// SPDX-License-Identifier: Apache-2.0
package import ChatAPI

extension ProfileClient {
    package nonisolated func search(_ request: SearchRequest) async throws(ChatAPIError) -> [SearchHit] {
        try await perform { (client) async throws(ChatAPIError) in try await client.search(request) }
    }

    package nonisolated func blocked(account: String?) async throws(ChatAPIError) -> [BlockedAddress] {
        try await perform { (client) async throws(ChatAPIError) in try await client.blocked(account: account) }
    }

    package nonisolated func block(_ request: BlockRequest) async throws(ChatAPIError) -> BlockResult {
        try await perform { (client) async throws(ChatAPIError) in try await client.block(request) }
    }

    package nonisolated func unblock(_ request: BlockRequest) async throws(ChatAPIError) {
        try await perform { (client) async throws(ChatAPIError) in try await client.unblock(request) }
    }

    package nonisolated func profile(_ request: ProfileRequest) async throws(ChatAPIError) -> PersonProfile {
        try await perform { (client) async throws(ChatAPIError) in try await client.profile(request) }
    }

    package nonisolated func changeProfile(_ change: ProfileChange) async throws(ChatAPIError) -> PersonProfile {
        try await perform { (client) async throws(ChatAPIError) in try await client.changeProfile(change) }
    }

    package nonisolated func picture(hash: String) async throws(ChatAPIError) -> PictureData? {
        try await perform { (client) async throws(ChatAPIError) in try await client.picture(hash: hash) }
    }

    package nonisolated func setPicture(_ request: PictureRequest) async throws(ChatAPIError) {
        try await perform { (client) async throws(ChatAPIError) in try await client.setPicture(request) }
    }

    package nonisolated func backUp(path: String) async throws(ChatAPIError) {
        try await perform { (client) async throws(ChatAPIError) in try await client.backUp(path: path) }
    }
}
