// SPDX-License-Identifier: Apache-2.0
package import XMPP

/// What the core needs of a session; tests give one without a network.
package protocol SessionLink: RoomLink {
    /// Connects, and throws when the first attempt fails; from then on it stays connected by itself.
    func connect() async throws
    /// Keeps connecting from now on, whatever happens at first.
    func start() async
    /// Ends in good order.
    func disconnect() async
    /// What happens from now on; ends with the session.
    func eventStream() -> AsyncStream<SessionEvent>
    /// Hands a message over; it is written once the store has it.
    func deliver(_ message: Message) async throws(XMPPError)
    /// Hands a presence over.
    func deliver(_ presence: Presence) async throws(XMPPError)
    /// Says how available we are, now and on each new stream.
    func announce(_ presence: Presence?) async throws(XMPPError)
    /// Sends a request and waits for its reply.
    func ask(_ iq: IQ, timeout: Duration) async throws -> IQ
    /// The network changed: looks at once whether the connection still works.
    func networkDidChange() async
    /// The machine woke up: the same.
    func didWake() async
    /// Says whether somebody looks at this client now.
    func setActive(_ isActive: Bool) async
    /// Changes the password on the server.
    func changePassword(to password: String) async throws
    /// Removes the account from the server, and ends.
    func removeAccount() async throws
    /// Has the server make an invitation to become a contact.
    func createInvitation() async throws -> Invitation
    /// Has the server make an invitation to have an account there.
    func createAccountInvitation(username: String?, becomesContact: Bool) async throws -> Invitation
    /// Accepts an invitation to become a contact.
    func accept(_ link: XMPPLink, name: String?, groups: [String]) async throws -> Bool
    /// What an entity says that it can do.
    func features(of jid: JID) async throws -> Set<String>
    /// What the last login proved; to be kept for the next one.
    func loginResult() async -> LoginResult
    /// Whether the server keeps versions of the roster.
    func keepsRosterVersions() async -> Bool
    /// Ends the wait before the next attempt to connect.
    func tryNow() async
    /// Messages are taken again after a stream that could not be resumed; gives how often there was one.
    func acceptMessages() -> Int
    /// What the account's other devices change, from now on.
    func personalNews() -> AsyncStream<PersonalNews>
    /// What the account's devices have read.
    func displayedStates() async throws -> [DisplayedState]
    /// Tells the account's other devices what was read.
    func publishDisplayed(_ state: DisplayedState) async throws
    /// Who is kept away.
    func blockedAddresses() async throws -> [JID]
    /// Keeps somebody away; gives whether a report went along.
    func block(_ jid: JID, reporting report: AbuseReport?) async throws -> Bool
    /// Lets somebody through again.
    func unblock(_ jid: JID) async throws
    /// What somebody tells about themselves; nil for the account's own card.
    func card(of jid: JID?) async throws -> VCard?
    /// The name of the program behind a full address; nil when it does not tell.
    func program(of jid: JID) async throws -> String?
    /// Changes the account's own card.
    func changeCard(_ change: @escaping @Sendable (inout VCard) -> Void) async throws -> VCard
    /// Publishes the account's picture, or takes it back.
    func publish(_ picture: Picture?) async throws
    /// A picture that was announced.
    func picture(_ request: AvatarRequest, cache: PictureFolder?) async throws -> Picture?
    /// Brings a file to the account's server and gives its address there.
    func upload(_ file: FileUpload, progress: @escaping HTTPFiles.Progress) async throws -> String
    /// A page of the account's own archive, or of a room's, at most so many messages.
    func archivePage(
        _ position: CatchUpPosition, of room: JID?, limit: Int
    ) async throws(CatchUpError) -> CatchUpPage
}

/// What a login left to be remembered.
package struct LoginResult: Sendable {
    package var keys: SCRAMKeys?
    package var isBoundToChannel: Bool
    package var memory: LoginMemory

    package init(keys: SCRAMKeys?, isBoundToChannel: Bool, memory: LoginMemory = LoginMemory()) {
        self.keys = keys
        self.isBoundToChannel = isBoundToChannel
        self.memory = memory
    }
}

extension XMPPSession: SessionLink {
    package nonisolated func eventStream() -> AsyncStream<SessionEvent> {
        let subscription = events()
        return AsyncStream { continuation in
            let reader = Task {
                do {
                    for try await event in subscription { continuation.yield(event) }
                } catch {}
                continuation.finish()
            }
            continuation.onTermination = { _ in reader.cancel() }
        }
    }

    package nonisolated func deliver(_ message: Message) async throws(XMPPError) { try await send(message) }
    package nonisolated func deliver(_ presence: Presence) async throws(XMPPError) { try await send(presence) }
    package func announce(_ presence: Presence?) throws(XMPPError) { try setPresence(presence) }
    package func ask(_ iq: IQ, timeout: Duration) async throws -> IQ { try await request(iq, timeout: timeout) }

    package func tryNow() { networkDidChange() }

    package func loginResult() -> LoginResult {
        LoginResult(keys: derivedKeys, isBoundToChannel: isBoundToChannel, memory: loginMemory)
    }

    package nonisolated func displayedStates() async throws -> [DisplayedState] { try await fetchDisplayedStates() }
    package nonisolated func publishDisplayed(_ state: DisplayedState) async throws { try await setDisplayed(state) }

    package func features(of jid: JID) async throws -> Set<String> { try await discoverInfo(of: jid).features }
    package func keepsRosterVersions() -> Bool { offersRosterVersioning }
}
