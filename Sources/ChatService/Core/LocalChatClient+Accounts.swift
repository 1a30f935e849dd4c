// SPDX-License-Identifier: Apache-2.0
package import ChatAPI
import ChatKit
import XMPP

extension LocalChatClient {
    package nonisolated func addAccount(_ request: AddAccountRequest) async throws(ChatAPIError) -> AccountSummary {
        let (jid, settings) = try Self.settings(request)
        let core = core
        return try await Self.within(request.timeout, Self.noAnswer(jid)) { () async throws(ChatError) in
            try await core.addAccount(jid, password: request.password, settings: settings)
            return try await Self.settle(jid, core)
        }
    }

    package nonisolated func registrationForm(
        _ request: AddAccountRequest
    ) async throws(ChatAPIError) -> ChatAPI.RegistrationForm {
        let (jid, settings) = try Self.settings(request)
        let core = core
        let pending = try await Self.within(request.timeout, Self.noAnswer(jid)) { () async throws(ChatError) in
            try await core.beginRegistration(jid, settings: settings, invitation: request.invitation)
        }
        var form = ChatAPI.RegistrationForm(pending.form, pictures: pending.pictures)
        if pending.form.hasCaptcha || request.invitation != nil {
            form.id = await registrations.keep(pending)
        } else {
            await pending.close()
        }
        return form
    }

    package nonisolated func registerAccount(
        _ request: RegisterAccountRequest
    ) async throws(ChatAPIError) -> AccountSummary {
        let (jid, settings) = try Self.settings(request.account)
        let core = core
        var kept: PendingRegistration?
        if let form = request.form {
            kept = await registrations.take(form)
            guard kept != nil else {
                throw ChatAPIError(
                    .notFound, "the server does not wait for this form any more", hint: "ask for it again")
            }
        }
        let pending = kept
        return try await Self.within(request.account.timeout, Self.noAnswer(jid)) { () async throws(ChatError) in
            try await core.registerAccount(
                jid, password: request.account.password, settings: settings, fields: request.fields, over: pending)
            return try await Self.settle(jid, core)
        }
    }

    package nonisolated func removeAccount(_ request: RemoveAccountRequest) async throws(ChatAPIError) {
        let account = try await account(request.address)
        try await asking { () async throws(ChatError) in
            if request.deletesOnServer {
                try await core.cancelAccount(account)
            } else {
                try await core.removeAccount(account)
            }
        }
    }

    package nonisolated func changePassword(_ request: ChangePasswordRequest) async throws(ChatAPIError) {
        let account = try await account(request.address)
        try await asking { () async throws(ChatError) in
            if let keepsPassword = request.keepsPassword {
                var settings = try await core.account(account).settings
                settings.keepsPassword = keepsPassword
                try await core.setSettings(settings, of: account)
            }
            if request.changesOnServer {
                try await core.changePassword(request.password, of: account)
            } else {
                try await core.setPassword(request.password, of: account)
            }
        }
    }

    /// Whoever was asked by us and asks back needs no second answer; strangers wait in the inbox.
    private static func settle(_ jid: JID, _ core: ChatCore) async throws(ChatError) -> AccountSummary {
        try await core.setSubscriptionPolicy(.acceptKnown, account: jid.bare)
        var summary = AccountSummary(try await core.account(jid))
        if try await !core.logsInByItself(jid) { summary.logsInByItself = false }
        return summary
    }

    private static func noAnswer(_ jid: JID) -> ChatAPIError {
        ChatAPIError(
            .timeout, "\(jid.domain) did not answer in time", hint: "check host and port, or give it longer",
            isRetryable: true)
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
        var settings = try settings(request.server)
        settings.keepsPassword = request.keepsPassword ?? false
        return (jid, settings)
    }

    static func settings(_ server: ServerSettings) throws(ChatAPIError) -> AccountSettings {
        var settings = AccountSettings()
        settings.host = server.host
        settings.port = server.port
        settings.usesDirectTLS = server.usesDirectTLS
        settings.webSocket = server.webSocket
        settings.proxy = server.proxy.map {
            ProxySettings(url: $0, user: server.proxyUser, password: server.proxyPassword)
        }
        settings.authorityFiles = server.authorityFile.map { [$0] } ?? []
        settings.allowsPlain = server.allowsPlain
        settings.pinnedCertificates = try TrustSettings.digests(server.pinnedCertificate.map { [$0] } ?? [])
        settings.clientCertificateFile = server.clientCertificateFile
        settings.clientKeyFile = server.clientKeyFile
        return settings
    }
}
