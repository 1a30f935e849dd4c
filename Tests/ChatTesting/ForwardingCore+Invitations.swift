// SPDX-License-Identifier: Apache-2.0
package import ChatAPI

extension ForwardingCore {
    package func setEnabled(_ request: EnableRequest) async throws(ChatAPIError) -> AccountSummary {
        try await fake.setEnabled(request)
    }

    package func changeContact(_ request: ContactRequest) async throws(ChatAPIError) -> ContactSummary {
        try await fake.changeContact(request)
    }

    package func createInvitation(_ request: InvitationRequest) async throws(ChatAPIError) -> InvitationItem {
        try await fake.createInvitation(request)
    }
}
