// SPDX-License-Identifier: Apache-2.0
package import ChatAPI
import ChatKit
import XMPP

extension LocalChatClient {
    package nonisolated func timeline(account: String?) async throws(ChatAPIError) -> [AccountTimeline] {
        let accounts: [JID]
        if let account {
            accounts = [try await self.account(account)]
        } else {
            accounts = try await asking { () async throws(ChatError) in try await core.accounts().map(\.jid) }
        }
        var timelines: [AccountTimeline] = []
        for account in accounts {
            let timeline = try await asking { () async throws(ChatError) in try core.timeline(of: account) }
            timelines.append(AccountTimeline(account, timeline))
        }
        return timelines
    }

    package nonisolated func trust(_ request: TrustRequest) async throws(ChatAPIError) -> TrustSettings {
        let account = try await account(request.address)
        var settings = try await asking { () async throws(ChatError) in try await core.account(account).settings }
        if request.permitsWeakerLogin == true {
            try await asking { () async throws(ChatError) in try await core.permitWeakerLogin(of: account) }
            settings = try await asking { () async throws(ChatError) in try await core.account(account).settings }
        }
        guard let wanted = request.settings else { return TrustSettings(settings) }
        try wanted.apply(to: &settings)
        let changed = settings
        try await asking { () async throws(ChatError) in try await core.setSettings(changed, of: account) }
        return TrustSettings(changed)
    }

    package nonisolated func diagnose(_ request: DiagnosisRequest) async throws(ChatAPIError) -> Diagnosis {
        let jid = try Self.address(request.address)
        var account = await core.login(of: jid) ?? Account(jid: jid, credentials: Credentials(password: nil))
        if let server = request.server {
            let settings = try Self.settings(server)
            do {
                account = try settings.account(jid, account.credentials)
            } catch {
                throw ChatAPIError(ChatError(error))
            }
        }
        if let password = request.password { account.credentials = .password(password) }
        var examination = ServerExamination(account, core.sessionConfiguration, timeout: request.timeout)
        let checks = await examination.run()
        if Task.isCancelled { throw .cancelled }
        return Diagnosis(address: jid.description, checks: checks)
    }
}
