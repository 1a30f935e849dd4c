// SPDX-License-Identifier: Apache-2.0

/// A part of a server that is a program of its own: everything to an address in its domain comes to it, and it speaks for
/// all of them (XEP-0114).
///
/// ```swift
/// let server = ServerAddress(host: "127.0.0.1", port: 5347, security: .none)
/// let component = try ComponentSession("bridge.example.org", secret: secret, server: server)
/// let incoming = component.messages()
/// try await component.connect()
/// for try await message in incoming {
///     try await component.send(.chat(to: message.from, "this is \(message.to?.description ?? "nobody")"))
/// }
/// ```
/// It reconnects as a client does. What a stanza lacks in `from` is the component itself; the server refuses addresses
/// outside of its domain. There is no acknowledgement of stanzas: what is on its way when the connection is lost is lost.
/// Owner of its state: the session inside.
public struct ComponentSession: Sendable {
    /// The address of the component.
    public let jid: JID
    /// The session that carries the stanzas, for calls as ``XMPPSession/discoverInfo(of:node:)``.
    public let session: XMPPSession

    /// The modules that a component has unless it is given others: what it is, pings, its version, the time.
    public static var defaultModules: [any SessionModule] {
        [
            DiscoModule(
                identities: [DiscoIdentity(category: "component", type: "generic", name: "Apus")], node: nil),
            PingModule(), VersionModule(), EntityTimeModule(),
        ]
    }

    /// Prepares a component; nothing is connected yet.
    ///
    /// Throws `JIDError` when the domain is none.
    /// - Parameters:
    ///   - domain: Its domain, as the server knows it.
    ///   - secret: What both know.
    ///   - server: Where the server takes components. Most do so without encryption, so it should be on this machine or on a
    ///     network of its own: give ``ServerAddress/Security/none`` then, or `directTLS` where there is TLS.
    ///   - trust: Which certificates are accepted with TLS.
    ///   - configuration: How it behaves; presence, stream management and the steps of a login have no part in it.
    public init(
        _ domain: String, secret: String, server: ServerAddress, trust: Trust = Trust(),
        configuration: SessionConfiguration = SessionConfiguration(modules: ComponentSession.defaultModules)
    ) throws(JIDError) {
        jid = try JID(local: nil, domain: domain)
        var configuration = configuration
        configuration.purpose = .component
        configuration.initialPresence = nil
        configuration.usesStreamManagement = false
        configuration.sendsAhead = false
        configuration.looksForWebSockets = false
        session = XMPPSession(
            account: Account(jid: jid, credentials: .password(secret), trust: trust, server: server),
            configuration: configuration)
    }

    /// Connects, as ``XMPPSession/connect()`` does.
    ///
    /// A wrong secret is `notAuthorized`.
    public func connect() async throws { try await session.connect() }

    /// Ends the session in good order, as ``XMPPSession/disconnect()`` does.
    public func disconnect() async { await session.disconnect() }

    /// Messages to all addresses of the domain from now on.
    public func messages() -> Subscription<Message> { session.messages() }

    /// Presences to all addresses of the domain from now on; a slow reader gets the latest of each sender.
    public func presences() -> Subscription<Presence> { session.presences() }

    /// What happens to the session from now on.
    public func events() -> Subscription<SessionEvent> { session.events() }

    /// Sends a message, from the component itself unless it says otherwise.
    ///
    /// Waits and throws as ``XMPPSession/send(_:)-(Message)``.
    @discardableResult
    public func send(_ message: Message) async throws(XMPPError) -> SendTicket {
        var message = message
        if message.from == nil { message.from = jid }
        return try await session.send(message)
    }

    /// Sends a presence, from the component itself unless it says otherwise.
    ///
    /// Waits and throws as ``XMPPSession/send(_:)-(Presence)``.
    @discardableResult
    public func send(_ presence: Presence) async throws(XMPPError) -> SendTicket {
        var presence = presence
        if presence.from == nil { presence.from = jid }
        return try await session.send(presence)
    }

    /// Sends a request, from the component itself unless it says otherwise, and waits for its answer.
    ///
    /// Throws and is cancelled as ``XMPPSession/request(_:timeout:)``.
    public func request(_ iq: IQ, timeout: Duration = .seconds(30)) async throws -> IQ {
        try await session.request(iq, timeout: timeout)
    }
}
