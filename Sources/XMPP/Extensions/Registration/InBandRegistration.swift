// SPDX-License-Identifier: Apache-2.0

/// Makes a new account on a server (XEP-0077 §3.1).
///
/// Open a connection, look at the form if there is something to show, and register; then log in with an
/// ``XMPPSession`` of its own.
///
/// ```swift
/// let registration = try await InBandRegistration.open(domain: "example.org")
/// let jid = try await registration.register(username: "ann", password: password)
/// ```
/// After a success nothing more is sent, and the connection is closed; otherwise ``close()`` closes it. Owner of its
/// state: the actor.
public actor InBandRegistration {
    /// So many attempts are made over one connection; servers count them, too.
    public static let maximumAttempts = 5

    private let session: XMPPSession
    private let domain: String
    private let host: JID
    private var current: RegistrationForm?
    private var attempts = 0
    private var isBusy = false
    private var registered: JID?
    private var closed: XMPPError?

    private init(session: XMPPSession, domain: String, host: JID) {
        self.session = session
        self.domain = domain
        self.host = host
    }

    /// Connects to a server, with TLS, and without any account.
    ///
    /// Waits up to 30 seconds. Throws ``XMPPError``: `invalidAddress` when the domain is none, else as
    /// ``XMPPSession/connect()`` does. Cancelling ends the attempt.
    /// - Parameters:
    ///   - domain: The server's name, as it will stand after the `@`.
    ///   - server: Where to connect, nil to find out by DNS.
    ///   - trust: Which certificates are accepted. Defaults to the roots of the system.
    ///   - permitsUnencrypted: Whether a server address without TLS may be used, over which the password goes in clear.
    ///     Defaults to false.
    public static func open(
        domain: String, server: ServerAddress? = nil, trust: Trust = Trust(), permitsUnencrypted: Bool = false
    ) async throws -> InBandRegistration {
        try await open(
            domain: domain, server: server, trust: trust, permitsUnencrypted: permitsUnencrypted,
            configuration: SessionConfiguration(modules: []))
    }

    package static func open(
        domain: String, server: ServerAddress? = nil, trust: Trust = Trust(), permitsUnencrypted: Bool = false,
        configuration: SessionConfiguration
    ) async throws -> InBandRegistration {
        let host: JID
        do throws(JIDError) {
            host = try JID(local: nil, domain: domain)
        } catch { throw XMPPError.invalidAddress(domain, error) }
        guard server?.security != ServerAddress.Security.none || permitsUnencrypted else {
            throw XMPPError(.invalidArgument, "without TLS everybody on the way could read the password")
        }
        var configuration = configuration
        configuration.purpose = .registration
        configuration.reconnect = .never
        configuration.initialPresence = nil
        let session = XMPPSession(
            account: Account(jid: host, credentials: Credentials(password: nil), trust: trust, server: server),
            configuration: configuration)
        try await session.connect()
        return InBandRegistration(session: session, domain: host.domain, host: host)
    }

    /// Asks the server what it wants to know.
    ///
    /// The server's answer counts, whether or not it announces registration. Throws ``XMPPError``: `registrationClosed`
    /// when it makes no accounts this way. Cancelling ends the wait.
    public func form() async throws -> RegistrationForm {
        try begin()
        defer { isBusy = false }
        return try await fetchForm()
    }

    /// The picture that belongs to a question of the form, from the form or else from the server (XEP-0158 §4).
    ///
    /// Nil when there is none that can be shown. Throws ``XMPPError`` when the server cannot be asked. Cancelling ends the
    /// wait.
    public func picture(for field: DataForm.Field) async throws -> Picture? {
        if let picture = current?.picture(for: field) { return picture }
        for cid in RegistrationForm.contentIDs(field) {
            do {
                return try Picture(try await session.smallData(cid, from: host).bytes)
            } catch let error as XMPPError
                where error.stanzaError != nil || error.code == .invalidReply || error.isPictureRefusal
            { continue }
        }
        return nil
    }

    /// Shows the server an invitation, so that it makes an account for its guest (XEP-0445 §4).
    ///
    /// Do it first. Where the server takes no invitations, or not this one, an account may be had without all the same.
    /// Throws ``XMPPError``: `notSupported`; `invitationInvalid` for one that is unknown, used or too old; else as
    /// ``form()``. Cancelling ends the wait.
    /// - Parameter token: The token of the invitation: ``XMPPLink/Action/register(token:)``.
    public func present(token: String) async throws {
        try begin()
        defer { isBusy = false }
        guard await session.streamFeatures.offersTokenRegistration else {
            throw XMPPError(.notSupported, "\(domain) takes no invitations")
        }
        do {
            _ = try await session.set(InvitationToken(token).element, to: host)
        } catch let error as XMPPError {
            guard let refusal = error.stanzaError else { throw error }
            switch refusal.condition {
            case .itemNotFound, .notAcceptable, .forbidden, .notAllowed, .notAuthorized, .gone:
                throw XMPPError(
                    .invitationInvalid, "\(domain) does not take this invitation; it may be used or too old",
                    underlying: refusal)
            default: throw error
            }
        }
        // The form may ask for less now.
        current = nil
    }

    /// Makes the account.
    ///
    /// Gets the form first, if that was not done. Returns the account's address; log in with it now.
    ///
    /// Throws ``XMPPError``: `nameTaken`, `nameNotAcceptable`, `passwordNotAcceptable` or `detailsNotAcceptable`, after
    /// which another attempt may be made over the same connection; `registrationElsewhere` with the web page in its
    /// description; `registrationClosed`, after which none makes sense; `tooManyAttempts` after
    /// ``maximumAttempts``. Cancelling ends the wait; the account may have been made then.
    /// - Parameters:
    ///   - username: What will stand before the `@`.
    ///   - password: The password. It stands in no error, even where the server repeats it.
    ///   - extra: Values of further fields of the form, by their names.
    @discardableResult
    public func register(
        username: String, password: String, extra: [String: String] = [:]
    ) async throws -> JID {
        var values = extra.mapValues { [$0] }
        values["username"] = [username]
        values["password"] = [password]
        return try await submit(values)
    }

    /// Makes the account from values by the names of the form's fields; as ``register(username:password:extra:)``.
    @discardableResult
    public func submit(_ values: [String: [String]]) async throws -> JID {
        try begin()
        defer { isBusy = false }
        var values = values
        let jid: JID
        do throws(JIDError) {
            jid = try JID(local: values["username"]?.first ?? "", domain: domain)
        } catch { throw XMPPError(.nameNotAcceptable, "\(error)", underlying: error) }
        guard let password = try? saslPrep(values["password"]?.first ?? ""), !password.isEmpty else {
            throw XMPPError(
                .passwordNotAcceptable, "the password is empty, or holds characters that no password may have")
        }
        values["username"] = [jid.local ?? ""]
        values["password"] = [password]

        let form: RegistrationForm
        if let current { form = current } else { form = try await fetchForm() }
        if form.isEmpty { throw elsewhere(form) }
        let unanswered = form.unsupportedFields(without: values)
        guard unanswered.isEmpty else {
            throw XMPPError(
                .detailsNotAcceptable,
                "\(domain) asks for something that cannot be shown here: \(unanswered.joined(separator: ", "))")
        }
        let payload = try form.payload(values)
        attempts += 1
        do {
            _ = try await session.set(payload, to: host)
        } catch let error as XMPPError {
            throw await refused(error, values, form)
        }
        registered = jid
        await session.disconnect()
        return jid
    }

    /// Closes the connection; nothing happens to an account that was made.
    public func close() async {
        if closed == nil { closed = XMPPError(.disconnected, "the registration was closed") }
        await session.disconnect()
    }

    private func begin() throws(XMPPError) {
        if let closed { throw closed }
        if let registered { throw XMPPError(.invalidArgument, "\(registered) is registered already; log in with it") }
        guard !isBusy else { throw XMPPError(.invalidArgument, "another attempt is under way") }
        guard attempts < Self.maximumAttempts else {
            throw XMPPError(.tooManyAttempts, "\(attempts) attempts were refused; begin anew, but not at once")
        }
        isBusy = true
    }

    private func fetchForm() async throws -> RegistrationForm {
        let reply: IQ
        do {
            reply = try await session.get(Registration.request, to: host)
        } catch let error as XMPPError {
            throw await refused(error, [:], nil)
        }
        guard let form = RegistrationForm(reply) else {
            throw XMPPError(.invalidReply, "\(domain) answered with something else than a form")
        }
        current = form
        return form
    }

    private func refused(
        _ error: XMPPError, _ values: [String: [String]], _ form: RegistrationForm?
    ) async -> XMPPError {
        let error = XMPPError.registration(
            error, values: values, hasCaptcha: form?.hasCaptcha ?? false, domain: domain)
        if error.code == .registrationClosed {
            closed = error
            await session.disconnect()
        }
        // The answer to a check for people counts once: the next attempt takes a new form.
        if form?.hasCaptcha ?? false { current = nil }
        return error
    }

    private func elsewhere(_ form: RegistrationForm) -> XMPPError {
        let words = form.instructions.joined(separator: " ").prefix(500)
        let place = form.elsewhere.map { " at \($0)" } ?? ""
        return XMPPError(
            .registrationElsewhere,
            "\(domain) makes accounts elsewhere\(place)\(words.isEmpty ? "" : ": \(words)")")
    }
}
