// SPDX-License-Identifier: Apache-2.0
package import ChatAPI

extension ForwardingCore {
    package func search(_ request: SearchRequest) async throws(ChatAPIError) -> [SearchHit] {
        try await fake.search(request)
    }

    package func blocked(account: String?) async throws(ChatAPIError) -> [BlockedAddress] {
        try await fake.blocked(account: account)
    }

    package func block(_ request: BlockRequest) async throws(ChatAPIError) -> BlockResult {
        try await fake.block(request)
    }

    package func unblock(_ request: BlockRequest) async throws(ChatAPIError) {
        try await fake.unblock(request)
    }

    package func profile(_ request: ProfileRequest) async throws(ChatAPIError) -> PersonProfile {
        try await fake.profile(request)
    }

    package func changeProfile(_ change: ProfileChange) async throws(ChatAPIError) -> PersonProfile {
        try await fake.changeProfile(change)
    }

    package func picture(hash: String) async throws(ChatAPIError) -> PictureData? {
        try await fake.picture(hash: hash)
    }

    package func setPicture(_ request: PictureRequest) async throws(ChatAPIError) {
        try await fake.setPicture(request)
    }

    package func backUp(path: String) async throws(ChatAPIError) {
        try await fake.backUp(path: path)
    }
}
