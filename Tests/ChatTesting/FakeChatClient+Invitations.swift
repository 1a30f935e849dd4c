// SPDX-License-Identifier: Apache-2.0
package import ChatAPI

extension FakeChatClient {
    package func setEnabled(_ request: EnableRequest) async throws(ChatAPIError) -> AccountSummary {
        try note("setEnabled \(request.address) \(request.isEnabled)")
        return AccountSummary(address: request.address, isEnabled: request.isEnabled)
    }

    package func changeContact(_ request: ContactRequest) async throws(ChatAPIError) -> ContactSummary {
        try note("changeContact \(request.address) \(request.name ?? "-") \(request.groups.joined(separator: ","))")
        return ContactSummary(
            account: request.account ?? "ana@example.org", address: request.address, name: request.name,
            groups: request.groups)
    }

    package func createInvitation(_ request: InvitationRequest) async throws(ChatAPIError) -> InvitationItem {
        try note("createInvitation \(request.kind.rawValue)")
        return InvitationItem(
            account: request.account ?? "ana@example.org", link: "xmpp:ana@example.org?roster;preauth=T",
            page: "https://example.org/i", expires: Timestamp(milliseconds: 1_700_000_000_000), isGranted: true)
    }
}
