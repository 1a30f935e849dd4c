// SPDX-License-Identifier: Apache-2.0
package import ChatAPI

extension ProfileClient {
    package nonisolated func timeline(account: String?) async throws(ChatAPIError) -> [AccountTimeline] {
        try await perform { (client) async throws(ChatAPIError) in try await client.timeline(account: account) }
    }

    package nonisolated func trust(_ request: TrustRequest) async throws(ChatAPIError) -> TrustSettings {
        try await perform { (client) async throws(ChatAPIError) in try await client.trust(request) }
    }

    package nonisolated func diagnose(_ request: DiagnosisRequest) async throws(ChatAPIError) -> Diagnosis {
        try await perform { (client) async throws(ChatAPIError) in try await client.diagnose(request) }
    }
}
