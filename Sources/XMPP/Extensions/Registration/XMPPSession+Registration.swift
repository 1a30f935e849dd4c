// SPDX-License-Identifier: Apache-2.0

extension XMPPSession {
    /// Changes the password of the account (XEP-0077 §3.3).
    ///
    /// Waits until the server confirms; from then on the session logs in with the new one. Keys that were derived from
    /// the old one (``derivedKeys``) are void: store new ones after the next login.
    ///
    /// Throws ``XMPPError``: `passwordNotAcceptable`, `registrationClosed` when the server lets nobody change
    /// passwords this way, `invalidArgument` when the connection has no TLS. The password stands in none. When the
    /// connection ends before the answer, or the task is cancelled, it is not known which one is valid.
    public func changePassword(to password: String) async throws {
        guard let local = boundJID?.local else { throw XMPPError.offline }
        guard account.server?.security != ServerAddress.Security.none || account.permitsPlain else {
            throw XMPPError(.invalidArgument, "without TLS everybody on the way could read the password")
        }
        guard let prepared = try? saslPrep(password), !prepared.isEmpty else {
            throw XMPPError(
                .passwordNotAcceptable, "the password is empty, or holds characters that no password may have")
        }
        do {
            // Another name than one's own would make a new account on some servers: exactly the bound one.
            _ = try await set(Registration.passwordChange(username: local, password: prepared))
        } catch let error as XMPPError {
            throw Self.passwordRefusal(error, prepared, account.jid.domain)
        }
        account.credentials = .password(password)
        memory.forgetToken()
        announceMemory()
        login.keys = nil
    }

    private static func passwordRefusal(_ error: XMPPError, _ password: String, _ domain: String) -> XMPPError {
        let error = XMPPError.registration(
            error, values: ["password": [password]], hasCaptcha: false, domain: domain)
        switch error.code {
        case .registrationClosed:
            return XMPPError(
                error.code, "\(domain) lets nobody change the password this way; ask whoever runs it",
                underlying: error.underlying)
        case .detailsNotAcceptable, .nameNotAcceptable, .nameTaken:
            return XMPPError(
                .passwordNotAcceptable, "\(domain) does not take this password", underlying: error.underlying)
        default: return error
        }
    }

    /// Removes the account and all that the server keeps for it, and ends the session (XEP-0077 §3.2).
    ///
    /// Returns when the server has confirmed; it closes all connections of the account then, which is no error. There is
    /// no way back.
    ///
    /// Throws ``XMPPError`` when the server refuses, and the session goes on; and when the connection ends before the
    /// answer: then a login shows whether the account is still there. Cancelling ends the wait, not the removal.
    public func removeAccount() async throws {
        do {
            _ = try await request(IQ(.set, payload: Registration.removal), endsSession: true)
        } catch let error as XMPPError {
            throw XMPPError.removal(error, account.jid.domain)
        }
        await disconnect()
    }

    /// Cancels the registration with another service, as a gateway (XEP-0077 §3.2).
    ///
    /// Throws ``XMPPError``: `invalidArgument` for one's own account or server, which this would remove:
    /// ``removeAccount()`` does that. Cancelling ends the wait.
    public func cancelRegistration(with service: JID) async throws {
        guard let own = boundJID else { throw XMPPError.offline }
        guard service.domain != own.domain else {
            throw XMPPError(.invalidArgument, "\(service) is your own server; this would remove your account")
        }
        _ = try await set(Registration.removal, to: service)
    }
}

extension XMPPError {
    fileprivate static func removal(_ error: XMPPError, _ domain: String) -> XMPPError {
        switch error.stanzaError?.condition {
        case .forbidden, .notAllowed, .serviceUnavailable, .featureNotImplemented:
            XMPPError(
                .registrationClosed, "\(domain) lets nobody remove an account this way; ask whoever runs it",
                underlying: error.underlying)
        default: error
        }
    }
}
