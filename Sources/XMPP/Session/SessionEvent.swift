// SPDX-License-Identifier: Apache-2.0

/// What happens to a session, for the people who watch it.
public enum SessionEvent: Sendable, Equatable {
    /// An attempt begins; the first is number 1.
    case connecting(attempt: Int)
    /// These places will be tried, in this order. `areFound` when the domain's service records (SRV) name them; else
    /// they were given by hand, or the domain itself is tried because it has no such records.
    case resolved([ConnectionTarget], areFound: Bool)
    /// No address was found for that host; the reason when its name could not be looked up.
    case noAddress(host: String, String?)
    /// One of the places did not work; the others are still tried.
    case targetFailed(ConnectionTarget, XMPPError)
    /// One of the places took the connection; the text is its network address.
    case connected(ConnectionTarget, address: String)
    /// What the certificate says that was accepted.
    case verified(ServerCertificate)
    /// The user accepted exactly this certificate, see ``SessionConfiguration/certificatePrompt``.
    case certificatePinned(ServerCertificate)
    /// What the server offers at this point of the stream.
    case offered(StreamOffer)
    /// TLS is up and the certificate was accepted.
    case secured(version: String, cipher: String)
    /// The login was accepted.
    case authenticated(mechanism: String, isBoundToChannel: Bool)
    /// Stanzas flow. When `isResumed`, the session of before goes on: nothing was lost, presence and roster are as they were.
    case online(JID, isResumed: Bool)
    /// ``XMPPSession/loginMemory`` changed and should be kept with the account.
    case loginMemoryChanged
    /// The connection was lost or could not be made; the next attempt follows after the span.
    case interrupted(XMPPError, retryIn: Duration)
    /// The session is over; nil when ``XMPPSession/disconnect()`` ended it.
    case ended(XMPPError?)
    /// A subscription is full: nothing more is read from the server until its reader catches up.
    case readingPaused
    /// The reader caught up.
    case readingResumed
    /// The store failed; nothing is acknowledged or read until the same commit works.
    case storeFailed(String)
    /// The store works again.
    case storeRecovered
    /// Stanzas that a failed resumption left behind and that are not sent again.
    case dropped(count: Int)
    /// A stanza that makes the server close the stream each time was given up.
    case undeliverable(id: String?, XMPPError)
}
