// SPDX-License-Identifier: Apache-2.0

extension SocketChatClient {
    package func setEnabled(_ request: EnableRequest) async throws(ChatAPIError) -> AccountSummary {
        try await call(ChatMethods.SetEnabled(request))
    }

    package func changeContact(_ request: ContactRequest) async throws(ChatAPIError) -> ContactSummary {
        try await call(ChatMethods.ChangeContact(request))
    }

    package func createInvitation(_ request: InvitationRequest) async throws(ChatAPIError) -> InvitationItem {
        try await call(ChatMethods.CreateInvitation(request))
    }
}
