// SPDX-License-Identifier: Apache-2.0

/// What happens to a session, for the people who watch it.
public enum SessionEvent: Sendable, Equatable {
    /// An attempt begins; the first is number 1.
    case connecting(attempt: Int)
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
