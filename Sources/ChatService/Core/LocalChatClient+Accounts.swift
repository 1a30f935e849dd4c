// SPDX-License-Identifier: Apache-2.0
package import ChatAPI
import ChatKit
import XMPP

extension LocalChatClient {
    package nonisolated func addAccount(_ request: AddAccountRequest) async throws(ChatAPIError) -> AccountSummary {
        let (jid, settings) = try Self.settings(request)
        let core = core
        let expired = ChatAPIError(
            .timeout, "\(jid.bare) did not get online in time", hint: "check host and port, or give it longer",
            isRetryable: true)
        return try await Self.within(request.timeout, expired) { () async throws(ChatError) in
            AccountSummary(try await core.addAccount(jid, password: request.password, settings: settings))
        }
    }

    package nonisolated func registrationForm(
        _ request: AddAccountRequest
    ) async throws(ChatAPIError) -> ChatAPI.RegistrationForm {
        throw ChatAPIError(.unsupported, "registration is not built in yet")
    }

    package nonisolated func registerAccount(
        _ request: RegisterAccountRequest
    ) async throws(ChatAPIError) -> AccountSummary {
        throw ChatAPIError(.unsupported, "registration is not built in yet")
    }

    package nonisolated func removeAccount(_ request: RemoveAccountRequest) async throws(ChatAPIError) {
        let account = try await account(request.address)
        try await asking { () async throws(ChatError) in try await core.removeAccount(account) }
    }

    package nonisolated func changePassword(_ request: ChangePasswordRequest) async throws(ChatAPIError) {
        let account = try await account(request.address)
        try await asking { () async throws(ChatError) in try await core.setPassword(request.password, of: account) }
    }

    static func settings(_ request: AddAccountRequest) throws(ChatAPIError) -> (JID, AccountSettings) {
        let jid: JID
        do throws(JIDError) {
            jid = try JID(request.address)
        } catch {
            throw ChatAPIError(
                .invalidArgument, "\"\(request.address)\" is not an address: \(error)",
                hint: "write it as name@example.org")
        }
        var settings = AccountSettings()
        settings.host = request.server.host
        settings.port = request.server.port
        settings.usesDirectTLS = request.server.usesDirectTLS
        settings.authorityFiles = request.server.authorityFile.map { [$0] } ?? []
        settings.allowsPlain = request.server.allowsPlain
        return (jid, settings)
    }
}
