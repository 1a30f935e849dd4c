// SPDX-License-Identifier: Apache-2.0

extension ChatMethods {
    package struct SetEnabled: ChatMethod {
        package static let name = "account.enable"
        package var request: EnableRequest
        package init(_ request: EnableRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> AccountSummary {
            try await client.setEnabled(request)
        }
    }

    package struct ChangeContact: ChatMethod {
        package static let name = "contact.change"
        package var request: ContactRequest
        package init(_ request: ContactRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> ContactSummary {
            try await client.changeContact(request)
        }
    }

    package struct CreateInvitation: ChatMethod {
        package static let name = "invitation.create"
        package var request: InvitationRequest
        package init(_ request: InvitationRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> InvitationItem {
            try await client.createInvitation(request)
        }
    }
}
