// SPDX-License-Identifier: Apache-2.0

/// Where a session keeps what must survive: its counters, its unacknowledged stanzas, and their effects.
///
/// A session without a store keeps all of it in memory, which suits a bot. With a store, *handled means durable*: the
/// server is told that a stanza was handled only after ``commit(_:)`` returned, and a stanza of ours is written only
/// after the commit that holds it (XEP-0198 §4).
///
/// Commits come one at a time, in order, with at most 50 received stanzas each.
public protocol SessionStore: Sendable {
    /// Gives what was committed last, nil for an account that never had a session.
    func load() async throws -> StoredSession?

    /// Makes the effects of the received stanzas and the new state durable in one transaction, then returns.
    ///
    /// When it throws, nothing of the commit may be there. The session then stops acknowledging and reading, says so
    /// in an event, and tries the same commit again until it works.
    func commit(_ commit: SessionCommit) async throws

    /// Whether the store itself decides which messages of a lost stream are sent again.
    ///
    /// Defaults to false: the session sends them again on the new stream, with their old ids. When true, a stream that could
    /// not be resumed ends with a commit that says ``SessionCommit/givesBack``; the session then forgets its messages, those
    /// that were not written as well, and takes none until ``XMPPSession/acceptMessages()``.
    var takesMessagesBack: Bool { get }

    /// Whether the stream of before may still be resumed; asked before each connection that would try.
    ///
    /// Resuming sends again what was not acknowledged, so a store that finds it too old says no. Defaults to true.
    func mayResume() async -> Bool
}

extension SessionStore {
    /// The session sends again.
    public var takesMessagesBack: Bool { false }
    /// It may.
    public func mayResume() async -> Bool { true }
}

/// A stanza of ours that the server has not acknowledged yet.
public struct SentStanza: Sendable, Hashable {
    /// Which of the three kinds it is.
    public enum Kind: String, Sendable, Hashable {
        /// A message: sent again when a session could not be resumed.
        case message
        /// A presence: never sent again on another stream.
        case presence
        /// An info/query: never sent again on another stream.
        case iq
    }

    /// Its place among all stanzas of this account, counting from 1, across streams and restarts.
    public var sequence: UInt64
    /// Which of the three kinds it is.
    public var kind: Kind
    /// Its `id`.
    public var id: String?
    /// The stanza as it goes to the server.
    public var bytes: [UInt8]

    /// Makes a record of a sent stanza.
    public init(sequence: UInt64, kind: Kind, id: String?, bytes: [UInt8]) {
        self.sequence = sequence
        self.kind = kind
        self.id = id
        self.bytes = bytes
    }
}

/// The counters of a session (XEP-0198): small, and replaced as a whole by each commit.
public struct SessionState: Sendable, Hashable {
    /// The id by which the stream can be resumed, nil when it cannot.
    public var streamID: String?
    /// The address that is bound.
    public var boundJID: JID?
    /// Where the server would like to be resumed.
    public var location: String?
    /// Stanzas of the server that were handled on this stream, modulo 2³².
    public var received: UInt32
    /// Stanzas of ours on this stream, modulo 2³².
    public var sentOnStream: UInt32
    /// Stanzas of ours that the server handled on this stream, modulo 2³².
    public var acknowledgedOnStream: UInt32
    /// The sequence number that the next stanza gets.
    public var nextSequence: UInt64

    /// Makes a state; by default the one before any session.
    public init(
        streamID: String? = nil, boundJID: JID? = nil, location: String? = nil, received: UInt32 = 0,
        sentOnStream: UInt32 = 0, acknowledgedOnStream: UInt32 = 0, nextSequence: UInt64 = 1
    ) {
        self.streamID = streamID
        self.boundJID = boundJID
        self.location = location
        self.received = received
        self.sentOnStream = sentOnStream
        self.acknowledgedOnStream = acknowledgedOnStream
        self.nextSequence = nextSequence
    }
}

/// What a store gives back after a restart.
public struct StoredSession: Sendable, Hashable {
    /// The counters.
    public var state: SessionState
    /// The stanzas that the server did not acknowledge, by sequence number.
    public var unacknowledged: [SentStanza]

    /// Makes a stored session.
    public init(state: SessionState, unacknowledged: [SentStanza]) {
        self.state = state
        self.unacknowledged = unacknowledged
    }
}

/// What becomes durable together.
public struct SessionCommit: Sendable {
    /// What is known of the messages that a lost stream left behind.
    public enum LeftMessages: Sendable, Hashable {
        /// The server said how many it handled (XEP-0198 §5): these it did not.
        case notHandled
        /// Nobody knows: each was handled, or was not.
        case unknown
    }

    /// Stanzas of the server, in order; their effects belong into this transaction.
    public var received: [Stanza]
    /// Stanzas of ours that are written once this commit is durable, in order.
    public var sent: [SentStanza]
    /// All stanzas of ours up to this sequence number were handled by the server; nil when nothing is new.
    ///
    /// On a stream without acknowledgements (XEP-0198) they were given to the network: nobody can know more.
    public var acknowledgedThrough: UInt64?
    /// Sequence numbers that will not be sent after all, with the reason.
    public var dropped: [UInt64: XMPPError]
    /// A stream begins that does not continue the one before, and the messages which that one wrote, and which are not
    /// covered by ``acknowledgedThrough``, are the store's again; nil for any other commit.
    public var givesBack: LeftMessages?
    /// The counters after all of that.
    public var state: SessionState

    /// Makes a commit.
    public init(
        received: [Stanza] = [], sent: [SentStanza] = [], acknowledgedThrough: UInt64? = nil,
        dropped: [UInt64: XMPPError] = [:], givesBack: LeftMessages? = nil, state: SessionState
    ) {
        self.received = received
        self.sent = sent
        self.acknowledgedThrough = acknowledgedThrough
        self.dropped = dropped
        self.givesBack = givesBack
        self.state = state
    }
}
