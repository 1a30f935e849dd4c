// SPDX-License-Identifier: Apache-2.0
import ApusTransport
package import ChatAPI

extension FakeChatClient {
    package func search(_ request: SearchRequest) async throws(ChatAPIError) -> [SearchHit] {
        try note("search \(request.text)")
        return state.withLock { $0.hits }
    }

    package func blocked(account: String?) async throws(ChatAPIError) -> [BlockedAddress] {
        try note("blocked ")
        return []
    }

    package func block(_ request: BlockRequest) async throws(ChatAPIError) -> BlockResult {
        try note("block \(request.address) \(request.report?.reason.rawValue ?? "-")")
        return BlockResult(address: request.address, isReported: request.report != nil)
    }

    package func unblock(_ request: BlockRequest) async throws(ChatAPIError) {
        try note("unblock \(request.address)")
    }

    package func profile(_ request: ProfileRequest) async throws(ChatAPIError) -> PersonProfile {
        try note("profile \(request.address ?? "-")")
        var profile = PersonProfile(address: request.address ?? "ana@example.org")
        profile.devices = request.address.map { _ in [.init(resource: "phone.3f9c", program: "Dino")] }
        return profile
    }

    package func changeProfile(_ change: ProfileChange) async throws(ChatAPIError) -> PersonProfile {
        try note("changeProfile \(change.fullName ?? "-")")
        return PersonProfile(address: "ana@example.org", fullName: change.fullName)
    }

    package func picture(hash: String) async throws(ChatAPIError) -> PictureData? {
        try note("picture \(hash)")
        return state.withLock { $0.picture }
    }

    package func setPicture(_ request: PictureRequest) async throws(ChatAPIError) {
        let parts = ["setPicture", request.room, "\(request.data?.count ?? 0)"]
        try note(parts.compactMap(\.self).joined(separator: " "))
    }

    package func backUp(path: String) async throws(ChatAPIError) {
        try note("backUp \(path)")
    }
}
