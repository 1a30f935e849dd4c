// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import ApusTransport
public import XMPP

/// The chat core of one profile: accounts, contacts, conversations, history and outbox, all durable, without a screen.
///
/// A profile is a private folder, held by exactly one core at a time. Everything can be read and written before any
/// connection is made: what is sent while offline waits, and is sent once, when its account comes online. Live queries
/// tell what became different after each change.
///
/// Every method may be called from any task. Owner of the accounts' runners and of the secrets: the actor itself, on a queue
/// of its own, since a keyring may have it wait.
public actor ChatCore {
    /// How a core works; the defaults suit a program for people.
    public struct Configuration: Sendable {
        /// How each account's session behaves.
        ///
        /// Its `initialPresence` is not used: the core announces presence itself.
        public var session: SessionConfiguration
        /// The presence that a new stream begins with.
        public var presence: Presence

        /// The extensions of a chat program: the default ones, copies for all devices, receipts, typing, answers, reactions,
        /// corrections, retractions, what was read, blocking, cards and pictures.
        public static var modules: [any SessionModule] {
            SessionConfiguration.defaultModules + [
                CarbonsModule(), ReceiptsModule(), ChatStatesModule(), MarkersModule(), RepliesModule(),
                FallbackModule(), ReactionsModule(), CorrectionsModule(), RetractionsModule(),
                PubSubModule(nodes: [DisplayedState.node, Bookmark.node]), RoomsModule(), BlockingModule(),
                VCardModule(), AvatarsModule(),
            ]
        }

        /// Whether connections are looked at when the network changes and when the machine wakes up.
        ///
        /// Defaults to true.
        public var watchesNetwork = true

        /// The largest file that is sent or fetched, in bytes.
        ///
        /// Defaults to 1 GiB.
        public var maximumFileBytes = 1 << 30
        /// The most bytes that are kept of files that could be fetched again.
        ///
        /// Defaults to 2 GiB.
        public var fileCacheBytes: Int64 = 2 << 30
        /// Decodes pictures in another process.
        ///
        /// Defaults to nil: then there are no small pictures, and pictures are sent as they are, with where they were taken.
        public var pictureWorker: (any PictureWorker)?
        /// Ports of this program's own interface, which no link ever reaches.
        ///
        /// Defaults to none.
        public var ownPorts: @Sendable () -> Set<UInt16> = { [] }

        /// Changes the rules for what goes by HTTP; for tests.
        package var adjustAccess: @Sendable (HTTPAccess) -> HTTPAccess = { $0 }
        /// Where what logs accounts in is kept outside of the profile; asked for once, when a profile is opened.
        ///
        /// Nil, or nothing from it, keeps it in a file of the profile that only its owner can read. Defaults to nil.
        public var secretKeeper: (@Sendable () -> (any SecretKeeper)?)?

        package var clock: @Sendable () -> Int64 = ChatStore.wallClock
        /// Replaces the session of an account; for tests.
        package var makeLink: (@Sendable (Account, AccountSessionStore) -> any SessionLink)?

        /// Makes a configuration with the defaults.
        public init(
            session: SessionConfiguration = SessionConfiguration(modules: Configuration.modules),
            presence: Presence = Presence()
        ) {
            self.session = session
            self.presence = presence
        }
    }

    private nonisolated let executor: QueueExecutor
    /// A queue of this core's own.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    nonisolated let configuration: Configuration
    nonisolated let folder: ProfileFolder
    /// The database; package access is for the service and for tests.
    package nonisolated let store: ChatStore
    /// Who is online; package access is for measuring.
    package nonisolated let presenceBook: PresenceBook
    nonisolated let announcements = AnnouncementBook()
    nonisolated let typingBook: TypingBook
    nonisolated let roomStates = RoomStates()
    nonisolated let roomActivities = RoomActivityBook()
    nonisolated let runners: AccountDirectory
    nonisolated let pictures: PictureFolder
    nonisolated let media: MediaFolder
    nonisolated let transfers: TransferBook
    var secrets: SecretStore
    /// Passwords that were given since the profile was opened; in memory only.
    ///
    /// A server that keeps passwords in clear may ask for other keys each time; then only the password logs in.
    var passwords: [JID: String] = [:]
    private var typingTimer: Task<Void, Never>?
    private var networkWatch: NetworkWatch?
    private var fileWatch: Task<Void, Never>?
    private var muteWatch: Task<Void, Never>?

    /// Opens the profile in a folder, making it if it does not exist, and brings its database up to date.
    ///
    /// Nothing is connected yet: see ``connectAll()`` and ``connect(_:)``.
    ///
    /// - Parameters:
    ///   - directory: The folder of this profile alone, with mode 0700 afterwards; its files have mode 0600.
    ///   - configuration: How the core works.
    /// - Throws: ``ChatError``: `profileInUse` when another process holds it, `profileDamaged`, `newerProfile`,
    ///   `diskFull`, `storageFailed`.
    public static func open(
        directory: String, configuration: Configuration = Configuration()
    ) async throws(ChatError) -> ChatCore {
        let folder = try ProfileFolder(path: directory)
        let executor = QueueExecutor(label: "apus.core")
        do {
            let secrets = try await executor.make {
                try SecretStore(path: directory + "/secrets.json", keeper: configuration.secretKeeper?())
            }
            let store = try await ChatStore(.file(directory + "/chat.db"), clock: configuration.clock)
            let core = ChatCore(executor, folder: folder, store: store, secrets: secrets, configuration: configuration)
            try await store.write { try $0.pruneEvents() }
            try await core.loadAccounts()
            return core
        } catch {
            throw ChatError(error)
        }
    }

    private init(
        _ executor: QueueExecutor, folder: ProfileFolder, store: ChatStore, secrets: SecretStore,
        configuration: Configuration
    ) {
        self.executor = executor
        self.folder = folder
        self.store = store
        self.secrets = secrets
        self.configuration = configuration
        presenceBook = PresenceBook()
        typingBook = TypingBook()
        runners = AccountDirectory()
        pictures = PictureFolder(path: folder.path + "/pictures")
        media = MediaFolder(path: folder.path + "/media")
        transfers = TransferBook(hub: store.hub)
    }

    /// Disconnects all accounts in good order, ends all live queries and closes the profile; then returns.
    ///
    /// Messages that were not acknowledged are kept and sent again when the profile is opened the next time.
    public func close() async {
        typingTimer?.cancel()
        networkWatch?.stop()
        fileWatch?.cancel()
        muteWatch?.cancel()
        await withTaskGroup { group in
            for runner in runners.all {
                group.addTask {
                    await runner.stopTransfers()
                    await runner.stop()
                }
            }
        }
        await store.close()
        folder.unlock()
    }

    private func loadAccounts() async throws {
        for row in try await store.read({ try Queries.accounts($0) }) { runners.add(makeRunner(row.id, row.jid)) }
        try await sweepStrays()
        fileWatch = watchFiles()
        muteWatch = watchMutes()
        if configuration.watchesNetwork {
            let watch = NetworkWatch(onEvent: { [runners] event in
                for runner in runners.all { Task { await runner.look(event) } }
            })
            watch.start()
            networkWatch = watch
        }
        typingTimer = Task { [store, typingBook] in
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(5))
                var changes = StoreChanges()
                changes.typing = typingBook.forgetSilent(now: store.now)
                store.hub.publish(changes)
            }
        }
    }

    func makeRunner(_ account: Int64, _ jid: JID) -> AccountRunner {
        AccountRunner(
            account: account, jid: jid, store: store, presenceBook: presenceBook, typingBook: typingBook,
            roomStates: roomStates, roomActivities: roomActivities, presence: configuration.presence,
            pictures: pictures, files: fileServices,
            makeLink: { [weak self] sessionStore in
                guard let self else { throw ChatError(.closed, "the profile is closed") }
                return try await self.makeLink(sessionStore)
            },
            onLogin: { [weak self] jid, result in await self?.remember(result, of: jid) },
            onPin: { [weak self] jid, certificate in await self?.remember(certificate, of: jid) })
    }

    /// How an account connects and what proves that it is ours; nil when the profile does not have it.
    ///
    /// For whoever examines its server; the secrets must not leave this process.
    package func login(of account: JID) async -> Account? {
        guard let settings = try? await self.account(account).settings else { return nil }
        let stored = secrets.credentials(of: account.bare)
        return try? settings.account(
            account.bare, Credentials(password: passwords[account.bare] ?? stored?.password, keys: stored?.keys))
    }

    /// How sessions of this core behave.
    package nonisolated var sessionConfiguration: SessionConfiguration { configuration.session }

    nonisolated var fileServices: FileServices {
        FileServices(
            folder: media, transfers: transfers, ownPorts: configuration.ownPorts,
            maximumBytes: configuration.maximumFileBytes, worker: configuration.pictureWorker,
            adjust: configuration.adjustAccess)
    }

    /// The runner of an account of this profile.
    nonisolated func runner(_ account: JID) throws(ChatError) -> AccountRunner {
        guard let runner = runners[account.bare] else {
            throw ChatError(.unknownAccount, "the profile has no account \(account.bare); add it first")
        }
        return runner
    }
}
