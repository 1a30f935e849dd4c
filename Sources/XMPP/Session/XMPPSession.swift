// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport

/// One account's connection to its server: it logs in, stays connected, and carries stanzas both ways.
///
/// The session runs on an event-loop thread that many sessions share; reading, parsing, deciding and writing happen
/// there without a hop per stanza. Application code runs elsewhere: what it reads comes through ``Subscription``s,
/// and ``send(_:)-(Message)`` serialises on the caller's thread. A session keeps itself alive between ``connect()`` and
/// ``disconnect()``.
///
/// Owner of all its mutable state: the actor itself, on the loop's thread; what senders and readers share has locks.
public actor XMPPSession {
    enum Phase {
        case idle
        case connecting
        case online
        case waiting
        case disconnecting
    }

    /// Why nothing is read from the server for now.
    struct Pauses: OptionSet {
        let rawValue: Int
        static let reader = Pauses(rawValue: 1)
        static let store = Pauses(rawValue: 2)
    }

    nonisolated let loop: EventLoop
    nonisolated let sends: SendQueue
    nonisolated let messagePublisher: Publisher<Message>
    nonisolated let presencePublisher: Publisher<Presence>
    nonisolated let eventPublisher: Publisher<SessionEvent>
    nonisolated let bridge: SessionBridge
    nonisolated let inboxes = SessionInboxes()
    nonisolated let roomBook = RoomBook()
    /// The room that spoke last.
    var lastRoom: RoomCore?
    /// The extensions of this session.
    public nonisolated let modules: [any SessionModule]
    /// The features that service discovery announces: those of all modules, sorted.
    public nonisolated let features: [String]
    nonisolated let store: (any SessionStore)?
    /// What each presence that says one is available carries.
    nonisolated let presencePayloads: [Element]
    nonisolated let certificatePrompter: CertificatePrompter?

    let configuration: SessionConfiguration
    var account: Account
    var phase = Phase.idle
    var driver: Task<Void, Never>?
    var attempt = 0
    /// ``disconnect()`` is under way: the stream may still be up, and its end is no reason to connect again.
    var isLeaving = false

    // The stream
    var channel: (any ByteChannel)?
    var parser = XMLStreamParser(limits: .beforeLogin)
    var decoder = StanzaDecoder()
    var negotiation: NegotiationStateMachine?
    var control = XMLWriter()
    var kept: [Element] = []
    var boundJID: JID?
    var streamFeatures = StreamFeatures()
    var login = NegotiationStateMachine.LoginSummary()
    /// What logins taught, and what of that was announced.
    var memory: LoginMemory
    var announcedMemory: LoginMemory
    /// Something sent ahead was the end of a stream: the next one waits for each answer.
    var isPatient = false
    /// The server cannot be trusted with anything ahead of its answers at all.
    var chokes = false
    /// The server could not do the upgrade that it offered (XEP-0480).
    var permitsUpgrade = true
    var invalidatesToken = false
    var inlineFeatures: [String] = []
    /// The stream came up before its features did.
    var awaitsFeatures = false
    /// TLS sessions of this account that can be taken up again.
    let tickets = TLSTickets()
    let isAnonymous: Bool
    /// It speaks for a domain instead of an account (XEP-0114).
    let isComponent: Bool
    var isUnauthenticated = false
    var endOfStream: CheckedContinuation<XMPPError, Never>?
    var onlineSince: MonotonicTime?
    /// Where the streams of this attempt are looked for.
    var redirects = RedirectStateMachine()
    /// The stream that ended was inside TLS, so whatever it said came from the server.
    var endedInsideTLS = false
    /// Where the last stream was.
    var lastEndpoint: Endpoint?
    /// A certificate was accepted by the user since the attempt began.
    var hasFreshPin = false
    var isPumping = false
    var pauses: Pauses = []
    /// So many messages a full reader gets all the same.
    var leniency = 0

    // Stream management, store
    var management = StreamManagementStateMachine()
    var outgoing = XMLWriter()
    var outgoingEntries: [SendQueue.Entry] = []
    var answerDue = false
    var commits = CommitPipeline()
    /// Whoever makes the server close the stream is found by sending one stanza at a time.
    var suspicion = SuspicionStateMachine()
    /// The stream continues none, and was lost before anybody heard of it.
    var isUnannounced = false
    /// The stream ended so that a new one begins at once.
    var beginsAnew = false
    /// The stream was set up by an earlier run of the program, which may not have come to the end of it.
    var isOfEarlierRun = false
    /// Whether the server was told on this stream how available we are.
    var presenceNews = PresenceNews.untold

    // Dispatch
    var messageBatch: [Message] = []
    var presenceBatch: [Presence] = []
    var messageHandlers: [@Sendable (Message) -> Void] = []
    var presenceHandlers: [@Sendable (Presence) -> Void] = []
    var requestHandlers: [XMLName: any SessionModule] = [:]
    var answersUnderWay = 0
    var tracker = IQTracker<PendingRequest>()
    var onlineWaiters: [CheckedContinuation<Void, any Error>] = []
    var presence: Presence?
    /// Somebody looks at this client, and what the server was told about that on this stream.
    var isActive = true
    var toldActive = true
    /// Bytes that arrived, after decryption.
    package internal(set) var receivedBytes: UInt64 = 0

    // Time
    var liveness: LivenessStateMachine?
    var livenessTimer: (any LoopTimer)?
    var livenessDue = MonotonicTime(nanoseconds: .max)
    var loginTimer: (any LoopTimer)?
    var commitTimer: (any LoopTimer)?
    /// Opens when the wait before the next attempt is to end.
    var retryGate: WakeGate?
    /// Opens when the wait before the next try of a failed commit is to end.
    var commitGate: WakeGate?
    /// Opens when something happens that ``disconnect()`` waits for.
    var progressGate: WakeGate?

    /// How many received stanzas were dropped because they broke the protocol.
    public internal(set) var droppedStanzas = 0

    /// Runs on the event loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Prepares a session; nothing is connected yet.
    ///
    /// With a store, counters and unacknowledged stanzas survive a restart of the program; without, they live as
    /// long as the session.
    public init(
        account: Account, configuration: SessionConfiguration = SessionConfiguration(),
        store: (any SessionStore)? = nil
    ) {
        self.account = account
        memory = account.memory
        memory.enter(account.jid.asciiDomain)
        announcedMemory = account.memory
        isAnonymous = account.jid.local == nil
        self.configuration = configuration
        self.store = store
        loop = configuration.loop
        modules = configuration.modules
        let features = Set(configuration.modules.flatMap(\.features)).sorted()
        self.features = features
        presencePayloads = configuration.modules.flatMap { $0.presencePayloads(features: features) }
        presence = configuration.initialPresence
        let isComponent = configuration.purpose == .component
        self.isComponent = isComponent
        if isComponent { parser.read(ComponentStream.namespace, as: Namespace.client) }
        let bridge = SessionBridge()
        self.bridge = bridge
        certificatePrompter = CertificatePrompter(configuration, bridge)
        let wake: @Sendable () -> Void = { [loop] in loop.requestTurn(for: bridge) }
        sends = SendQueue(wake: wake)
        messagePublisher = Publisher(onRoom: wake)
        presencePublisher = Publisher(merge: XMPPSession.mergePresence, onRoom: wake)
        eventPublisher = Publisher(merge: { _, _ in false })
        for module in modules {
            for name in module.requests { requestHandlers[name] = module }
            if let handler = module.presenceHandler { presenceHandlers.append(handler) }
            guard let handler = module.messageHandler else { continue }
            messageHandlers.append { [sends] message in
                // Whoever sends faster than the server takes our answers gets none.
                guard !sends.isOverHighWater, var answer = handler(message) else { return }
                if isComponent, answer.from == nil { answer.from = message.to }
                _ = try? sends.append(.message, id: answer.id) { [answer] writer throws(XMLError) in
                    try answer.write(to: &writer)
                }
            }
        }
        bridge.session.withLock { $0.session = self }
    }
}

extension XMPPSession {
    /// The address that is bound, nil before the first login.
    public var jid: JID? { boundJID }

    /// Whether stanzas flow now.
    public var isOnline: Bool {
        if case .online = phase { return !isUnauthenticated }
        return false
    }

    /// The keys that the last login derived, to be stored in the place of the password; nil after PLAIN.
    public var derivedKeys: SCRAMKeys? { login.keys }

    /// Whether the last login was bound to its TLS channel; ``loginMemory`` keeps that for the next ones.
    public var isBoundToChannel: Bool { login.isBoundToChannel }

    /// What the logins so far taught, to be kept in ``Account/memory`` where nobody else can read it.
    ///
    /// ``SessionEvent/loginMemoryChanged`` says when there is something new.
    public var loginMemory: LoginMemory { memory }

    /// Whether a feature was switched on together with the address (XEP-0386).
    public func isSwitchedOn(_ feature: String) -> Bool { inlineFeatures.contains(feature) }

    /// Whether the server keeps versions of the roster (RFC 6121 §2.6).
    public var offersRosterVersioning: Bool { streamFeatures.offersRosterVersioning }

    /// Messages from now on, errors included, complete when taken before ``connect()``.
    public nonisolated func messages() -> Subscription<Message> { messagePublisher.subscribe() }

    /// Presences from now on.
    ///
    /// A slow reader gets the latest of each address instead of all.
    public nonisolated func presences() -> Subscription<Presence> { presencePublisher.subscribe() }

    /// What happens to the session from now on.
    public nonisolated func events() -> Subscription<SessionEvent> { eventPublisher.subscribe() }

    /// Calls `handler` for each message on the stream's own thread, before any subscription has it.
    ///
    /// The fastest way to react, for those who keep the promise: the handler must not block, and whatever it does
    /// holds up every session of this thread. ``post(_:)-(Message)`` may be called from it.
    public func handleMessages(_ handler: @escaping @Sendable (Message) -> Void) { messageHandlers.append(handler) }

    static func mergePresence(_ waiting: inout [Presence], _ new: Presence) -> Bool {
        guard new.kind == .available || new.kind == .unavailable,
            let index = waiting.lastIndex(where: {
                $0.from == new.from && ($0.kind == .available || $0.kind == .unavailable)
            })
        else { return false }
        waiting[index] = new
        return true
    }
}
