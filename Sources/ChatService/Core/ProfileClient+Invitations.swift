// SPDX-License-Identifier: Apache-2.0
package import ChatAPI

extension ProfileClient {
    package nonisolated func setEnabled(_ request: EnableRequest) async throws(ChatAPIError) -> AccountSummary {
        try await perform { (client) async throws(ChatAPIError) in try await client.setEnabled(request) }
    }

    package nonisolated func changeContact(_ request: ContactRequest) async throws(ChatAPIError) -> ContactSummary {
        try await perform { (client) async throws(ChatAPIError) in try await client.changeContact(request) }
    }

    package nonisolated func createInvitation(_ request: InvitationRequest) async throws(ChatAPIError) -> InvitationItem
    {
        try await perform(repeats: false) { (client) async throws(ChatAPIError) in
            try await client.createInvitation(request)
        }
    }
}
