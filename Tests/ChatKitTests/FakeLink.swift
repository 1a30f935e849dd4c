// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import XMPP

@testable import ChatKit

/// A session without a network: what is handed over is recorded, and committed when the test says so.
actor FakeLink: SessionLink {
    nonisolated let account: Account
    nonisolated let store: AccountSessionStore
    private nonisolated let continuation: Locked<AsyncStream<SessionEvent>.Continuation?> = Locked(nil)
    private nonisolated let log = Locked(Log())

    struct Log {
        var messages: [Message] = []
        var presences: [Presence] = []
        var requests: [IQ] = []
        var connectError: XMPPError?
        /// The server still has the stream of before.
        var resumes = false
        var answers: (@Sendable (IQ) throws -> IQ)?
        var isStarted = false
        var refusal: XMPPError?
        var passwords: [String] = []
        var isRemoved = false
        var accepted: [XMPPLink] = []
        var looks: [String] = []
        var activity: [Bool] = []
        var features: Set<String> = []
        var archive: FakeArchive?
        var pages: [CatchUpPosition] = []
        var streams = 1
        var tries = 0
        var result = LoginResult(keys: nil, isBoundToChannel: false)
        /// What the account's node of read places holds, and what was put there.
        var displayed: [DisplayedState] = []
        var published: [DisplayedState] = []
        var publishError: XMPPError?
        var blocked: [JID] = []
        var reports: [AbuseReport] = []
        var cards: [JID: VCard] = [:]
        var ownCard = VCard()
        /// The names of programs; an empty one never answers.
        var programs: [JID: String] = [:]
        var ownPicture: Picture?
        /// Pictures of others; asked for, in order.
        var pictures: [PictureHash: Picture] = [:]
        var askedPictures: [AvatarRequest] = []
        var rooms: [String] = []
        /// What rooms say that they are; those that are not here do not answer.
        var roomFacts: [JID: RoomFacts] = [:]
        var roomsOutside: Set<JID> = []
        /// Those have let us in when they are asked a second time.
        var roomsOutsideOnce: Set<JID> = []
        var refusesBookmarks = false
        var roomArchives: [JID: FakeArchive] = [:]
        var roomPages: [CatchUpPosition] = []
        var bookmarks: [Bookmark] = []
        var roomRefusal: XMPPError?
        var roomNews: [JID: AsyncStream<RoomNews>.Continuation] = [:]
        /// Files that were brought to the server, and what it does with them.
        var uploads: [FileUpload] = []
        var uploader: (@Sendable (FileUpload, HTTPFiles.Progress) async throws -> String)?
    }

    private nonisolated let news: Locked<AsyncStream<PersonalNews>.Continuation?> = Locked(nil)

    private var sequence: UInt64 = 0
    private var taken = 0

    init(account: Account, store: AccountSessionStore) {
        self.account = account
        self.store = store
    }

    nonisolated func script(_ change: (inout Log) -> Void) { log.withLock { change(&$0) } }

    nonisolated var messages: [Message] { log.withLock { $0.messages } }
    nonisolated var presences: [Presence] { log.withLock { $0.presences } }
    nonisolated var recorded: Log { log.withLock { $0 } }
    nonisolated var requests: [IQ] { log.withLock { $0.requests } }

    nonisolated func emit(_ event: SessionEvent) { _ = continuation.withLock { $0?.yield(event) } }

    /// Commits what was handed over since the last time, as a session does before it writes.
    ///
    /// - Parameter isCounted: The server counts what it handles.
    func write(isCounted: Bool = true) async throws {
        let new = messages[taken...]
        taken += new.count
        var sent: [SentStanza] = []
        for message in new {
            sequence += 1
            sent.append(
                SentStanza(
                    sequence: sequence, kind: .message, id: message.id, bytes: Array(try message.storedXML().utf8)))
        }
        var state = state
        if !isCounted { (state.streamID, state.sentOnStream) = (nil, 0) }
        try await store.commit(SessionCommit(sent: sent, state: state))
    }

    /// A stream begins that does not continue the one before.
    func startStream(_ left: SessionCommit.LeftMessages) async throws {
        log.withLock { $0.streams += 1 }
        try await store.commit(SessionCommit(givesBack: left, state: state))
        taken = messages.count
    }

    /// The server acknowledges all that was written.
    func acknowledge() async throws {
        try await store.commit(SessionCommit(acknowledgedThrough: sequence, state: state))
    }

    func receive(_ stanzas: String...) async throws {
        try await store.commit(SessionCommit(received: try stanzas.map(StoreFixture.stanza), state: state))
    }

    private var state: SessionState {
        SessionState(
            streamID: "s\(log.withLock { $0.streams })", sentOnStream: UInt32(truncatingIfNeeded: sequence),
            nextSequence: sequence + 1)
    }

    // MARK: SessionLink

    func connect() async throws {
        emit(.connecting(attempt: 1))
        if let error = log.withLock({ $0.connectError }) {
            emit(.ended(error))
            continuation.withLock { $0?.finish() }
            throw error
        }
        emit(.online(try account.jid.with(resource: "fake"), isResumed: log.withLock { $0.resumes }))
    }

    func start() { log.withLock { $0.isStarted = true } }

    func disconnect() {
        emit(.ended(nil))
        continuation.withLock { $0?.finish() }
    }

    nonisolated func eventStream() -> AsyncStream<SessionEvent> {
        let (stream, new) = AsyncStream.makeStream(of: SessionEvent.self)
        continuation.withLock { $0 = new }
        return stream
    }

    nonisolated func deliver(_ message: Message) async throws(XMPPError) {
        log.withLock { $0.messages.append(message) }
    }
    nonisolated func deliver(_ presence: Presence) async throws(XMPPError) {
        log.withLock { $0.presences.append(presence) }
    }
    nonisolated func announce(_ presence: Presence?) async throws(XMPPError) {
        log.withLock { $0.presences.append(presence ?? Presence(.unavailable)) }
    }

    nonisolated func ask(_ iq: IQ, timeout: Duration) async throws -> IQ {
        let answers = log.withLock { log in
            log.requests.append(iq)
            return log.answers
        }
        return try answers?(iq) ?? iq.result()
    }

    nonisolated func networkDidChange() async { log.withLock { $0.looks.append("network") } }
    nonisolated func didWake() async { log.withLock { $0.looks.append("wake") } }
    nonisolated func setActive(_ isActive: Bool) async { log.withLock { $0.activity.append(isActive) } }

    nonisolated func changePassword(to password: String) async throws {
        if let error = log.withLock({ $0.refusal }) { throw error }
        log.withLock { $0.passwords.append(password) }
    }

    func removeAccount() async throws {
        if let error = log.withLock({ $0.refusal }) { throw error }
        log.withLock { $0.isRemoved = true }
        disconnect()
    }

    nonisolated func features(of jid: JID) async throws -> Set<String> { log.withLock { $0.features } }

    nonisolated func loginResult() async -> LoginResult { log.withLock { $0.result } }
    nonisolated func keepsRosterVersions() async -> Bool { true }
    nonisolated func tryNow() async { log.withLock { $0.tries += 1 } }
    nonisolated func acceptMessages() -> Int { log.withLock { $0.streams } }

    /// Another device of the account changed something.
    nonisolated func tell(_ piece: PersonalNews) { _ = news.withLock { $0?.yield(piece) } }

    nonisolated func personalNews() -> AsyncStream<PersonalNews> {
        let (stream, new) = AsyncStream.makeStream(of: PersonalNews.self)
        news.withLock { $0 = new }
        return stream
    }

    nonisolated func displayedStates() async throws -> [DisplayedState] { log.withLock { $0.displayed } }

    nonisolated func publishDisplayed(_ state: DisplayedState) async throws {
        if let error = log.withLock({ $0.publishError }) { throw error }
        log.withLock { $0.published.append(state) }
    }

    nonisolated func upload(_ file: FileUpload, progress: @escaping HTTPFiles.Progress) async throws -> String {
        let (count, uploader) = log.withLock { log in
            log.uploads.append(file)
            return (log.uploads.count, log.uploader)
        }
        return try await uploader?(file, progress) ?? "https://files.example.org/\(count)/\(file.name)"
    }

    nonisolated func archivePage(
        _ position: CatchUpPosition, of room: JID?, limit: Int
    ) async throws(CatchUpError) -> CatchUpPage {
        let archive = log.withLock { log in
            guard let room else {
                log.pages.append(position)
                return log.archive
            }
            log.roomPages.append(position)
            return log.roomArchives[room]
        }
        guard let archive else { throw .unavailable }
        return try await archive.page(position, limit: limit)
    }
}

/// A chat core over fake links, with the account ann@example.org when asked for.
final class CoreFixture: Sendable {
    let folder: TemporaryFolder
    let time: ManualTime
    let core: ChatCore
    private let links: Locked<[FakeLink]>

    static let ann = try? JID("ann@example.org")

    private init(folder: TemporaryFolder, time: ManualTime, core: ChatCore, links: Locked<[FakeLink]>) {
        self.folder = folder
        self.time = time
        self.core = core
        self.links = links
    }

    /// Opens a core; `prepare` sees each link before it is used.
    static func make(
        folder: TemporaryFolder? = nil, time: ManualTime = ManualTime(),
        prepare: @escaping @Sendable (FakeLink) -> Void = { _ in },
        configure: (inout ChatCore.Configuration) -> Void = { _ in }
    ) async throws -> CoreFixture {
        let folder = try folder ?? TemporaryFolder()
        let links = Locked([FakeLink]())
        var configuration = ChatCore.Configuration()
        configuration.clock = time.clock
        configuration.makeLink = { account, store in
            let link = FakeLink(account: account, store: store)
            prepare(link)
            links.withLock { $0.append(link) }
            return link
        }
        configure(&configuration)
        let core = try await ChatCore.open(directory: folder.path, configuration: configuration)
        return CoreFixture(folder: folder, time: time, core: core, links: links)
    }

    /// Opens a core with the account ann@example.org, which is online.
    static func online() async throws -> (CoreFixture, JID, FakeLink) {
        let fixture = try await make { link in
            link.script {
                $0.result = LoginResult(
                    keys: SCRAMKeys(
                        hashName: "SHA-256", salt: [1], iterations: 4096, clientKey: [2], serverKey: [3]),
                    isBoundToChannel: false)
            }
        }
        let ann = try JID("ann@example.org")
        try await fixture.core.addAccount(ann, password: "secret-password")
        return (fixture, ann, fixture.link)
    }

    /// The newest link.
    var link: FakeLink { links.withLock { $0[$0.count - 1] } }
    var linkCount: Int { links.withLock { $0.count } }

    /// Waits until a condition holds, looking again after each change of the profile.
    func until(_ condition: @Sendable () async throws -> Bool) async throws {
        let signal = core.store.hub.subscribe { _ in true }
        while try await !condition() {
            guard await signal.wait() else { throw ChatError(.cancelled, "cancelled") }
        }
    }
}
