// SPDX-License-Identifier: Apache-2.0

extension ChatMethods {
    package struct Timeline: ChatMethod {
        package static let name = "account.timeline"
        package var account: String?
        package init(account: String?) { self.account = account }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> [AccountTimeline] {
            try await client.timeline(account: account)
        }
    }

    package struct Trust: ChatMethod {
        package static let name = "account.trust"
        package var request: TrustRequest
        package init(_ request: TrustRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> TrustSettings {
            try await client.trust(request)
        }
    }

    package struct Diagnose: ChatMethod {
        package static let name = "diagnose"
        package var request: DiagnosisRequest
        package init(_ request: DiagnosisRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> Diagnosis {
            try await client.diagnose(request)
        }
    }
}
