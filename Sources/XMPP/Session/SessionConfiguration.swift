// SPDX-License-Identifier: Apache-2.0
internal import ApusCrypto
package import ApusTransport
internal import Glibc

/// How a session behaves; the defaults suit a chat client.
public struct SessionConfiguration: Sendable {
    /// When to connect again after the connection was lost.
    public var reconnect = ReconnectPolicy()
    /// The longest time from the first look-up to the bound address.
    ///
    /// Defaults to 30 seconds.
    public var loginTimeout: Duration = .seconds(30)
    /// How long a connection may be silent before the server is asked for a sign of life.
    ///
    /// Defaults to 2 minutes.
    public var livenessInterval: Duration = .seconds(120)
    /// How long the answer to that may take.
    ///
    /// Defaults to 20 seconds.
    public var livenessTimeout: Duration = .seconds(20)
    /// The presence sent on each new stream, nil to send none by itself.
    ///
    /// Defaults to available.
    public var initialPresence: Presence? = Presence()
    /// Whether to count and resume (XEP-0198) where the server can.
    ///
    /// Defaults to true.
    public var usesStreamManagement = true
    /// Whether to ask the domain's HTTPS server for a WebSocket when it can be reached in no other way (XEP-0156).
    ///
    /// Defaults to true.
    public var looksForWebSockets = true
    /// Asks the user about a certificate that was refused for its name, its dates, its issuer or a pin; true accepts
    /// exactly this certificate from now on.
    ///
    /// The handshake waits meanwhile, the time for the login does not run, and the thread of the connections is free.
    /// Each certificate is asked about once in the life of a session; the answer yes is told by
    /// ``SessionEvent/certificatePinned(_:)`` so that it can be kept in ``Trust/pinnedCertificates``. Without, every
    /// such certificate is refused.
    public var certificatePrompt: (@Sendable (CertificateRefusal) async -> Bool)?
    /// How long the answer to that may take; later it counts as no for this attempt.
    ///
    /// Defaults to 2 minutes.
    public var certificatePromptTimeout: Duration = .seconds(120)
    /// A log of the stream, redacted; none by default, which costs nothing.
    public var trace: StreamTrace?
    /// The language of texts that say nothing else (`xml:lang`).
    public var language: String?
    /// The extensions that answer requests and announce features.
    public var modules: [any SessionModule]

    /// Whether the login of XEP-0388 is used where the server has it, with a token instead of the password.
    ///
    /// Defaults to true. Without it every login has the steps of RFC 6120.
    public var usesSASL2 = true
    /// Whether what is sure to follow goes out ahead of the server's answer: `<starttls/>`, a login for an offer that
    /// is known, the address.
    ///
    /// Defaults to true. A server that turns out to be another than it was costs a second attempt then.
    public var sendsAhead = true
    /// Whether the program fetches from the archive what came while it was away (XEP-0313), each time a stream is not
    /// resumed.
    ///
    /// The address is then bound together with the login (XEP-0386), one turn earlier; servers drop what they kept for
    /// an account that was offline when that is done, and leave it to the archive. Defaults to false: they deliver it.
    public var readsArchive = false
    /// Whether the server is given a better hash of the password when it asks for one (XEP-0480), over a bound channel.
    ///
    /// Defaults to false: some servers forget the old hash then and offer only logins that need it (ejabberd 24.12 does,
    /// with its default of SHA-1), which locks the account out. Set it for a server that is known to do better.
    public var upgradesPasswords = false

    /// How long a room may be silent before it is asked whether one is still in it (XEP-0410).
    ///
    /// Defaults to 15 minutes.
    public var roomSilence: Duration = .seconds(900)

    package var roomLimits = RoomLimits()
    package var connector: any Connector = TCPConnector()
    package var loop = EventLoop.shared
    package var clock: any LoopClock = EventLoop.shared
    package var randomness: any SessionRandomness = SystemRandomness()
    /// Seconds since 1970, by which tokens expire.
    package var wallClock: @Sendable () -> DateTime = { DateTime(seconds: Int64(time(nil))) }
    package var purpose = NegotiationStateMachine.Configuration.Purpose.login

    /// Makes a configuration with these modules instead of the default ones.
    public init(modules: [any SessionModule] = SessionConfiguration.defaultModules) { self.modules = modules }
}

/// Where a session takes chance from; tests give a seeded one.
package protocol SessionRandomness: Sendable {
    /// A text of at least 122 random bits without characters that need escaping.
    func token() -> String
    /// A number from 0 up to 1.
    func fraction() -> Double
}

extension SessionRandomness {
    /// A version 4 UUID.
    func uuid() -> String { UserAgent.identifier(digest(.sha256, Array((token() + token()).utf8))) }
}
