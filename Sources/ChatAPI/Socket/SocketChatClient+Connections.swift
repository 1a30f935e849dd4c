// SPDX-License-Identifier: Apache-2.0

extension SocketChatClient {
    package func timeline(account: String?) async throws(ChatAPIError) -> [AccountTimeline] {
        try await call(ChatMethods.Timeline(account: account))
    }

    package func trust(_ request: TrustRequest) async throws(ChatAPIError) -> TrustSettings {
        try await call(ChatMethods.Trust(request))
    }

    package func diagnose(_ request: DiagnosisRequest) async throws(ChatAPIError) -> Diagnosis {
        try await call(ChatMethods.Diagnose(request))
    }
}
