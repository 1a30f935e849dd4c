// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import ApusTransport
package import XMPP
internal import struct Foundation.Date

/// Keeps one account connected: watches its session, sends its outbox, and sets up each new stream.
///
/// Owner of the session and of what is known of its connection: the actor itself. What others may read at any time
/// is copied into `shared`.
package actor AccountRunner {
    /// What every thread may look at.
    package struct Shared: Sendable {
        package var connection: ConnectionState
        package var storageError: ChatError?
        package var timeline = ConnectionTimeline()
    }

    package let account: Int64
    package let jid: JID
    let store: ChatStore
    let presenceBook: PresenceBook
    let typingBook: TypingBook
    let roomStates: RoomStates
    let roomActivities: RoomActivityBook
    nonisolated let shared: Locked<Shared>
    private let makeLink: @Sendable (AccountSessionStore) async throws -> any SessionLink
    private let onLogin: @Sendable (JID, LoginResult) async -> Void
    private let onPin: @Sendable (JID, ServerCertificate) async -> Void

    var link: (any SessionLink)?
    private var watcher: Task<Void, Never>?
    private var presence: Presence
    private var isActive = true
    var sessionStore: AccountSessionStore?
    /// What the session that runs was given of the outbox.
    nonisolated let handover = Handover()
    /// Counts the streams of this session that did not continue another one.
    private(set) var streamNumber = 0
    /// The session's first stream was set up.
    private var isSetUp = false
    private var isPumping = false
    private var wantsPump = false
    /// Whether the server has an archive; nil when it was not asked.
    var offersArchive: Bool?
    /// The archive has not been gone through since the last stream that continued none.
    var needsCatchUp = true
    var isCatchingUp = false
    var wantsCatchUp = false
    /// Waits to ask an archive again that refused for the moment, and how long the next such wait is.
    var catchUpTimer: Task<Void, Never>?
    var catchUpWait = AccountRunner.firstCatchUpWait
    static let firstCatchUpWait: Duration = .seconds(5)
    /// What lies right before the anchor is still to be looked at on this stream.
    var looksBack = true
    /// Since when the archive has given nothing, though the server has one.
    var archiveFailsSince: Int64?
    /// What learns of the archive of this stream, for all who need it.
    var archiveStart: Task<Void, Never>?
    /// What was written on a server that does not count, up to which it is to be proven.
    var unproven: UInt64 = 0
    var isProving = false
    /// The server cannot keep what was read to the account alone, so nothing is told.
    var keepsReadingHere = false
    var isPublishingDisplayed = false
    var wantsPublishDisplayed = false
    /// What the other devices were told a second time, by conversation.
    var toldAgain: [Int64: Int64] = [:]
    var isFetchingPictures = false
    let pictures: PictureFolder?
    /// What is needed for files; nil where there are none.
    let files: FileServices?
    var isUploading = false
    var wantsUploads = false
    var isDownloading = false
    var wantsDownloads = false
    /// The file that is being uploaded.
    var runningUpload: (file: Int64, message: Int64, task: Task<String, any Error>)?
    /// The files that are being fetched.
    var downloads: [Int64: Download] = [:]
    var nextAsker = 0
    /// The profile is being closed: what ends now goes on when it is opened again.
    var isClosing = false
    var fileTimer: Task<Void, Never>?
    /// What became of a file could not be written down, as on a full disk: it is looked at again soon.
    var hasFileTrouble = false
    private var newsWatcher: Task<Void, Never>?
    var roomWatchers: [JID: Task<Void, Never>] = [:]
    /// Rooms about which the user decided on this stream: a list that was asked for before says nothing about them.
    var decidedRooms: Set<JID> = []
    /// Rooms whose archives are to be gone through, and those that are being.
    var roomsToCatchUp: [JID] = []
    var roomsCatchingUp: Set<JID> = []
    var roomCatchUps = 0
    /// Gaps that are being filled, by conversation.
    var fills: [Int64: Task<Bool, any Error>] = [:]
    private var onlineWaiters: [Int: CheckedContinuation<Void, any Error>] = [:]
    private var nextWaiter = 0

    package init(
        account: Int64, jid: JID, store: ChatStore, presenceBook: PresenceBook, typingBook: TypingBook,
        roomStates: RoomStates = RoomStates(), roomActivities: RoomActivityBook = RoomActivityBook(),
        presence: Presence = Presence(), pictures: PictureFolder? = nil,
        files: FileServices? = nil,
        makeLink: @escaping @Sendable (AccountSessionStore) async throws -> any SessionLink,
        onLogin: @escaping @Sendable (JID, LoginResult) async -> Void = { _, _ in },
        onPin: @escaping @Sendable (JID, ServerCertificate) async -> Void = { _, _ in }
    ) {
        self.account = account
        self.jid = jid.bare
        self.store = store
        self.presenceBook = presenceBook
        self.typingBook = typingBook
        self.roomStates = roomStates
        self.roomActivities = roomActivities
        self.presence = presence
        self.pictures = pictures
        self.files = files
        self.makeLink = makeLink
        self.onLogin = onLogin
        self.onPin = onPin
        shared = Locked(Shared(connection: ConnectionState(.offline, since: Date(milliseconds: store.now))))
    }

    /// The connection as it is now, with what the disk says about it.
    package nonisolated var connection: ConnectionState {
        shared.withLock { shared in
            guard let error = shared.storageError else { return shared.connection }
            return ConnectionState(shared.connection.phase, since: shared.connection.since, error: error)
        }
    }

    /// What happened to the connection.
    package nonisolated var timeline: ConnectionTimeline { shared.withLock { $0.timeline } }

    // MARK: Connecting

    /// Keeps the account connected from now on; returns at once.
    package func start() async throws {
        guard link == nil else { return }
        try await open().start()
    }

    /// Connects once, and throws when that fails; then stays connected.
    package func connect() async throws {
        if let link {
            if connection.isOnline { return }
            try await link.connect()
            return try await waitUntilOnline()
        }
        let link = try await open()
        do {
            try await link.connect()
            // The session's news comes a moment later; nobody shall find the account offline until then.
            try await waitUntilOnline()
        } catch {
            if self.link != nil { await stop() }
            throw error
        }
    }

    /// Ends the session in good order.
    package func stop() async {
        guard let link else { return }
        await link.disconnect()
        await watcher?.value
        ended(nil)
    }

    /// Waits until stanzas flow; throws when the session ends instead.
    package func waitUntilOnline() async throws {
        if connection.isOnline { return }
        guard let link else { throw ChatError.notConnected(jid) }
        // Whoever asks for the account now does not wait until the session would try by itself.
        if case .waiting = connection.phase { await link.tryNow() }
        if connection.isOnline { return }
        guard self.link != nil else { throw ChatError.notConnected(jid) }
        nextWaiter += 1
        let number = nextWaiter
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                onlineWaiters[number] = continuation
            }
        } onCancel: {
            Task { await self.cancelWaiter(number) }
        }
    }

    private func cancelWaiter(_ number: Int) {
        onlineWaiters.removeValue(forKey: number)?.resume(throwing: CancellationError())
    }

    private func open() async throws -> any SessionLink {
        let sessionStore = AccountSessionStore(
            store: store, account: account, jid: jid, presence: presenceBook, typing: typingBook
        ) { [weak self] followUps in
            Task { await self?.follow(followUps) }
        }
        let link = try await makeLink(sessionStore)
        // Another call may have opened one while this one waited.
        if let known = self.link { return known }
        self.link = link
        self.sessionStore = sessionStore
        if !isActive { await link.setActive(false) }
        let events = link.eventStream()
        watcher = Task { [weak self] in
            for await event in events { await self?.handle(event) }
        }
        let news = link.personalNews()
        newsWatcher = Task { [weak self] in
            for await piece in news { await self?.take(piece) }
        }
        return link
    }

    private func handle(_ event: SessionEvent) async {
        let time = Date(milliseconds: store.now)
        shared.withLock { $0.timeline.add(event, at: time) }
        switch event {
        case .connecting:
            if !connection.isOnline { set(.connecting, error: shared.withLock { $0.connection.error }) }
        case .online(let bound, let isResumed):
            begin(link?.acceptMessages() ?? 0)
            if !isResumed { decidedRooms = [] }
            set(.online(bound, resumed: isResumed))
            for waiter in onlineWaiters.values { waiter.resume() }
            onlineWaiters = [:]
            presenceBook.open(jid)
            store.hub.publish(StoreChanges(presence: [account]))
            // Beside this loop: a server that answers slowly must not delay the news of its end.
            let stream = streamNumber
            Task { await self.wentOnline(stream, isResumed: isResumed) }
            Task { await self.pump() }
            Task { await self.workOnFiles() }
        case .interrupted(let error, let wait):
            let retry = store.now &+ wait.milliseconds
            set(.waiting(retryAt: Date(milliseconds: retry)), error: ChatError(error))
            await forgetTransient()
        case .ended(let error):
            ended(error)
        case .storeFailed(let text):
            let error = ChatError(
                .storageFailed, "the profile cannot be written, so nothing more is taken from the server: \(text)",
                isRetryable: true)
            shared.withLock { $0.storageError = error }
            store.hub.publish(.accounts)
        case .storeRecovered:
            shared.withLock { $0.storageError = nil }
            store.hub.publish(.accounts)
        case .loginMemoryChanged:
            if let link { await onLogin(jid, await link.loginResult()) }
        case .certificatePinned(let certificate): await onPin(jid, certificate)
        case .resolved, .noAddress, .targetFailed, .connected, .verified, .offered, .secured, .authenticated,
            .readingPaused, .readingResumed, .dropped, .undeliverable:
            break
        }
    }

    /// Takes note of a stream that continued none, once: this news may come when the next one is up already.
    private func begin(_ stream: Int) {
        guard stream != streamNumber else { return }
        streamNumber = stream
        // What the stream before took and did not write is handed over again, after what it left behind.
        handover.reset()
        unproven = 0
        (needsCatchUp, looksBack, offersArchive, archiveStart) = (true, true, nil, nil)
        catchUpTimer?.cancel()
        (catchUpTimer, catchUpWait) = (nil, Self.firstCatchUpWait)
        keepsReadingHere = false
    }

    private func ended(_ error: XMPPError?) {
        guard link != nil else { return }
        link = nil
        sessionStore = nil
        watcher?.cancel()
        watcher = nil
        newsWatcher?.cancel()
        newsWatcher = nil
        for watcher in roomWatchers.values { watcher.cancel() }
        roomWatchers = [:]
        var changes = StoreChanges(presence: [account])
        changes.conversations = roomStates.reset(account: account)
        runningUpload?.task.cancel()
        fileTimer?.cancel()
        catchUpTimer?.cancel()
        (catchUpTimer, catchUpWait) = (nil, Self.firstCatchUpWait)
        handover.reset()
        (streamNumber, needsCatchUp, looksBack, archiveStart) = (0, true, true, nil)
        isSetUp = false
        presenceBook.reset(jid, isOnline: false)
        _ = typingBook.forget(account: jid)
        set(error == nil ? .offline : .failed, error: error.map { ChatError($0) })
        let reason = error.map { ChatError($0) } ?? ChatError.notConnected(jid)
        for waiter in onlineWaiters.values { waiter.resume(throwing: reason) }
        onlineWaiters = [:]
        store.hub.publish(changes)
    }

    private func set(_ phase: ConnectionState.Phase, error: ChatError? = nil) {
        let state = ConnectionState(phase, since: Date(milliseconds: store.now), error: error)
        shared.withLock { $0.connection = state }
        store.hub.publish(.accounts)
    }

    /// A stream that cannot be resumed takes the presence that it told with it.
    private func forgetTransient() async {
        var changes = StoreChanges()
        changes.typing = typingBook.forget(account: jid)
        let account = account
        let canResume =
            (try? await store.read { connection in
                try connection.value("SELECT stream_id IS NOT NULL FROM stream WHERE account = ?", account) ?? false
            }) ?? false
        if !canResume {
            presenceBook.reset(jid, isOnline: false)
            changes.presence = [account]
        }
        store.hub.publish(changes)
    }

    /// Sets up a new stream: the roster first, so that presence finds its contacts; then what others see of us, and at
    /// last what was missed.
    private func wentOnline(_ stream: Int, isResumed: Bool) async {
        guard let link else { return }
        await onLogin(jid, await link.loginResult())
        // One that an earlier run of the program left may have been left before all that.
        if !isResumed || !isSetUp {
            isSetUp = true
            await doubtRooms()
            await setUp(link)
            try? await link.announce(presence)
        }
        // The stream that came meanwhile does that itself.
        if needsCatchUp, stream == streamNumber { await catchUp() }
    }

    /// Says how available we are, now and on each new stream.
    package func announce(_ presence: Presence) async throws {
        self.presence = presence
        if connection.isOnline { try await link?.announce(presence) }
    }

    /// The network changed, or the machine woke up: the session looks at once whether it still works.
    func look(_ event: NetworkWatch.Event) async {
        switch event {
        case .networkChanged: await link?.networkDidChange()
        case .woke: await link?.didWake()
        }
    }

    /// Says whether somebody looks at the account now.
    func setActive(_ isActive: Bool) async {
        self.isActive = isActive
        await link?.setActive(isActive)
    }

    // MARK: Sending

    /// Hands what waits in the outbox to the session, in order, each row once.
    package func pump() async {
        if isPumping {
            wantsPump = true
            return
        }
        isPumping = true
        defer { isPumping = false }
        repeat {
            wantsPump = false
            await pumpOnce()
        } while wantsPump
    }

    private func pumpOnce() async {
        next: while connection.isOnline, let link {
            let (account, stream, version) = (account, streamNumber, handover.version)
            let after = handover.through
            guard
                let (rows, parked) = try? await store.read({ connection in
                    // Whatever became of those, they go before what is new.
                    if try StoreTransaction.hasAmbiguous(connection, account: account) {
                        return ([OutboxRow](), [String]())
                    }
                    return (
                        try StoreTransaction.queued(connection, account: account, after: after, limit: 100),
                        try StoreTransaction.parkedChats(connection, account: account)
                    )
                }), !rows.isEmpty
            else { return }
            // What waits for a room goes before what is new there.
            var held = Set(parked.compactMap { try? JID(stored: $0) })
            for row in rows {
                guard self.link != nil, connection.isOnline else { return }
                guard stream == streamNumber else { continue next }
                if row.message != nil, row.created < store.now - AccountSessionStore.maximumAge {
                    let holdsBack = try? await store.write { try $0.hold(row) }
                    if holdsBack == true { continue next }
                    continue
                }
                guard let message = Message(stored: row.payload) else {
                    await giveUp(row, MessageFailure(.unsendable))
                    continue
                }
                if message.kind == .groupchat, let room = message.to?.bare {
                    if !held.contains(room), await !link.isInRoom(room) { held.insert(room) }
                    if held.contains(room) {
                        try? await store.write { try $0.park(row) }
                        continue
                    }
                }
                // Before the call: whoever is handed over is never handed over twice to one session.
                switch handover.hand(row.id, asOf: version) {
                case .granted: break
                case .stale: continue next
                case .busy: return
                }
                do {
                    try await link.deliver(message)
                } catch {
                    if error.code == .unsendableText {
                        await giveUp(row, MessageFailure(.unsendable))
                        continue
                    }
                    return
                }
            }
            for room in held { await unpark(room) }
        }
    }

    private func giveUp(_ row: OutboxRow, _ failure: MessageFailure) async {
        try? await store.write { try $0.giveUp(row, failure) }
    }

    private func follow(_ followUps: [AccountSessionStore.FollowUp]) async {
        for followUp in followUps {
            switch followUp {
            case .sendOutbox: await pump()
            case .proveWritten(let sequence): await prove(through: sequence)
            // Whoever is at it reaches what came by then.
            case .catchUp: if !isCatchingUp { await catchUp() }
            case .catchUpRoom(let room): wantCatchUp(of: room)
            case .fetchPictures: await fetchPictures()
            case .accept(let peer, let addsBack): await accept(peer, addsBack: addsBack)
            case .decline(let peer): try? await link?.deliver(Presence(.unsubscribed, to: peer))
            }
        }
    }

    private func accept(_ peer: JID, addsBack: Bool) async {
        guard let link else { return }
        try? await link.deliver(Presence(.subscribed, to: peer))
        guard addsBack else { return }
        try? await link.deliver(Presence(.subscribe, to: peer))
    }
}

extension StoreChanges {
    /// Something about the accounts.
    static var accounts: StoreChanges {
        var changes = StoreChanges()
        changes.accounts = true
        return changes
    }
}

extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds &* 1000 &+ attoseconds / 1_000_000_000_000_000
    }
}

extension ChatError {
    /// The account is not online.
    static func notConnected(_ jid: JID) -> ChatError {
        ChatError(.notConnected, "\(jid) is not connected; connect it first", isRetryable: true)
    }
}
