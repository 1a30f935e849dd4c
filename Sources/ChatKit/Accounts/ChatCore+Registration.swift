// SPDX-License-Identifier: Apache-2.0
public import XMPP

extension ChatCore {
    /// Asks a server what it wants to know before it makes an account (XEP-0077 §3.1); nothing is made or kept.
    ///
    /// - Parameters:
    ///   - jid: The server, or an address to have there.
    ///   - settings: Where to connect and what to trust.
    /// - Throws: ``ChatError`` with the code and the words of `XMPPError`, as `registrationClosed`. Cancelling ends it.
    public func registrationForm(
        _ jid: JID, settings: AccountSettings = AccountSettings()
    ) async throws(ChatError) -> RegistrationForm {
        do {
            let registration = try await openRegistration(jid.domain, settings)
            do {
                let form = try await registration.form()
                await registration.close()
                return form
            } catch {
                await registration.close()
                throw error
            }
        } catch {
            throw ChatError(error)
        }
    }

    /// Asks a server what it wants to know as ``registrationForm(_:settings:)`` does, and stays connected for the answer.
    ///
    /// - Parameters:
    ///   - jid: The server, or an address to have there.
    ///   - settings: Where to connect and what to trust.
    ///   - invitation: The token of an invitation to the server (XEP-0445).
    /// - Throws: ``ChatError`` with the code and the words of `XMPPError`, as `registrationClosed` or
    ///   `invitationInvalid`; nothing stays open then. Cancelling ends it.
    public func beginRegistration(
        _ jid: JID, settings: AccountSettings = AccountSettings(), invitation: String? = nil
    ) async throws(ChatError) -> PendingRegistration {
        do {
            let registration = try await openRegistration(jid.domain, settings)
            do {
                if let invitation { try await registration.present(token: invitation) }
                let form = try await registration.form()
                var pictures: [String: Picture] = [:]
                for field in form.fields where !field.media.isEmpty {
                    guard let name = field.name, pictures.count < 4 else { continue }
                    pictures[name] = try await registration.picture(for: field)
                }
                return PendingRegistration(form: form, pictures: pictures, connection: registration)
            } catch {
                await registration.close()
                throw error
            }
        } catch {
            throw ChatError(error)
        }
    }

    /// Makes an account on its server, then signs in with it and keeps it as ``addAccount(_:password:settings:)`` does.
    ///
    /// - Parameters:
    ///   - jid: The address to have.
    ///   - password: The password.
    ///   - settings: Where and how to connect.
    ///   - fields: Answers to the further fields of the form, by their names.
    ///   - pending: What was begun by ``beginRegistration(_:settings:invitation:)``; it is closed, whatever becomes of it.
    ///     Nil connects anew.
    /// - Throws: ``ChatError``: `accountExists` where the profile has it already; else the code and the words of
    ///   `XMPPError`, as `nameTaken` or `registrationClosed`. When the account was made and the login failed, it exists
    ///   on the server, and the error is that of the login. Cancelling ends the wait.
    @discardableResult
    public func registerAccount(
        _ jid: JID, password: String, settings: AccountSettings = AccountSettings(), fields: [String: String] = [:],
        over pending: PendingRegistration? = nil
    ) async throws(ChatError) -> ChatAccount {
        guard let local = jid.local else {
            await pending?.close()
            throw ChatError(.invalidAddress, "\(jid) is a server; an account looks like name@\(jid.domain)")
        }
        guard runners[jid.bare] == nil else {
            await pending?.close()
            throw ChatError(.accountExists, "the profile has the account \(jid.bare) already")
        }
        var made: JID
        do {
            let registration: InBandRegistration
            if let pending {
                registration = pending.connection
            } else {
                registration = try await openRegistration(jid.domain, settings)
            }
            do {
                made = try await registration.register(username: local, password: password, extra: fields)
            } catch {
                await registration.close()
                throw error
            }
            if let resource = jid.resource { made = try made.with(resource: resource) }
        } catch {
            throw ChatError(error)
        }
        return try await addAccount(made, password: password, settings: settings)
    }

    /// Changes the password of an account on its server (XEP-0077 §3.3), then signs in with the new one.
    ///
    /// - Throws: ``ChatError``: `unknownAccount`, `notConnected`; else the code and the words of `XMPPError`, as
    ///   `passwordNotAcceptable`. When only the new login fails, the server has the new password all the same:
    ///   ``setPassword(_:of:)`` tells the profile.
    public func changePassword(_ password: String, of account: JID) async throws(ChatError) {
        let runner = try runner(account)
        do {
            try await runner.onlineLink(await runner.link).changePassword(to: password)
        } catch {
            throw ChatError(error)
        }
        try await setPassword(password, of: account)
    }

    /// Removes an account from its server with all that is kept there (XEP-0077 §3.2), then from this profile.
    ///
    /// There is no way back.
    ///
    /// - Throws: ``ChatError``: `unknownAccount`, `notConnected`; else why the server refuses, and nothing is removed.
    public func cancelAccount(_ account: JID) async throws(ChatError) {
        let runner = try runner(account)
        do {
            try await runner.onlineLink(await runner.link).removeAccount()
        } catch {
            throw ChatError(error)
        }
        try await removeAccount(account)
    }

    private func openRegistration(
        _ domain: String, _ settings: AccountSettings
    ) async throws -> InBandRegistration {
        let host = try JID(local: nil, domain: domain)
        let account = try settings.account(host, Credentials(password: nil))
        var session = configuration.session
        session.modules = []
        return try await InBandRegistration.open(
            domain: host.domain, server: account.server, trust: account.trust, configuration: session)
    }
}
